#include "cli/keyboard.h"

#include <array>
#include <csignal>
#include <deque>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>

namespace toolgate {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

constexpr std::size_t kMostKeys = 16;

// Opened anew, so that waiting for it without blocking changes nothing for those who share it.
int open_terminal(bool input_is_taken) {
  constexpr int kFlags = O_RDONLY | O_NOCTTY | O_CLOEXEC;
  if (isatty(STDIN_FILENO) == 1)
    if (const char* name = ttyname(STDIN_FILENO)) return ::open(name, kFlags);
  return input_is_taken ? ::open("/dev/tty", kFlags) : -1;
}

}  // namespace

struct Keyboard::Impl : std::enable_shared_from_this<Impl> {
  Impl(Loop& loop, int terminal, std::function<void()> wake)
      : descriptor(loop.context(), terminal),
        resumed(loop.context(), SIGCONT),
        woken(std::move(wake)) {}

  void enter() {
    termios now = usual;
    now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    now.c_cc[VMIN] = 1;
    now.c_cc[VTIME] = 0;
    tcsetattr(descriptor.native_handle(), TCSANOW, &now);
  }

  void read_next() {
    if (reading) return;
    reading = true;
    descriptor.async_read_some(asio::buffer(block),
                               [self = weak_from_this()](const ErrorCode& error, std::size_t size) {
                                 if (const auto alive = self.lock()) alive->read_done(error, size);
                               });
  }

  void read_done(const ErrorCode& error, std::size_t size) {
    reading = false;
    if (!listening || (error && error != asio::error::operation_aborted)) return;
    const bool is_key = !error && size == 1;
    if (is_key && keys.size() < kMostKeys) keys.push_back(block[0]);
    read_next();
    if (is_key) woken();
  }

  // After Ctrl-Z and fg the shell has set the terminal as it likes it.
  void watch_resumption() {
    resumed.async_wait([self = weak_from_this()](const ErrorCode& error, int) {
      const auto alive = self.lock();
      if (error || !alive) return;
      if (alive->listening) alive->enter();
      alive->watch_resumption();
      alive->woken();
    });
  }

  asio::posix::stream_descriptor descriptor;
  asio::signal_set resumed;
  std::function<void()> woken;
  termios usual{};
  bool listening = false;
  bool reading = false;
  std::array<char, 256> block{};
  std::deque<char> keys;
};

std::unique_ptr<Keyboard> Keyboard::open(Loop& loop, bool input_is_taken,
                                         std::function<void()> woken) {
  const int terminal = open_terminal(input_is_taken);
  if (terminal < 0) return nullptr;
  auto impl = std::make_shared<Impl>(loop, terminal, std::move(woken));
  if (tcgetattr(terminal, &impl->usual) != 0) return nullptr;
  impl->watch_resumption();
  return std::unique_ptr<Keyboard>(new Keyboard(std::move(impl)));
}

Keyboard::Keyboard(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Keyboard::~Keyboard() {
  rest();
}

void Keyboard::listen() {
  impl_->keys.clear();
  if (impl_->listening) return;
  impl_->listening = true;
  impl_->enter();
  tcflush(impl_->descriptor.native_handle(), TCIFLUSH);
  impl_->read_next();
}

void Keyboard::rest() {
  impl_->keys.clear();
  if (!impl_->listening) return;
  impl_->listening = false;
  ErrorCode ignored;
  impl_->descriptor.cancel(ignored);
  tcsetattr(impl_->descriptor.native_handle(), TCSANOW, &impl_->usual);
}

std::optional<char> Keyboard::take() {
  if (impl_->keys.empty()) return std::nullopt;
  const char key = impl_->keys.front();
  impl_->keys.pop_front();
  return key;
}

struct Interrupts::Impl : std::enable_shared_from_this<Impl> {
  Impl(Loop& loop, std::function<void()> wake)
      : signals(loop.context(), SIGINT, SIGTERM), woken(std::move(wake)) {}

  void wait() {
    signals.async_wait([self = weak_from_this()](const ErrorCode& error, int) {
      const auto alive = self.lock();
      if (error || !alive) return;
      ++alive->count;
      alive->wait();
      alive->woken();
    });
  }

  asio::signal_set signals;
  std::function<void()> woken;
  int count = 0;
};

Interrupts::Interrupts(Loop& loop, std::function<void()> woken)
    : impl_(std::make_shared<Impl>(loop, std::move(woken))) {
  impl_->wait();
}

Interrupts::~Interrupts() = default;

int Interrupts::count() const {
  return impl_->count;
}

void Interrupts::forget(int since) {
  impl_->count = since;
}

}  // namespace toolgate
