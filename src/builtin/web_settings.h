// The part of the settings that fetch_webpage reads.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace toolgate {

struct WebSettings {
  // toolgate.web.allowedPrivateHosts: hosts, with or without a port, that may have private
  // addresses.
  std::vector<std::string> allowed_private_hosts;
  std::size_t page_bytes = 5 << 20;                // toolgate.web.pageBytes: more is not read
  std::chrono::milliseconds page_seconds{30'000};  // toolgate.web.pageSeconds
};

}  // namespace toolgate
