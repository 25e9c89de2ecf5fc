// A picture in the workspace, as read_file and view_image hand it on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "builtin/workspace.h"
#include "toolgate/tool.h"

namespace toolgate {

// image/png and the like, by the first bytes; nothing: no picture that models see.
std::optional<std::string_view> image_type(std::string_view beginning);

// A line of text that says what it is, and its bytes. `file` has been opened for reading.
Result<ToolResult> read_image(const OpenedFile& file, std::string_view shown);

}  // namespace toolgate
