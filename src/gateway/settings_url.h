// What counts as a base URL, a host name and a variable's name in settings. Pure.
#pragma once

#include "base/error.h"

#include <string>
#include <string_view>

namespace toolgate {

// The URL in the form that is stored: scheme in lower case, no slash at the end. The error is a
// reason to be put behind the name of the setting; it never repeats the URL, which may hold a
// password.
Result<std::string> check_base_url(std::string_view url);

// A DNS name, an IPv4 address or a bracketed IPv6 address, without port.
bool is_host_name(std::string_view text);

bool is_variable_name(std::string_view text);

}  // namespace toolgate
