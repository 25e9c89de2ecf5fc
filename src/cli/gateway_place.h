// Calls in a running gateway. `toolgate call` and `toolgate chat` make theirs there.
#pragma once

#include "cli/call_place.h"
#include "cli/gateway_client.h"

namespace toolgate {

class GatewayPlace final : public CallPlace {
 public:
  explicit GatewayPlace(GatewayLink link) : client_(std::move(link)) {}

  GatewayClient& client() { return client_; }

  Loop& loop() override { return client_.loop(); }
  bool others_can_decide() const override { return true; }
  Task<Result<std::string>> invoke(CallWish wish, const Cancel& cancel) override;
  Task<Result<std::string>> explain(CallWish wish) override;
  Task<Result<std::string>> show(std::string id) override;
  Task<Result<void>> confirm(std::string id, Answer answer) override;
  Task<Result<void>> cancel(std::string id) override;
  Task<Result<void>> follow(std::function<void()> connected, Told told,
                            const Cancel& cancel) override;

 private:
  GatewayClient client_;
  CancelSource never_;
};

}  // namespace toolgate
