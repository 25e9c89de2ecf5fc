// What a server asks of its process before threads start.
#pragma once

namespace toolgate {

// Freed memory is kept for the next request instead of being given back to the system block by
// block, which would cost a page fault per 4 KiB of each larger body. As many files may be open as
// the system allows. A reader of our output that has gone does not end us.
void prepare_process();

}  // namespace toolgate
