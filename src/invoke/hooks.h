// Hooks: programs and endpoints of the user that are asked before a call and told after it. The
// interface; hosts/hook_runner.h runs them.
#pragma once

#include <optional>
#include <string>

#include "invoke/decide.h"
#include "toolgate/cancel.h"
#include "toolgate/task.h"

namespace toolgate {

struct HookCall {
  std::string tool_id = {};
  std::string tool_reference_name = {};
  std::string source = {};
  std::string arguments = {};  // JSON
  std::string session_id = {};
  std::string request_id = {};
  std::string call_id = {};
  std::string caller = {};
  std::string workspace = {};
};

// What all hooks before a call say together: deny wins, then ask, then allow.
struct BeforeHooks {
  HookVerdict verdict = {};
  std::optional<std::string> updated_input = {};  // JSON, of the last hook that gave one
  std::vector<std::string> problems = {};         // hooks that failed, in words
};

// What all hooks after a call say together.
struct AfterHooks {
  bool withhold = false;  // the model gets `reason` instead of the result
  std::string reason = {};
  std::string added_text = {};  // for the model, after the result
  std::vector<std::string> problems = {};
};

class Hooks {
 public:
  virtual ~Hooks() = default;
  virtual Task<BeforeHooks> before(HookCall call, const Cancel& cancel) = 0;
  virtual Task<AfterHooks> after(HookCall call, std::string result_json, const Cancel& cancel) = 0;
};

}  // namespace toolgate
