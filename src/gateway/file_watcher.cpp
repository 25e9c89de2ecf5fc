// inotify on folders, never on files: editors save by renaming, and a file or its folder may appear
// later. Which folders, and which names in them, is worked out anew after every event.
#include "gateway/file_watcher.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <sys/inotify.h>
#include <system_error>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/log.h"

namespace toolgate {
namespace {

namespace asio = boost::asio;
using std::filesystem::path;

constexpr std::chrono::milliseconds kQuiet{100};
constexpr std::chrono::milliseconds kMostDelay{1000};
constexpr int kMostLinks = 40;
constexpr std::uint32_t kFolderGone = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT;
constexpr std::uint32_t kWatched = IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE |
                                   IN_MOVED_FROM | IN_MOVED_TO | kFolderGone | IN_ONLYDIR;

using NamesByFolder = std::map<path, std::set<std::string>>;

// Adds the places where a change can make `file` another file: the last two steps of its path (the
// file, and its folder, which may be replaced), every symbolic link on the way, and the first step
// that does not exist.
void add_places(const path& file, NamesByFolder& places) {
  std::error_code error;
  const auto whole = std::filesystem::absolute(file, error);
  if (error) return;
  path folder = whole.root_path();
  std::deque<path> steps(whole.begin(), whole.end());
  for (int links = 0; !steps.empty();) {
    const path step = steps.front();
    steps.pop_front();
    if (step.empty() || step == "." || step == whole.root_path()) continue;
    if (step == "..") {
      folder = folder.parent_path();
      continue;
    }
    const auto status = std::filesystem::symlink_status(folder / step, error);
    const bool link = std::filesystem::is_symlink(status);
    if (link || steps.size() < 2 || !std::filesystem::exists(status))
      places[folder].insert(step.string());
    if (!link) {
      if (!std::filesystem::is_directory(status)) return;
      folder /= step;
      continue;
    }
    const auto target = std::filesystem::read_symlink(folder / step, error);
    if (error || ++links > kMostLinks) return;
    if (target.is_absolute()) folder = target.root_path();
    steps.insert(steps.begin(), target.begin(), target.end());
  }
}

bool is_among(const std::set<std::string>& names, std::string_view name) {
  return std::ranges::any_of(names, [&](std::string_view known) {
    return known.starts_with('*') ? name.ends_with(known.substr(1)) : name == known;
  });
}

}  // namespace

struct FileWatcher::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& context, Files list_files, std::function<void()> call)
      : files(std::move(list_files)),
        changed(std::move(call)),
        descriptor(context),
        timer(context) {}

  void start() {
    const int opened = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (opened < 0) {
      log(LogLevel::Warn, "changes of files will not be noticed: {}",
          std::generic_category().message(errno));
      return;
    }
    descriptor.assign(opened);
    watch_places();
    wait_for_events();
  }

  void stop() {
    stopped = true;
    timer.cancel();
    boost::system::error_code ignored;
    descriptor.close(ignored);
  }

  void wait_for_events() {
    descriptor.async_wait(asio::posix::descriptor_base::wait_read,
                          [weak = weak_from_this()](boost::system::error_code error) {
                            const auto self = weak.lock();
                            if (!self || self->stopped || error) return;
                            self->take_events();
                            self->wait_for_events();
                          });
  }

  void take_events() {
    bool concerned = false;
    alignas(inotify_event) std::array<char, 16 << 10> block;
    for (;;) {
      const auto size = ::read(descriptor.native_handle(), block.data(), block.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) break;
      for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
        const auto* event = reinterpret_cast<const inotify_event*>(block.data() + at);
        concerned = concerns_us(*event) || concerned;
        at += sizeof(inotify_event) + event->len;
      }
    }
    if (!concerned) return;
    watch_places();
    delay_call();
  }

  bool concerns_us(const inotify_event& event) const {
    if (event.mask & IN_Q_OVERFLOW) return true;
    const auto folder = names_by_watch.find(event.wd);
    if (folder == names_by_watch.end()) return false;
    if (event.mask & kFolderGone) return true;
    return event.len > 0 && is_among(folder->second, event.name);
  }

  // What happened before a new folder was watched is not lost: the call is still to come.
  void watch_places() {
    NamesByFolder places;
    for (const auto& file : files()) add_places(file, places);
    std::map<int, std::set<std::string>> next;
    for (auto& [folder, names] : places) {
      const int watch = ::inotify_add_watch(descriptor.native_handle(), folder.c_str(), kWatched);
      if (watch >= 0) {
        next[watch].merge(names);
      } else if (errno != ENOENT && errno != ENOTDIR) {
        log(LogLevel::Warn, "changes in {} will not be noticed: {}", folder.string(),
            std::generic_category().message(errno));
      }
    }
    for (const auto& [watch, names] : names_by_watch)
      if (!next.contains(watch)) ::inotify_rm_watch(descriptor.native_handle(), watch);
    names_by_watch = std::move(next);
  }

  void delay_call() {
    const auto now = asio::steady_timer::clock_type::now();
    if (!first_event) first_event = now;
    timer.expires_at(std::min(now + kQuiet, *first_event + kMostDelay));
    timer.async_wait([weak = weak_from_this()](boost::system::error_code error) {
      const auto self = weak.lock();
      if (!self || self->stopped || error) return;
      self->first_event.reset();
      self->watch_places();
      // The loop this runs on serves signals too: nothing may end it.
      try {
        self->changed();
      } catch (const std::exception& failure) {
        log(LogLevel::Error, "changed files could not be read: {}", failure.what());
      }
    });
  }

  const Files files;
  const std::function<void()> changed;
  asio::posix::stream_descriptor descriptor;
  asio::steady_timer timer;
  std::map<int, std::set<std::string>> names_by_watch;
  std::optional<asio::steady_timer::time_point> first_event;
  bool stopped = false;
};

FileWatcher::FileWatcher(boost::asio::io_context& context, Files files,
                         std::function<void()> changed)
    : impl_(std::make_shared<Impl>(context, std::move(files), std::move(changed))) {
  impl_->start();
}

FileWatcher::~FileWatcher() {
  impl_->stop();
}

}  // namespace toolgate
