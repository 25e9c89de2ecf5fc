// JSON pointers (RFC 6901): the steps of a path and their escapes. Faults, fixes and local
// references are written and read with these.
#pragma once

#include <string>
#include <string_view>

namespace toolgate {

// Appends "/name", with `~` as `~0` and `/` as `~1`.
void append_pointer_step(std::string& path, std::string_view name);

// The name that a step between two slashes stands for.
std::string unescape_pointer_step(std::string_view step);

}  // namespace toolgate
