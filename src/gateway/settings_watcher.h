// Tells when a settings file may have changed: writes, renames, new files and new folders.
#pragma once

#include <functional>
#include <memory>

#include <boost/asio/io_context.hpp>

#include "gateway/settings.h"

namespace toolgate {

// Calls `changed` on the loop of `context`, 100 ms after the last event of a burst and at most 1 s
// after its first, until destroyed; `changed` may destroy it. Make it before the first load, so
// that no change falls in between, and destroy it on the loop or when the loop does not run.
class SettingsWatcher {
 public:
  SettingsWatcher(boost::asio::io_context& context, const SettingsFiles& files,
                  std::function<void()> changed);
  ~SettingsWatcher();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // pending handlers hold weak pointers
};

}  // namespace toolgate
