// agent_bench FOLDER: what auto-execute costs, in process: a scripted model that calls eight tools
// in each of ten rounds, through the journal on this disk, beside the same rounds without calls.
// Prints one line of JSON.
#include <algorithm>
#include <filesystem>
#include <string>
#include <time.h>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

#include "agent/auto_execute.h"
#include "async/loop.h"
#include "net/http_client.h"
#include "store/sqlite_store.h"
#include "toolgate/registry.h"

namespace {

using namespace toolgate;

constexpr std::size_t kRounds = 10;
constexpr std::size_t kCalls = 8;
constexpr int kTurns = 200;

class NoOp final : public Tool {
 public:
  Task<Result<ToolResult>> invoke(const ToolCall&, const Cancel&) override {
    ToolResult result;
    result.content.push_back({.text = "done"});
    co_return result;
  }
};

// Answers whole, at once. With `calls` it calls tools until it has had all its rounds.
class ScriptedModel final : public ChatProvider {
 public:
  explicit ScriptedModel(std::size_t calls) {
    info_.id = "script";
    for (std::size_t round = 0; round <= kRounds; ++round)
      answers_.push_back(make_answer(calls, round));
  }
  const ModelInfo& info() const override { return info_; }

  Task<Result<ProviderReply>> answer(ProviderCall call, const Cancel&) const override {
    ProviderReply reply;
    reply.body = answers_.at(call.request.messages.size() / (kCalls + 1));
    co_return reply;
  }

 private:
  static std::string make_answer(std::size_t count, std::size_t round) {
    json::object message{{"role", "assistant"}, {"content", "One moment."}, {"refusal", nullptr}};
    const bool ends = count == 0 || round >= kRounds;
    if (!ends) {
      std::vector<RoundCall> calls;
      for (std::size_t i = 0; i < count; ++i)
        calls.push_back({fmt::format("call_{}_{}", round, i), "no_op",
                         fmt::format(R"({{"path":"src/file{}.cpp","n":{}}})", round, i)});
      message["tool_calls"] = write_calls(calls);
    }
    return write_json(json::object{
        {"id", "c"},
        {"object", "chat.completion"},
        {"created", 1},
        {"model", "script"},
        {"choices", json::array{json::object{{"index", 0},
                                             {"message", std::move(message)},
                                             {"logprobs", nullptr},
                                             {"finish_reason", ends ? "stop" : "tool_calls"}}}},
        {"usage",
         json::object{{"prompt_tokens", 1}, {"completion_tokens", 1}, {"total_tokens", 2}}}});
  }

  ModelInfo info_;
  std::vector<std::string> answers_;  // by round
};

class CountingSink final : public ChatSink {
 public:
  Task<Result<void>> fail(const ErrorBody& error, const PassedHeaders&) override {
    fmt::print(stderr, "agent_bench: {}\n", error.message);
    std::abort();
  }
  Task<Result<void>> whole(std::string body, const PassedHeaders&) override {
    bytes_ += body.size();
    co_return Result<void>{};
  }
  void begin(const PassedHeaders&) override {}
  Task<Result<void>> write(std::string_view) override { co_return Result<void>{}; }
  Task<Result<void>> end(std::string_view) override { co_return Result<void>{}; }

 private:
  std::size_t bytes_ = 0;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

struct World {
  explicit World(const std::filesystem::path& folder) {
    ToolData data;
    data.id = "no_op";
    data.model_description = "Does nothing.";
    data.input_schema =
        R"({"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}}})";
    data.is_read_only = true;
    registration = registry.add(std::move(data), std::make_shared<NoOp>()).value();
    BookOptions options;
    options.now = [] { return std::int64_t{time(nullptr)} * 1000; };
    ledger = Ledger::open(SqliteStore::open(folder / "agent.db", {}).value(), options).value();
  }

  Registry registry;
  Registration registration;
  std::unique_ptr<Ledger> ledger;
  Loop loop;
  RoundNotes notes;
};

const std::string kBody =
    R"({"model":"script","messages":[{"role":"user","content":"Do nothing, often."}],)"
    R"("tool_execution":"auto","max_tool_rounds":0})";

AutoExecution make_execution(World& world, const ChatProvider& model, ToolsService& service,
                             HttpClient& client) {
  InvokeContext context;
  context.catalog = world.registry.catalog();
  context.approvals = std::make_shared<ApprovalSettings>();
  return {.provider = model,
          .client = client,
          .ledger = *world.ledger,
          .calls = {.tools = service,
                    .context = context,
                    .request_id = "request",
                    .runs_beside_others = [](const CatalogTool&) { return true; }},
          .notes = world.notes,
          .parse = [](std::string_view body) { return parse_chat_request(body); },
          .offer = [](ChatRequest&, TurnReport&,
                      std::vector<std::uint32_t>& chosen) -> Task<Result<void>> {
            chosen = {0};
            co_return Result<void>{};
          }};
}

// Ten rounds without calls are ten requests, and one for the answer.
Task<> run_turns(World& world, const ChatProvider& model, std::size_t requests, int turns) {
  ToolsService service(*world.ledger, world.loop.deadlines(), {});
  HttpClient client(world.loop);
  const auto request = parse_chat_request(kBody).value();
  const CancelSource cancel;
  CountingSink sink;
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t i = 0; i < requests; ++i)
      (void)co_await auto_execute(request, make_execution(world, model, service, client), sink,
                                  cancel);
}

// Milliseconds of CPU per turn.
double measure(const std::filesystem::path& folder, std::size_t calls) {
  World world(folder);
  const ScriptedModel model(calls);
  const double begin = cpu_seconds();
  boost::asio::co_spawn(world.loop.context(),
                        run_turns(world, model, calls == 0 ? kRounds + 1 : 1, kTurns),
                        [](const std::exception_ptr& thrown) {
                          if (thrown) std::rethrow_exception(thrown);
                        });
  world.loop.context().run();
  return (cpu_seconds() - begin) * 1e3 / kTurns;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: agent_bench FOLDER\n");
    return 2;
  }
  const double plain = measure(argv[1], 0);
  const double with_calls = measure(argv[1], kCalls);
  fmt::print(R"({{"rounds":{},"calls":{},"plain_ms":{:.3f},"turn_ms":{:.3f}}})"
             "\n",
             kRounds, kCalls, plain, with_calls);
}
