// Long results of tools as files, <data>/results/<call>.<part>: written once, read by handle, the
// oldest ones removed when they take too much room. Any thread may call it.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

#include "invoke/result_limits.h"

namespace toolgate {

class ResultFiles final : public ResultSpill {
 public:
  static constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;

  explicit ResultFiles(std::filesystem::path folder, std::uintmax_t most_bytes = kMostBytes);

  // The handle: "toolgate://results/<call>.<part>".
  Result<std::string> keep(std::string_view invocation_id, std::size_t part,
                           std::string_view bytes) override;
  void forget(std::string_view invocation_id, std::size_t parts) override;

  struct Slice {
    std::string bytes;
    std::uintmax_t size = 0;  // of all of it
  };
  // `handle` with or without its beginning. At most `limit` bytes from `offset`.
  Result<Slice> read(std::string_view handle, std::uintmax_t offset, std::size_t limit) const;

 private:
  Result<std::filesystem::path> path_of(std::string_view handle) const;
  void make_room();

  const std::filesystem::path folder_;
  const std::uintmax_t most_bytes_;
  std::mutex mutex_;  // of those who write
};

}  // namespace toolgate
