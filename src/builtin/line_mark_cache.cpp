#include "builtin/line_mark_cache.h"

#include <algorithm>

namespace toolgate {
namespace {

constexpr std::size_t kMostFiles = 16;
constexpr std::size_t kMostMarks = 64 << 10;  // of one file: 16 GB of it
constexpr std::time_t kSettledSeconds = 2;

bool is_same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool is_same_moment(const timespec& one, const timespec& other) {
  return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

bool is_unchanged(const struct stat& one, const struct stat& other) {
  return is_same_file(one, other) && one.st_size == other.st_size &&
         is_same_moment(one.st_mtim, other.st_mtim) && is_same_moment(one.st_ctim, other.st_ctim);
}

}  // namespace

std::shared_ptr<const LineMarks> LineMarkCache::find(const struct stat& facts) const {
  const auto entries = entries_.load();
  const auto found = std::ranges::find_if(
      *entries, [&](const Entry& entry) { return is_unchanged(entry.facts, facts); });
  return found == entries->end() ? nullptr : found->marks;
}

void LineMarkCache::keep(const struct stat& facts, LineMarks marks, std::time_t now) {
  if (marks.empty() || marks.size() > kMostMarks) return;
  if (std::max(facts.st_mtim.tv_sec, facts.st_ctim.tv_sec) + kSettledSeconds > now) return;
  auto entries = std::make_shared<Entries>();
  entries->push_back({facts, std::make_shared<const LineMarks>(std::move(marks))});
  for (const Entry& entry : *entries_.load())
    if (!is_same_file(entry.facts, facts) && entries->size() < kMostFiles)
      entries->push_back(entry);
  entries_.store(std::move(entries));
}

}  // namespace toolgate
