// invoke_bench FOLDER [CALLS]: what calls cost, in process: through the tools service with a tool
// that does nothing, with the journal durable, with the journal but not waiting for the disk, and
// without one; from a decision to the tool's start; and with many calls waiting. Prints one line of
// JSON. With CALLS only so many are made, with the journal but without waiting, for instruction
// counters.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <time.h>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

#include "async/loop.h"
#include "invoke/canonical.h"
#include "invoke/memory_store.h"
#include "invoke/tools_service.h"
#include "store/sqlite_store.h"
#include "toolgate/registry.h"

namespace {

using namespace toolgate;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLoops = 2;
constexpr std::size_t kAtOnce = 128;  // per loop
constexpr std::chrono::seconds kTime{3};
constexpr int kDecisions = 2'000;
constexpr std::size_t kPending = 10'000;

std::atomic<Clock::rep> g_started;

class NoOp final : public Tool {
 public:
  Task<Result<ToolResult>> invoke(const ToolCall&, const Cancel&) override {
    g_started = Clock::now().time_since_epoch().count();
    ToolResult result;
    result.content.push_back({.text = "done"});
    co_return result;
  }
  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall&, const Cancel&) override {
    PreparedCall prepared;
    prepared.confirmation_title = "Do nothing?";
    prepared.confirmation_message = "Nothing will be done, as often as you like.";
    co_return prepared;
  }
};

ToolData no_op_data() {
  ToolData data;
  data.id = "no_op";
  data.reference_name = "noOp";
  data.model_description = "Does nothing with a path, a text and a number.";
  data.input_schema =
      R"({"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"},)"
      R"("n":{"type":"integer"}},"required":["path"]})";
  return data;
}

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double resident_megabytes() {
  std::ifstream status("/proc/self/statm");
  double pages = 0;
  status >> pages >> pages;
  return pages * 4096 / 1e6;
}

// Everything that a call needs, once.
struct World {
  explicit World(std::unique_ptr<Store> store) {
    registration = registry.add(no_op_data(), std::make_shared<NoOp>()).value();
    context.catalog = registry.catalog();
    context.approvals = std::make_shared<ApprovalSettings>();
    BookOptions options;
    options.now = now_ms;
    ledger = Ledger::open(std::move(store), options).value();
  }

  Registry registry;
  Registration registration;
  InvokeContext context;
  std::unique_ptr<Ledger> ledger;
};

// The tool is approved for ever, as a person would have done it.
void remember(Store& store) {
  Registry registry;
  const auto registered = registry.add(no_op_data(), std::make_shared<NoOp>()).value();
  ToolIdentities identities;
  Approval approval;
  approval.id = "apr_bench";
  approval.scope = ApprovalScope::Profile;
  approval.key = approval.tool_id = "no_op";
  approval.definition_hash = identities.of(registry.catalog()->tools.front()).hash;
  approval.by = "bench";
  approval.created_at = approval.last_used_at = now_ms();
  if (!store.begin() || !store.put_approval(approval) || !store.commit()) std::abort();
}

InvokeRequest make_request(std::size_t number) {
  InvokeRequest request;
  request.tool_id = "no_op";
  request.arguments = fmt::format(
      R"({{"path":"/workspace/src/file{}.cpp","text":"some text","n":{}}})", number, number);
  request.request_id = "request";
  request.session_id = "session";
  request.workspace = "/workspace";
  return request;
}

Task<> call_until(World& world, ToolsService& service, Clock::time_point end, std::size_t& calls) {
  const CancelSource cancel;
  while (Clock::now() < end) {
    const auto outcome = co_await service.invoke(make_request(calls), world.context, cancel);
    if (!outcome || outcome->ending != InvokeEnding::Result ||
        outcome->call->state != InvocationState::Completed)
      std::abort();
    ++calls;
  }
}

struct Throughput {
  double per_second = 0;
  double cpu_us = 0;
};

Throughput measure_throughput(std::unique_ptr<Store> store) {
  remember(*store);
  World world(std::move(store));
  const auto begin = Clock::now();
  const double cpu = cpu_seconds();
  std::vector<std::size_t> calls(kLoops);
  std::vector<std::thread> threads;
  for (std::size_t& count : calls)
    threads.emplace_back([&world, &count, end = begin + kTime] {
      Loop loop;
      ToolsService service(*world.ledger, loop.deadlines(), {});
      for (std::size_t i = 0; i < kAtOnce; ++i)
        boost::asio::co_spawn(loop.context(), call_until(world, service, end, count),
                              [](const std::exception_ptr& thrown) {
                                if (thrown) std::rethrow_exception(thrown);
                              });
      loop.context().run();
    });
  for (std::thread& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::size_t all = 0;
  for (const std::size_t count : calls) all += count;
  return {static_cast<double>(all) / seconds,
          (cpu_seconds() - cpu) * 1e6 / static_cast<double>(all)};
}

Task<> call_often(World& world, ToolsService& service, std::size_t calls) {
  const CancelSource cancel;
  for (std::size_t i = 0; i < calls; ++i)
    if (!co_await service.invoke(make_request(i), world.context, cancel)) std::abort();
}

void make_calls(std::unique_ptr<Store> store, std::size_t calls) {
  remember(*store);
  World world(std::move(store));
  Loop loop;
  ToolsService service(*world.ledger, loop.deadlines(), {});
  for (std::size_t i = 0; i < kAtOnce; ++i)
    loop.scope().spawn(call_often(world, service, calls / kAtOnce), "calls");
  boost::asio::co_spawn(loop.context(), loop.scope().drain(), boost::asio::detached);
  loop.context().run();
}

// Whoever waits need not keep the request.
Task<> hold(Task<Result<InvokeOutcome>> call) {
  (void)co_await std::move(call);
}

Task<std::vector<InvocationPointer>> waiting(World& world, std::size_t wanted) {
  InvocationQuery query;
  query.state = InvocationState::WaitingForConfirmation;
  query.limit = wanted;
  for (;;) {
    const auto rows =
        co_await world.ledger->run([query](InvocationBook& book) { return book.list(query); });
    if (rows->size() >= wanted) co_return *rows;
  }
}

Task<> decide_all(World& world, Loop& loop, ToolsService& service, std::vector<double>& times) {
  const CancelSource cancel;
  for (int i = 0; i < kDecisions; ++i) {
    loop.scope().spawn(
        hold(service.invoke(make_request(static_cast<std::size_t>(i)), world.context, cancel)),
        "held");
    const auto rows = co_await waiting(world, 1);
    Confirmation confirmation;
    confirmation.id = rows.front()->id;
    confirmation.by = "bench";
    const auto before = Clock::now().time_since_epoch().count();
    if (!co_await world.ledger->confirm(std::move(confirmation))) std::abort();
    co_await loop.scope().drain();
    times.push_back(static_cast<double>(g_started - before) / 1e6);
  }
}

double at(std::vector<double>& times, double part) {
  std::ranges::sort(times);
  return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
}

std::vector<double> measure_decisions(std::unique_ptr<Store> store) {
  World world(std::move(store));
  Loop loop;
  ToolsService service(*world.ledger, loop.deadlines(), {});
  std::vector<double> times;
  boost::asio::co_spawn(loop.context(), decide_all(world, loop, service, times),
                        [](const std::exception_ptr& thrown) {
                          if (thrown) std::rethrow_exception(thrown);
                        });
  loop.context().run();
  return times;
}

struct Pending {
  double megabytes = 0;
  double list_ms = 0;
};

Task<> pile_up(World& world, Loop& loop, ToolsService& service, Pending& result) {
  CancelSource cancel;
  const double before = resident_megabytes();
  for (std::size_t i = 0; i < kPending; ++i) {
    loop.scope().spawn(hold(service.invoke(make_request(i), world.context, cancel)), "held");
    if (i % kAtOnce == 0) co_await waiting(world, i + 1);
  }
  auto rows = co_await waiting(world, kPending);
  rows.clear();
  result.megabytes = resident_megabytes() - before;
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) {
    const auto begin = Clock::now();
    rows = co_await waiting(world, kPending);
    const Redaction redaction;
    std::string text;
    for (const InvocationPointer& row : rows) text += write_invocation(*row, &redaction);
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  result.list_ms = at(times, 0.5);
  cancel.request(CancelReason::Shutdown);
  co_await loop.scope().drain();
}

Pending measure_pending(std::unique_ptr<Store> store) {
  World world(std::move(store));
  Loop loop;
  ToolsService service(*world.ledger, loop.deadlines(), {});
  Pending result;
  boost::asio::co_spawn(loop.context(), pile_up(world, loop, service, result),
                        [](const std::exception_ptr& thrown) {
                          if (thrown) std::rethrow_exception(thrown);
                        });
  loop.context().run();
  return result;
}

std::unique_ptr<Store> open_sqlite(const std::filesystem::path& file, bool durable) {
  return SqliteStore::open(file, {.durable = durable}).value();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: invoke_bench FOLDER [CALLS]\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  if (argc > 2) {
    make_calls(open_sqlite(folder / "calls.db", false), std::strtoul(argv[2], nullptr, 10));
    return 0;
  }
  const auto pending = measure_pending(open_sqlite(folder / "pending.db", true));
  const auto durable = measure_throughput(open_sqlite(folder / "durable.db", true));
  const auto lazy = measure_throughput(open_sqlite(folder / "lazy.db", false));
  const auto memory = measure_throughput(std::make_unique<MemoryStore>());
  auto times = measure_decisions(open_sqlite(folder / "decisions.db", true));
  fmt::print(
      R"({{"durable_per_second":{:.0f},"durable_cpu_us":{:.2f},"lazy_per_second":{:.0f},)"
      R"("lazy_cpu_us":{:.2f},"memory_per_second":{:.0f},"memory_cpu_us":{:.2f},)"
      R"("start_p50_ms":{:.3f},"start_p99_ms":{:.3f},"pending":{},"pending_megabytes":{:.2f},)"
      R"("list_ms":{:.2f}}})"
      "\n",
      durable.per_second, durable.cpu_us, lazy.per_second, lazy.cpu_us, memory.per_second,
      memory.cpu_us, at(times, 0.5), at(times, 0.99), kPending, pending.megabytes, pending.list_ms);
  return 0;
}
