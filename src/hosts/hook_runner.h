// Runs the user's hooks: hands each a message about the call, over its standard input or in a POST
// request, and puts together what they answer. The gateway makes one per loop and set of settings;
// ToolsService asks it about every call.
#pragma once

#include <string>
#include <vector>

#include "hosts/hook_settings.h"
#include "invoke/hooks.h"

namespace toolgate {

class HttpClient;
struct HookAnswer;

// Must outlive the calls it is asked about, as must the client, whose loop it runs on.
//
// A program answers with JSON and exit status 0; 2 denies, with what it wrote to its standard error
// as the reason. An endpoint answers with JSON and a 2xx status. Nothing at all says nothing.
// Everything else is a failure, which counts as Hook::on_failure says.
class HookRunner final : public Hooks {
 public:
  HookRunner(HookSettings settings, HttpClient& client);
  ~HookRunner() override;

  // One after the other: each sees the input as those before it have changed it, and a denial is
  // the last word. A cancelled call is denied.
  Task<BeforeHooks> before(HookCall call, const Cancel& cancel) override;
  // The first one that withholds the result is the last one that is told of it.
  Task<AfterHooks> after(HookCall call, std::string result_json, const Cancel& cancel) override;

 private:
  struct Entry;
  static std::vector<Entry> make_entries(std::vector<Hook> hooks);

  HttpClient& client_;
  std::vector<Entry> before_;
  std::vector<Entry> after_;
};

}  // namespace toolgate
