#include "net/child_pipes.h"

#include <array>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/write.hpp>

#include "async/offload.h"
#include "net/socket.h"

namespace toolgate {
namespace {

// How long the end of what it says is awaited once it has ended.
constexpr std::chrono::milliseconds kTailTime{100};
constexpr std::size_t kBlockBytes = 4 << 10;

struct StartedPipes {
  ProcessGroup group;
  Descriptor process;
  Descriptor input;
  Descriptor output;
  Descriptor error;
};

Result<StartedPipes> start_piped(const ChildCommand& command) {
  std::array<Pipe, 3> pipes;
  for (Pipe& pipe : pipes) {
    auto made = make_pipe();
    if (!made) return std::unexpected(made.error());
    pipe = std::move(*made);
  }
  auto& [input, output, error] = pipes;
  auto group = spawn_detached(command, input.read, output.write, error.write);
  if (!group) return std::unexpected(group.error());
  auto process = group->watch();
  if (!process) return std::unexpected(process.error());
  return StartedPipes{std::move(*group), std::move(*process), std::move(input.write),
                      std::move(output.read), std::move(error.read)};
}

std::string describe(const siginfo_t& ending) {
  return ending.si_code == CLD_EXITED ? fmt::format("ended with status {}", ending.si_status)
                                      : fmt::format("was ended by signal {}", ending.si_status);
}

}  // namespace

ChildPipes::ChildPipes(const Executor& executor, ProcessGroup group, std::size_t error_limit)
    : group_(std::move(group)),
      error_limit_(error_limit),
      process_(executor),
      input_(executor),
      output_(executor),
      error_(executor),
      timer_(executor) {}

Task<Result<std::unique_ptr<ChildPipes>>> ChildPipes::start(ChildCommand command,
                                                            const Cancel& cancel) {
  if (auto checked = check_command(command); !checked) co_return std::unexpected(checked.error());
  auto started = co_await offload([&command] { return start_piped(command); }, cancel);
  if (!started) co_return std::unexpected(started.error());
  const Executor executor = co_await asio::this_coro::executor;
  std::unique_ptr<ChildPipes> pipes(
      new ChildPipes(executor, std::move(started->group), command.error_limit));
  for (auto [stream, descriptor] : {std::pair{&pipes->process_, &started->process},
                                    {&pipes->input_, &started->input},
                                    {&pipes->output_, &started->output},
                                    {&pipes->error_, &started->error}})
    if (auto attached = pipes->attach(*stream, std::move(*descriptor)); !attached)
      co_return std::unexpected(attached.error());
  co_return pipes;
}

Result<void> ChildPipes::attach(Stream& to, Descriptor from) {
  error_code error;
  to.assign(from.get(), error);
  if (!error) from.release();
  if (!error) to.non_blocking(true, error);
  if (error) return fail(Errc::Io, "cannot talk to a program: {}", error.message());
  return {};
}

Task<std::size_t> ChildPipes::read(std::span<char> into) {
  const auto [error, size] =
      co_await output_.async_read_some(asio::buffer(into.data(), into.size()), kAwait);
  co_return error ? 0 : size;
}

Task<bool> ChildPipes::write(std::string_view bytes) {
  const auto [error, size] =
      co_await asio::async_write(input_, asio::buffer(bytes.data(), bytes.size()), kAwait);
  co_return !error;
}

Task<> ChildPipes::run_to_end() {
  using namespace asio::experimental::awaitable_operators;
  co_await (notice_end() && keep_errors() && end_when_asked());
  group_.signal(SIGKILL);  // what it started and left
  const auto ending = group_.reap();
  how_ = ending ? describe(*ending) : ending.error().message;
}

void ChildPipes::end(std::chrono::milliseconds grace) {
  grace_ = end_is_wanted_ ? std::min(grace_, grace) : grace;
  end_is_wanted_ = true;
  timer_.cancel();
}

std::string ChildPipes::ending() const {
  return last_words_.empty() ? how_ : fmt::format("{}: {}", how_, last_words_);
}

Task<> ChildPipes::notice_end() {
  co_await process_.async_wait(Stream::wait_read, kAwait);
  process_.close();  // it would be told of the end once more when the program is reaped
  has_ended_ = true;
  timer_.cancel();
}

Task<> ChildPipes::keep_errors() {
  const auto block = std::make_unique<char[]>(kBlockBytes);
  for (;;) {
    const auto [error, size] =
        co_await error_.async_read_some(asio::buffer(block.get(), kBlockBytes), kAwait);
    if (error) co_return;
    last_words_.append(block.get(), size);
    if (last_words_.size() > error_limit_) last_words_.erase(0, last_words_.size() - error_limit_);
  }
}

Task<> ChildPipes::end_when_asked() {
  constexpr auto kEver = Clock::time_point::max();
  const auto ended = [this] { return has_ended_; };
  co_await wait([this] { return has_ended_ || end_is_wanted_; }, kEver);
  if (!has_ended_) {
    error_code ignored;
    input_.close(ignored);
    co_await wait(ended, Clock::now() + grace_);
    if (!has_ended_) group_.signal(SIGTERM);
    co_await wait(ended, Clock::now() + grace_);
    if (!has_ended_) group_.signal(SIGKILL);
    co_await wait(ended, kEver);
  }
  // Something that left the group may hold the pipes: it is not waited for.
  timer_.expires_after(kTailTime);
  co_await timer_.async_wait(kAwait);
  for (Stream* stream : {&error_, &output_, &input_}) {
    error_code ignored;
    stream->close(ignored);
  }
}

// Whatever may make `done` true cancels the timer.
template <class Done>
Task<> ChildPipes::wait(Done done, Clock::time_point latest) {
  while (!done() && Clock::now() < latest) {
    timer_.expires_at(latest);
    co_await timer_.async_wait(kAwait);
  }
}

}  // namespace toolgate
