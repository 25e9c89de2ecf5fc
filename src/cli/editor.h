// A text in the person's own editor: $VISUAL, $EDITOR, else vi.
#pragma once

#include <string>

#include "base/error.h"

namespace toolgate {

// Blocks until the editor has ended; gives what it left in the file. The file is its owner's only
// (mode 0600), ends with `suffix`, and is removed.
Result<std::string> edit_text(const std::string& text, const std::string& suffix);

}  // namespace toolgate
