// Lists of hosts in settings: "localhost", "10.0.0.*", "*.corp.example:8080", "[::1]:*".
#pragma once

#include <span>
#include <string>

#include "net/upstream_address.h"

namespace toolgate {

// Whether one of the patterns means the host, with or without its port; the case does not matter.
bool names_host(std::span<const std::string> patterns, const UpstreamAddress& address);

}  // namespace toolgate
