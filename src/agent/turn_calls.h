// The calls of one round in auto mode: who runs each, how they run beside each other, and what the
// model is told of each. agent/auto_execute makes one per request.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "async/scope.h"
#include "invoke/tools_service.h"
#include "wire/openai_chat.h"
#include "wire/round.h"

namespace toolgate {

// What a call is made with, the same for all of a request.
struct CallSetting {
  ToolsService& tools;
  InvokeContext context;
  std::string request_id = {};
  std::string session_id = {};
  std::string caller = {};
  std::string workspace = {};
  InvokeRequest::Confirm confirm = InvokeRequest::Confirm::Wait;
  Encoding encoding = Encoding::O200kBase;
  std::size_t most_parallel = 16;
  std::size_t most_calls = 1'000;  // of the whole request
  std::size_t most_argument_bytes = 1 << 20;
  std::function<bool(const CatalogTool&)> runs_beside_others;
};

struct MadeCall {
  bool is_clients = false;   // the client must make it
  std::string content = {};  // what the model is told
  std::string report = {};   // for `toolgate.invocations`; empty: there was no call
};

struct CallsOfRound {
  const std::vector<RoundCall>& calls;
  const ChatRequest& request;
  const std::vector<std::uint32_t>& chosen;       // what may be called: indexes in the catalogue
  std::optional<std::size_t> result_tokens = {};  // how long each result may be
  std::function<void(const InvocationPointer&)> told = {};  // hears of every state of every call
};

class TurnCalls {
 public:
  explicit TurnCalls(CallSetting setting) : setting_(std::move(setting)) {}

  // In the order of the calls. Returns when all have ended.
  Task<std::vector<MadeCall>> make(const CallsOfRound& round, const Cancel& cancel);

  // How many calls of the last round were too many.
  std::size_t left_out() const { return left_out_; }
  // The gateway stops, and a call that waits for a person was let go of.
  bool is_stopping() const { return is_stopping_; }
  // Why no more rounds may follow; empty: they may.
  const std::string& stop_reason() const { return stop_reason_; }

 private:
  struct Plan {
    const CatalogTool* tool = nullptr;  // null: nothing runs
    bool beside_others = false;
  };

  Plan plan(const RoundCall& call, const CallsOfRound& round, MadeCall& made);
  bool is_refused(const RoundCall& call, MadeCall& made);
  std::string explain_unknown(std::string_view name, const CallsOfRound& round) const;
  Task<> run(const RoundCall& call, const CatalogTool& tool, const CallsOfRound& round,
             MadeCall& made, const Cancel& cancel);
  Task<> invoke(const RoundCall& call, const CatalogTool& tool, const CallsOfRound& round,
                MadeCall& made, const Cancel& cancel);

  CallSetting setting_;
  std::size_t made_ = 0;  // those of names that no tool has count, too
  std::size_t left_out_ = 0;
  bool is_stopping_ = false;
  std::unordered_map<std::string, std::size_t> repeats_;  // by tool and arguments, as written
  std::string stop_reason_;
};

}  // namespace toolgate
