// Where an upstream is: a base URL, checked and taken apart once.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace toolgate {

struct UpstreamAddress {
  bool tls = false;
  std::string host;  // without brackets
  std::string port;
  std::string path;       // "/v1" or ""
  std::string authority;  // for the Host field
  std::string key;        // connections with the same key are interchangeable
  std::string url;        // scheme in lower case, no slash at the end
};

// The error is a reason to be put behind the name of the setting; it never repeats the URL, which
// may hold a password.
Result<UpstreamAddress> parse_base_url(std::string_view url);

// A DNS name, an IPv4 address or a bracketed IPv6 address, without port.
bool is_host_name(std::string_view text);

}  // namespace toolgate
