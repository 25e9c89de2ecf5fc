// Where the calls of `toolgate call` run: in a running gateway, or in this process when there is
// none. Answers are the objects of the HTTP API either way, so all else is written once. Everything
// happens on one loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "async/loop.h"
#include "cli/catalog_options.h"
#include "cli/gateway_client.h"
#include "cli/waiting_call.h"
#include "toolgate/cancel.h"
#include "toolgate/task.h"

namespace toolgate {

struct CallWish {
  std::string tool;             // by any of its names
  std::string input = "{}";     // JSON
  std::string call_id;          // by which its events are known
  std::string session_id = {};  // may be empty
  bool may_wait = true;         // false: what would ask is refused
};

class CallPlace {
 public:
  virtual ~CallPlace() = default;

  virtual Loop& loop() = 0;
  // Whether someone who sits elsewhere could decide about a call.
  virtual bool others_can_decide() const = 0;

  // As POST /v1/tools/{name}/invoke answers; ends with the call.
  virtual Task<Result<std::string>> invoke(CallWish wish, const Cancel& cancel) = 0;
  // As POST /v1/tools/{name}/explain.
  virtual Task<Result<std::string>> explain(CallWish wish) = 0;
  // As GET /v1/invocations/{id}, arguments as they are.
  virtual Task<Result<std::string>> show(std::string id) = 0;
  virtual Task<Result<void>> confirm(std::string id, Answer answer) = 0;
  virtual Task<Result<void>> cancel(std::string id) = 0;

  using Told = std::function<void(std::string_view kind, std::string_view data)>;
  // Tells events of the kinds `invocation` and `progress` until cancelled, or until there will be
  // none any more. `connected` is called once none can be missed; an error: it never was.
  virtual Task<Result<void>> follow(std::function<void()> connected, Told told,
                                    const Cancel& cancel) = 0;
};

std::unique_ptr<CallPlace> make_gateway_place(GatewayLink link);
Result<std::unique_ptr<CallPlace>> open_local_place(const CatalogOptions& options);

}  // namespace toolgate
