// Tells when a file that the gateway reads may have changed: settings, tool sets, manifests.
// Writes, renames, new files and new folders count.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace toolgate {

// Calls `changed` on the loop of `context`, 100 ms after the last event of a burst and at most 1 s
// after its first, until destroyed; `changed` may destroy it. Make it before the first load, so
// that no change falls in between, and destroy it on the loop or when the loop does not run.
class FileWatcher {
 public:
  // Which files, asked again after every event. A last step that begins with '*' stands for every
  // name in its folder that ends with the rest.
  using Files = std::function<std::vector<std::filesystem::path>()>;

  FileWatcher(boost::asio::io_context& context, Files files, std::function<void()> changed);
  ~FileWatcher();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // pending handlers hold weak pointers
};

}  // namespace toolgate
