// GET and PUT /v1/context: the keys that `when` clauses read. A change of a key that some tool
// depends on makes a new catalogue.
#include "async/offload.h"
#include "base/json.h"
#include "gateway/endpoints/endpoints.h"

namespace toolgate {

Task<> show_context(RequestContext& context) {
  co_await reply_json(context, context.registry.context_json());
}

// {"key": value, "other": null}: null removes a key, the others stay.
Task<> change_context(RequestContext& context) {
  const auto body = co_await context.exchange.read_body();
  if (!body) {
    co_await reply_error(context, body.error());
    co_return;
  }
  const auto changes = parse_json(*body);
  if (!changes || !changes->is_object()) {
    co_await reply_error(
        context, changes
                     ? Error{Errc::InvalidRequest, "the body must be an object of context keys", {}}
                     : changes.error());
    co_return;
  }
  constexpr std::size_t kMostChanges = 1000;
  if (changes->get_object().size() > kMostChanges) {
    co_await reply_error(
        context, Error{Errc::InvalidRequest,
                       fmt::format("at most {} context keys can be set at once", kMostChanges),
                       {}});
    co_return;
  }
  Registry& registry = context.registry;
  for (const auto& [key, value] : changes->get_object()) {
    if (key.empty() || key.starts_with("config.")) {
      co_await reply_error(context,
                           Error{Errc::InvalidRequest,
                                 fmt::format("{}: keys under config. are the settings', and a key "
                                             "has at least one character",
                                             std::string_view(key)),
                                 std::string(key)});
      co_return;
    }
  }
  for (const auto& [key, value] : changes->get_object()) {
    const auto set = registry.set_context(key, value.is_null() ? std::string() : write_json(value));
    if (!set) {
      co_await reply_error(context, set.error());
      co_return;
    }
  }
  // A large catalogue takes a while to make.
  const auto flush = [&]() -> Result<std::string> {
    registry.flush();
    return registry.context_json();
  };
  auto now = co_await offload(flush, context.exchange.cancel());
  if (!now) {
    co_await reply_error(context, now.error());
    co_return;
  }
  co_await reply_json(context, std::move(*now));
}

}  // namespace toolgate
