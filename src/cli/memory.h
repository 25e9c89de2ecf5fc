// How the process uses the heap.
#pragma once

namespace toolgate {

// Keeps freed memory for the next request instead of giving every block back to the system, which
// would cost a page fault per 4 KiB of each larger body. Call before threads start.
void keep_freed_memory();

}  // namespace toolgate
