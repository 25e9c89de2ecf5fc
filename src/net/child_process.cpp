#include "net/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include "async/offload.h"
#include "base/descriptor.h"
#include "net/socket.h"
#include "net/spawn.h"

namespace toolgate {
namespace {

using Clock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor>;
using OutputStream = asio::posix::basic_stream_descriptor<Executor>;

// How long the end of the outputs is awaited once the program itself has ended.
constexpr std::chrono::milliseconds kTailTime{200};
constexpr std::size_t kBlockBytes = 16 << 10;
// More than this a pipe does not hold, unless someone with privileges made it larger.
constexpr std::size_t kMostPipeBytes = 1 << 20;

constexpr std::array<std::string_view, 10> kPassedOn{"PATH", "HOME",     "USER", "LOGNAME", "SHELL",
                                                     "LANG", "LANGUAGE", "TZ",   "TMPDIR",  "TERM"};

// The input as a file in memory. A pipe would have to be fed, and a program that does not read it
// would have to be told from one that is slow.
Result<Descriptor> make_input(std::string_view text) {
  if (text.empty()) {
    Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!nothing || !move_above_standard(nothing))
      return fail(Errc::Io, "cannot open /dev/null: {}", system_message(errno));
    return nothing;
  }
  return make_memory_file(text);
}

struct Started {
  ProcessGroup group;
  Descriptor process;  // readable once the program has ended
  Descriptor output;
  Descriptor error;
};

// Waits until the new process has become the program, so never on a loop's thread.
Result<Started> start(const ChildCommand& command) {
  auto input = make_input(command.input);
  if (!input) return std::unexpected(input.error());
  auto output = make_pipe();
  if (!output) return std::unexpected(output.error());
  auto error = make_pipe();
  if (!error) return std::unexpected(error.error());

  auto group = spawn_detached(command, *input, output->write, error->write);
  if (!group) return std::unexpected(group.error());
  auto process = group->watch();
  if (!process) return std::unexpected(process.error());
  return Started{std::move(*group), std::move(*process), std::move(output->read),
                 std::move(error->read)};
}

// One of the two outputs.
struct OutputEnd {
  OutputStream pipe;
  std::size_t limit;
  ChildOutput kept{};
  bool ended = false;

  void keep(std::string_view bytes) {
    const std::size_t room = std::min(limit - kept.text.size(), bytes.size());
    kept.text.append(bytes.substr(0, room));
    kept.dropped += bytes.size() - room;
  }
};

// A program while it runs, on one loop.
class Child {
 public:
  Child(const Executor& executor, ProcessGroup group, const ChildCommand& command)
      : group_(std::move(group)),
        command_(command),
        process_(executor),
        output_{OutputStream(executor), command.output_limit},
        error_{OutputStream(executor), command.error_limit},
        timer_(executor) {}

  Result<void> attach(Started& started) {
    if (auto done = attach(process_, started.process); !done) return done;
    if (auto done = attach(output_.pipe, started.output); !done) return done;
    return attach(error_.pipe, started.error);
  }

  Task<Result<ChildOutcome>> run_to_end(const Cancel& cancel) {
    using namespace asio::experimental::awaitable_operators;
    co_await (notice_end() && collect(output_) && collect(error_) && supervise(cancel));
    const auto ending = group_.reap();
    if (!ending) co_return std::unexpected(ending.error());
    if (cancelled_) co_return fail(Errc::Cancelled, "the request was cancelled");
    co_return make_outcome(*ending);
  }

 private:
  static Result<void> attach(OutputStream& to, Descriptor& from) {
    error_code error;
    to.assign(from.get(), error);
    if (!error) from.release();
    if (!error) to.non_blocking(true, error);
    if (error) return fail(Errc::Io, "cannot watch a program: {}", error.message());
    return {};
  }

  Task<> notice_end() {
    co_await process_.async_wait(OutputStream::wait_read, kAwait);
    has_ended_ = true;
    timer_.cancel();
  }

  Task<> collect(OutputEnd& output) {
    const auto block = std::make_unique<char[]>(kBlockBytes);
    while (!output.ended && !tail_is_over_) {
      const auto [error, size] =
          co_await output.pipe.async_read_some(asio::buffer(block.get(), kBlockBytes), kAwait);
      output.keep({block.get(), size});
      if (&output == &output_) look_at({block.get(), size});
      output.ended = error && error != asio::error::operation_aborted;
    }
    if (!output.ended) take_rest(output, block.get());
    timer_.cancel();
  }

  void look_at(std::string_view piece) {
    if (is_enough_ || piece.empty() || !command_.wants_more || command_.wants_more(piece)) return;
    is_enough_ = true;
    timer_.cancel();
  }

  // What the program itself wrote is in the pipe by now, even if this loop had no time to read it.
  static void take_rest(OutputEnd& output, char* block) {
    for (std::size_t taken = 0; taken < kMostPipeBytes;) {
      error_code error;
      const std::size_t size = output.pipe.read_some(asio::buffer(block, kBlockBytes), error);
      output.ended = error == asio::error::eof;
      if (error) return;
      output.keep({block, size});
      taken += size;
    }
  }

  Task<> supervise(const Cancel& cancel) {
    const CancelHook hook(cancel, [this](CancelReason) { timer_.cancel(); });
    const bool limited = command_.time_limit.count() > 0;
    co_await wait([&] { return has_ended_ || is_enough_ || cancel.requested(); },
                  limited ? Clock::now() + command_.time_limit : Clock::time_point::max());
    if (!has_ended_) {
      cancelled_ = cancel.requested();
      timed_out_ = !cancelled_ && !is_enough_;
      co_await end_group();
    }
    co_await wait([this] { return outputs_have_ended(); }, Clock::now() + kTailTime);
    tail_is_over_ = true;
    output_.pipe.cancel();
    error_.pipe.cancel();
  }

  // Also what the program started and does not wait for: it is no longer wanted either.
  Task<> end_group() {
    group_.signal(SIGTERM);
    co_await wait([this] { return has_ended_ && outputs_have_ended(); },
                  Clock::now() + command_.grace);
    group_.signal(SIGKILL);
    co_await wait([this] { return has_ended_; }, Clock::time_point::max());
  }

  bool outputs_have_ended() const { return output_.ended && error_.ended; }

  // Whatever may make `done` true cancels the timer.
  template <class Done>
  Task<> wait(Done done, Clock::time_point latest) {
    timer_.expires_at(latest);
    while (!done() && Clock::now() < latest) co_await timer_.async_wait(kAwait);
  }

  ChildOutcome make_outcome(const siginfo_t& ending) {
    const bool by_itself = ending.si_code == CLD_EXITED;
    return {.exit_status = by_itself ? ending.si_status : 0,
            .signal = by_itself ? 0 : ending.si_status,
            .timed_out = timed_out_,
            .was_enough = is_enough_,
            .left_behind = !outputs_have_ended(),
            .output = std::move(output_.kept),
            .error = std::move(error_.kept)};
  }

  ProcessGroup group_;
  const ChildCommand& command_;
  OutputStream process_;
  OutputEnd output_;
  OutputEnd error_;
  Timer timer_;
  bool has_ended_ = false;
  bool tail_is_over_ = false;
  bool timed_out_ = false;
  bool cancelled_ = false;
  bool is_enough_ = false;
};

}  // namespace

Task<Result<ChildOutcome>> run_child(ChildCommand command, const Cancel& cancel) {
  if (auto checked = check_command(command); !checked) co_return std::unexpected(checked.error());
  auto started = co_await offload([&command] { return start(command); }, cancel);
  if (!started) co_return std::unexpected(started.error());
  const Executor executor = co_await asio::this_coro::executor;
  Child child(executor, std::move(started->group), command);
  if (auto attached = child.attach(*started); !attached)
    co_return std::unexpected(attached.error());
  co_return co_await child.run_to_end(cancel);
}

std::vector<std::string> make_child_environment(std::span<const std::string> names) {
  std::vector<std::string> environment;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_passed_on =
        name.starts_with("LC_") || std::ranges::find(kPassedOn, name) != kPassedOn.end();
    if (is_passed_on || std::ranges::find(names, name) != names.end())
      environment.emplace_back(text);
  }
  return environment;
}

}  // namespace toolgate
