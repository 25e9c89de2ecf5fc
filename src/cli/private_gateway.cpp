#include "cli/private_gateway.h"

#include <latch>

#include "cli/input.h"
#include "gateway/gateway_file.h"
#include "gateway/operator_token.h"

namespace toolgate {

Result<std::unique_ptr<PrivateGateway>> PrivateGateway::open(const CatalogOptions& options) {
  if (options.data.empty())
    return fail(Errc::Io, "HOME is not set; say with --data where the data folder is");
  auto gateway = Gateway::open({.port = 0,
                                .data = options.data,
                                .files = options.settings,
                                .tools = options.tools,
                                .environment = read_environment,
                                .is_private = true});
  if (!gateway) return std::unexpected(std::move(gateway.error()));
  return std::unique_ptr<PrivateGateway>(new PrivateGateway(std::move(*gateway), options.data));
}

PrivateGateway::PrivateGateway(std::unique_ptr<Gateway> gateway, std::filesystem::path data)
    : gateway_(std::move(gateway)), data_(std::move(data)) {
  std::latch ready(1);
  thread_ = std::thread([this, &ready] { gateway_->run([&ready] { ready.count_down(); }); });
  ready.wait();
}

PrivateGateway::~PrivateGateway() {
  gateway_->stop();
  thread_.join();
}

Result<GatewayLink> PrivateGateway::link() const {
  auto address = parse_base_url(local_address(gateway_->host(), gateway_->port()));
  if (!address) return std::unexpected(std::move(address.error()));
  auto token = open_operator_token(data_);
  if (!token) return std::unexpected(std::move(token.error()));
  return GatewayLink{std::move(*address), std::move(*token)};
}

}  // namespace toolgate
