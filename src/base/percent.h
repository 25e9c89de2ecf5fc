// %41 in URLs and JSON pointers.
#pragma once

#include <string>
#include <string_view>

namespace toolgate {

// What is no escape stands as it is.
std::string decode_percent(std::string_view text);

}  // namespace toolgate
