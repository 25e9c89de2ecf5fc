// Changes of drafts that several tools make.
#pragma once

#include <string>
#include <string_view>

#include "builtin/edit_draft.h"

namespace toolgate {

// `old_text` must stand in the file once. Where it is empty, so must be the file, or missing.
Result<void> replace_in_draft(EditDraft& draft, const std::string& path, std::string_view old_text,
                              std::string_view new_text);

}  // namespace toolgate
