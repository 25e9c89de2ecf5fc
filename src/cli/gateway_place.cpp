#include "cli/gateway_place.h"

#include "base/json.h"

namespace toolgate {
namespace {

std::string body_of(const CallWish& wish) {
  std::string out = R"({"input":)" + wish.input;
  const auto add = [&out](std::string_view key, std::string_view text) {
    if (text.empty()) return;
    out += fmt::format(R"(,"{}":)", key);
    append_json_string(out, text);
  };
  add("call_id", wish.call_id);
  add("session_id", wish.session_id);
  if (!wish.may_wait) add("confirmation", "deny");
  return out + "}";
}

std::string path_of(const CallWish& wish, std::string_view what) {
  return fmt::format("/v1/tools/{}/{}", encode_percent(wish.tool), what);
}

}  // namespace

Task<Result<std::string>> GatewayPlace::invoke(CallWish wish, const Cancel& cancel) {
  co_return co_await client_.send("POST", path_of(wish, "invoke"), body_of(wish), cancel);
}

Task<Result<std::string>> GatewayPlace::explain(CallWish wish) {
  co_return co_await client_.send("POST", path_of(wish, "explain"), body_of(wish), never_);
}

Task<Result<std::string>> GatewayPlace::show(std::string id) {
  co_return co_await client_.send("GET", "/v1/invocations/" + encode_percent(id), {}, never_);
}

Task<Result<void>> GatewayPlace::confirm(std::string id, Answer answer) {
  const std::string path = fmt::format("/v1/invocations/{}/confirm", encode_percent(id));
  const auto done = co_await client_.send("POST", path, write_answer(answer), never_);
  if (!done) co_return std::unexpected(done.error());
  co_return Result<void>{};
}

Task<Result<void>> GatewayPlace::cancel(std::string id) {
  const std::string path = fmt::format("/v1/invocations/{}/cancel", encode_percent(id));
  const auto done = co_await client_.send("POST", path, "{}", never_);
  if (!done) co_return std::unexpected(done.error());
  co_return Result<void>{};
}

Task<Result<void>> GatewayPlace::follow(std::function<void()> connected, Told told,
                                        const Cancel& cancel) {
  co_return co_await client_.follow("/v1/events?types=invocation,progress", std::move(connected),
                                    std::move(told), cancel);
}

std::unique_ptr<CallPlace> make_gateway_place(GatewayLink link) {
  return std::make_unique<GatewayPlace>(std::move(link));
}

}  // namespace toolgate
