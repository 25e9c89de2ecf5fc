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
constexpr std::size_t kMostText = std::size_t{4} << 20;

// Opened anew, so that waiting for it without blocking changes nothing for those who share it.
int open_terminal(bool input_is_taken) {
  constexpr int kFlags = O_RDONLY | O_NOCTTY | O_CLOEXEC;
  if (isatty(STDIN_FILENO) == 1)
    if (const char* name = ttyname(STDIN_FILENO)) return ::open(name, kFlags);
  return input_is_taken ? ::open("/dev/tty", kFlags) : -1;
}

}  // namespace

struct Keyboard::Impl : std::enable_shared_from_this<Impl> {
  enum class Mode { Rest, Keys, Text };

  Impl(Loop& loop, int terminal, std::function<void()> wake)
      : descriptor(loop.context(), terminal),
        changed(loop.context(), SIGCONT, SIGWINCH),
        woken(std::move(wake)) {}

  void enter() {
    termios now = usual;
    now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
    now.c_cc[VQUIT] = _POSIX_VDISABLE;  // or it would end us with the terminal like this
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
    if (mode == Mode::Rest) return;
    if (error && error != asio::error::operation_aborted) {
      gone = true;
      woken();
      return;
    }
    const bool is_taken = !error && take_block(size);
    read_next();
    if (is_taken) woken();
  }

  bool take_block(std::size_t size) {
    if (mode == Mode::Text) {
      text.append(block.data(), std::min(size, kMostText - std::min(kMostText, text.size())));
      return true;
    }
    if (size == 1 && keys.size() < kMostKeys) keys.push_back(block[0]);
    return size == 1;
  }

  // After Ctrl-Z and fg the shell has set the terminal as it likes it.
  void watch_window() {
    changed.async_wait([self = weak_from_this()](const ErrorCode& error, int signal) {
      const auto alive = self.lock();
      if (error || !alive) return;
      if (signal == SIGCONT && alive->mode != Mode::Rest) alive->enter();
      ++alive->window_changes;
      alive->watch_window();
      alive->woken();
    });
  }

  void listen_in(Mode next) {
    if (std::exchange(mode, next) == Mode::Rest) enter();
    if (next == Mode::Keys) {
      keys.clear();
      text.clear();
      tcflush(descriptor.native_handle(), TCIFLUSH);
    }
    read_next();
  }

  asio::posix::stream_descriptor descriptor;
  asio::signal_set changed;
  std::function<void()> woken;
  termios usual{};
  Mode mode = Mode::Rest;
  bool reading = false;
  bool gone = false;
  int window_changes = 0;
  std::array<char, 4096> block{};
  std::deque<char> keys;
  std::string text;
};

std::unique_ptr<Keyboard> Keyboard::open(Loop& loop, bool input_is_taken,
                                         std::function<void()> woken) {
  const int terminal = open_terminal(input_is_taken);
  if (terminal < 0) return nullptr;
  auto impl = std::make_shared<Impl>(loop, terminal, std::move(woken));
  if (tcgetattr(terminal, &impl->usual) != 0) return nullptr;
  impl->watch_window();
  return std::unique_ptr<Keyboard>(new Keyboard(std::move(impl)));
}

Keyboard::Keyboard(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Keyboard::~Keyboard() {
  rest();
}

void Keyboard::listen() {
  impl_->listen_in(Impl::Mode::Keys);
}

void Keyboard::listen_to_text() {
  impl_->listen_in(Impl::Mode::Text);
}

void Keyboard::rest() {
  impl_->keys.clear();
  if (std::exchange(impl_->mode, Impl::Mode::Rest) == Impl::Mode::Rest) return;
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

std::string Keyboard::take_text() {
  return std::exchange(impl_->text, {});
}

void Keyboard::put_back(std::string_view text) {
  impl_->text.insert(0, text);
}

bool Keyboard::is_gone() const {
  return impl_->gone;
}

int Keyboard::window_changes() const {
  return impl_->window_changes;
}

struct Interrupts::Impl : std::enable_shared_from_this<Impl> {
  Impl(Loop& loop, std::function<void()> wake)
      : signals(loop.context(), SIGINT, SIGTERM), woken(std::move(wake)) {}

  void wait() {
    signals.async_wait([self = weak_from_this()](const ErrorCode& error, int signal) {
      const auto alive = self.lock();
      if (error || !alive) return;
      ++alive->count;
      alive->is_told_to_end = alive->is_told_to_end || signal == SIGTERM;
      alive->wait();
      alive->woken();
    });
  }

  asio::signal_set signals;
  std::function<void()> woken;
  int count = 0;
  bool is_told_to_end = false;
};

Interrupts::Interrupts(Loop& loop, std::function<void()> woken)
    : impl_(std::make_shared<Impl>(loop, std::move(woken))) {
  impl_->wait();
}

Interrupts::~Interrupts() = default;

int Interrupts::count() const {
  return impl_->count;
}

bool Interrupts::is_told_to_end() const {
  return impl_->is_told_to_end;
}

void Interrupts::forget(int since) {
  impl_->count = since;
}

}  // namespace toolgate
