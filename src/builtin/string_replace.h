// Replaces one piece of a text by another where it stands exactly once. Pure; the replace tools
// use it.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace toolgate {

// The text with `old_text` replaced. The error says how often it stands there and at which lines,
// or what is nearest. Line ends of all three are line feeds.
Result<std::string> replace_once(std::string_view text, std::string_view old_text,
                                 std::string_view new_text, std::string_view shown);

}  // namespace toolgate
