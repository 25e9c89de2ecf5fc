// gateway.json in the data folder: how commands find the gateway that runs there. `serve` writes it
// when it is ready and removes it when it stops.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace toolgate {

struct RunningGateway {
  std::string address;  // "http://127.0.0.1:8080"
  long pid = 0;
  std::string workspace = {};  // absolute; empty: it does not say
};

// Where programs on this machine reach a gateway that listens on `host`.
std::string local_address(std::string_view host, std::uint16_t port);

class GatewayFile {
 public:
  // Mode 0600. One that a dead gateway left is replaced.
  static Result<GatewayFile> write(const std::filesystem::path& data_folder,
                                   std::string_view address, std::string_view workspace = {});
  // Removes it, unless another process has written it since.
  ~GatewayFile();
  GatewayFile(GatewayFile&& other) noexcept : file_(std::move(other.file_)) { other.file_.clear(); }
  GatewayFile& operator=(GatewayFile&&) = delete;

 private:
  explicit GatewayFile(std::filesystem::path file) : file_(std::move(file)) {}

  std::filesystem::path file_;
};

// Nothing: none runs; a file that a dead one left does not count. Whoever is found gets the
// operator token, so a file that others could have written is an error, and a process that only
// has the same number is not taken for the gateway.
Result<std::optional<RunningGateway>> find_running_gateway(
    const std::filesystem::path& data_folder);

}  // namespace toolgate
