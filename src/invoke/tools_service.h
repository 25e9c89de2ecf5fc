// The tools service: the way of one call from what the model wrote to what the model is told.
// Validated, prepared, decided about, journalled, run, looked at again, and journalled. One per
// loop; the endpoints and the agent call it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "async/deadline.h"
#include "base/metrics.h"
#include "base/span.h"
#include "invoke/hooks.h"
#include "invoke/ledger.h"
#include "invoke/result_limits.h"
#include "invoke/running_call.h"
#include "invoke/tool_identity.h"
#include "tokens/encoding.h"
#include "toolgate/catalog.h"

namespace toolgate {

struct InvokeRequest {
  std::string tool_id = {};
  std::string call_id = {};         // the model's name for the call; empty: one is made
  std::string stream_call_id = {};  // of begin_tool_call(), where it was another one
  std::string arguments = {};       // JSON, as the model wrote it
  std::string request_id = {};
  std::string session_id = {};
  std::string caller = {};
  std::string workspace = {};
  std::string query = {};  // what the person asked, for tools that complete their input
  std::optional<std::size_t> token_budget = {};
  Encoding encoding = Encoding::O200kBase;
  // When a person must be asked.
  enum class Confirm : std::uint8_t { Wait, Deny, Return } confirm = Confirm::Wait;
  std::shared_ptr<const Decision> pre_approved = {};  // by whoever calls
  std::shared_ptr<const BeforeHooks> hooks = {};      // already asked; null: they are asked here
  // Told of each state of the call, on its loop.
  std::function<void(const InvocationPointer&)> watch = {};
  bool without_chat = false;  // no session belongs to it, and none is looked for
};

// As the request that this call belongs to sees the world.
struct InvokeContext {
  std::shared_ptr<const Catalog> catalog = {};
  std::shared_ptr<const ApprovalSettings> approvals = {};
  std::chrono::milliseconds tool_time{600'000};  // 0: no limit
  ResultLimits results = {};
  std::shared_ptr<const EditPlaces> places = {};  // for edits of files; null: there are none
  const Span* span = nullptr;                     // what its calls are part of; null: none
};

enum class InvokeEnding : std::uint8_t {
  Result,     // the tool ran; it may say that it failed
  Denied,     // by a person, a rule or a hook
  Skipped,    // a person goes on without it
  Withheld,   // it ran, and a person keeps the result back
  Returned,   // someone must be asked, and the caller wants to do that
  TimedOut,   // nobody decided, or the tool took too long
  Cancelled,  // whoever asked stopped it, or the gateway ends
  Failed,     // the tool could not be run
};
std::string_view name_of(InvokeEnding ending);

struct InvokeOutcome {
  InvokeEnding ending = InvokeEnding::Result;
  InvocationPointer call = {};  // null: refused before there was one
  // What the model is told, whatever happened: a sentence where there is no result.
  ToolResult result = {};
  std::shared_ptr<const Question> question = {};  // null where a person was asked
};

// What a session is to a call.
struct ChatSession {
  SessionFacts facts;
  bool request_open = true;  // false: it was cancelled, or it has its answer
};

// What the service asks of those around it. Each may be left out.
struct InvokeSurroundings {
  std::shared_ptr<Hooks> hooks = {};
  // An error: there is no such session, or no such request in it.
  std::function<Result<ChatSession>(const InvokeRequest&)> session;
  std::function<std::optional<ContributedDecision>(std::string_view tool_id, ApprovalSide side)>
      contribution;
  // Tells whoever could bring an implementation that one is wanted, and gives the catalogue with
  // it.
  std::function<Task<std::shared_ptr<const Catalog>>(std::string_view tool_id)> activate;
  // The newest catalogue: what was confirmed must still be what there is.
  std::function<std::shared_ptr<const Catalog>()> newest;
  // Consent to chat.tools.global.autoApprove, asked for when it would decide and is not given.
  std::function<Task<bool>()> ask_global_opt_in;
  bool policy_forbids_auto_approve = false;
  // Rates a call that nobody would be asked about.
  std::function<Task<Result<RiskFacts>>(const InvokeRequest&)> rate_risk;
  // prepare() takes longer than people would think.
  std::function<void(std::string_view tool_id)> slow_prepare;
  ResultSpill* spill = nullptr;
  Metrics* metrics = nullptr;
  const Redaction* redaction = nullptr;  // for spans, which have no content without it
};

class ToolsService {
 public:
  ToolsService(Ledger& ledger, Deadlines& deadlines, InvokeSurroundings surroundings);
  ~ToolsService();

  Deadlines& deadlines() { return deadlines_; }
  // From now on; calls under way keep those they began with.
  void set_hooks(std::shared_ptr<Hooks> hooks) { surroundings_.hooks = std::move(hooks); }

  // An Error: there was no call, because the tool, its input or its session is not as it must be.
  Task<Result<InvokeOutcome>> invoke(InvokeRequest request, InvokeContext context,
                                     const Cancel& cancel);
  // Runs a call that was approved when nobody waited for it, with what was shown then.
  Task<Result<InvokeOutcome>> resume(std::string id, InvokeContext context, const Cancel& cancel);
  // What would happen to such a call, without making it.
  Task<Result<Verdict>> explain(InvokeRequest request, InvokeContext context, const Cancel& cancel);

  // The model has begun to write a call. Nothing when the tool is unknown, or does not want to see
  // partial input and `force` is not set.
  const Invocation* begin_tool_call(const InvokeContext& context, std::string_view tool_id,
                                    const std::string& call_id, const std::string& request_id,
                                    bool force);
  // Unknown calls are ignored.
  void update_tool_stream(const InvokeContext& context, const std::string& call_id,
                          const std::string& partial_input);
  bool is_streaming(const std::string& call_id) const { return streaming_.contains(call_id); }

  // The gateway stops: calls that wait for a person are let go of, now and from now on. They stay
  // in the book, for whoever decides after the restart.
  void stop_waiting();

  // All calls of a request, waiting or running.
  void cancel_request(std::string_view request_id, CancelReason reason);

 private:
  struct Streaming {
    std::string tool_id = {};
    std::string request_id = {};
    Invocation invocation;
  };
  // What a running call must know of its request beside its row.
  struct CallLimits {
    std::optional<std::size_t> token_budget = {};
    Encoding encoding = Encoding::O200kBase;
  };
  // Registers a call with its request while it lives.
  class RequestEntry;

  Result<ChatSession> session_of(const InvokeRequest& request) const;
  Task<BeforeHooks> ask_hooks(const InvokeRequest& request, const CatalogTool* tool,
                              const Cancel& cancel);
  Task<Result<const CatalogTool*>> find_runnable(const InvokeRequest& request,
                                                 InvokeContext& context);
  Task<Result<std::unique_ptr<Proposal>>> make_ready(const InvokeRequest& request,
                                                     InvokeContext& context,
                                                     const ChatSession& session,
                                                     const CatalogTool& tool, BeforeHooks hooks,
                                                     const Cancel& cancel);
  Task<Result<std::optional<PreparedCall>>> prepare(const InvokeRequest& request, Tool& tool,
                                                    const ToolCall& call, const Cancel& cancel);
  CallFacts make_facts(const InvokeRequest& request, const InvokeContext& context,
                       const ChatSession& session, const CatalogTool& tool, const ToolCall& call);
  Task<> ask_opt_in(CallFacts& facts);
  Task<> rate_risk(const InvokeRequest& request, CallFacts& facts);
  Task<Result<InvokeOutcome>> propose_and_run(std::unique_ptr<InvokeRequest> request,
                                              InvokeContext context, const Cancel& cancel);
  // Null: all is well.
  Task<std::unique_ptr<Error>> propose(std::unique_ptr<InvokeRequest> owned, InvokeContext& context,
                                       RunningCall& running, InvokeOutcome& outcome);
  Task<> run(RunningCall& running, const InvokeContext& context, CallLimits limits,
             InvokeOutcome& outcome);
  Task<> run_tool(RunningCall& running, const InvokeContext& context, CallLimits limits,
                  InvokeOutcome& outcome);
  Task<> shape(RunningCall& running, const InvokeContext& context, CallLimits limits,
               ToolResult& result);
  Task<> ask_after_hooks(RunningCall& running, std::string reference_name, InvokeOutcome& outcome);
  Task<> record_ending(RunningCall& running, InvokeOutcome& outcome);
  Task<> wait_for_result_approval(RunningCall& running, InvokeOutcome& outcome);
  Result<const CatalogTool*> find_unchanged(const InvocationRow& row, const Catalog& catalog);

  Ledger& ledger_;
  Deadlines& deadlines_;
  InvokeSurroundings surroundings_;
  ToolIdentities identities_;
  std::unordered_map<std::string, Streaming> streaming_;        // by the model's call id
  std::unordered_multimap<std::string, RunningCall*> running_;  // by request id
  bool stopping_ = false;
};

}  // namespace toolgate
