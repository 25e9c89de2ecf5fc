// A gateway of one's own for a command that needs all of one while none runs: on threads of this
// process, on a free port of this machine, for its operator only. `toolgate chat` opens it. Holds
// the data folder's lock, so no other gateway can start meanwhile.
#pragma once

#include <memory>
#include <thread>

#include "cli/catalog_options.h"
#include "cli/gateway_client.h"
#include "gateway/gateway.h"

namespace toolgate {

class PrivateGateway {
 public:
  static Result<std::unique_ptr<PrivateGateway>> open(const CatalogOptions& options);
  // Stops it, with whatever it still does.
  ~PrivateGateway();
  PrivateGateway(const PrivateGateway&) = delete;
  PrivateGateway& operator=(const PrivateGateway&) = delete;

  Result<GatewayLink> link() const;

 private:
  PrivateGateway(std::unique_ptr<Gateway> gateway, std::filesystem::path data);

  std::unique_ptr<Gateway> gateway_;
  std::filesystem::path data_;
  std::thread thread_;
};

}  // namespace toolgate
