// The part of the settings that tools behind URLs read.
#pragma once

#include <string>
#include <vector>

namespace toolgate {

struct HttpToolSettings {
  // toolgate.httpTools.allowedHosts: hosts, with or without a port, that may have private
  // addresses.
  std::vector<std::string> allowed_private_hosts;
};

}  // namespace toolgate
