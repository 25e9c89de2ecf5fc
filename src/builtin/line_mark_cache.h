// Where lines lie in large files that were read lately, so that reading on in one need not count
// its lines from the beginning again. read_file has one.
#pragma once

#include <atomic>
#include <memory>
#include <sys/stat.h>
#include <vector>

#include "builtin/line_reader.h"

namespace toolgate {

// Any thread may use it; of two that keep something at once, one may be forgotten.
class LineMarkCache {
 public:
  // Marks of the file with these facts, if it is the one that they were made from.
  std::shared_ptr<const LineMarks> find(const struct stat& facts) const;
  // Not for a file that was changed a moment ago: another change would not show in its facts.
  void keep(const struct stat& facts, LineMarks marks, std::time_t now);

 private:
  struct Entry {
    struct stat facts;
    std::shared_ptr<const LineMarks> marks;
  };
  using Entries = std::vector<Entry>;

  std::atomic<std::shared_ptr<const Entries>> entries_ = std::make_shared<const Entries>();
};

}  // namespace toolgate
