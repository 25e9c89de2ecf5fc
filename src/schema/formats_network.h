// The formats of the network: mail addresses, host names, addresses, URIs. formats.cpp calls them.
#pragma once

#include <string_view>

namespace toolgate {

bool is_email(std::string_view text, bool international);
bool is_hostname(std::string_view text, bool international);
bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);
bool is_uri(std::string_view text, bool relative, bool international);
bool is_uri_template(std::string_view text);

}  // namespace toolgate
