#include "base/glob.h"

#include <algorithm>

namespace toolgate {
namespace {

std::size_t next_character(std::string_view text, std::size_t at) {
  do {
    ++at;
  } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}

}  // namespace

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("*?") != pattern.npos;
}

Glob::Glob(std::string_view pattern) {
  for (const char c : pattern)
    if (c != '*' || !pattern_.ends_with('*')) pattern_ += c;
  least_bytes_ = pattern_.size() - static_cast<std::size_t>(std::ranges::count(pattern_, '*'));
  is_plain_ = !has_wildcard(pattern_);
  if (is_plain_) return;
  prefix_ = pattern_.find_first_of("*?");
  suffix_ = pattern_.size() - 1 - pattern_.find_last_of("*?");
  for (std::size_t at = 0; at < pattern_.size();) {
    const std::size_t end = std::min(pattern_.find_first_of("*?", at), pattern_.size());
    if (end - at > run_size_) {
      run_ = at;
      run_size_ = end - at;
    }
    at = end + 1;
  }
  is_one_star_ = prefix_ + 1 + suffix_ == pattern_.size() && pattern_[prefix_] == '*';
}

bool Glob::matches(std::string_view name) const {
  if (is_plain_) return name == pattern_;
  if (name.size() < least_bytes_) return false;
  const std::string_view pattern = pattern_;
  if (!name.starts_with(pattern.substr(0, prefix_))) return false;
  if (!name.ends_with(pattern.substr(pattern.size() - suffix_))) return false;
  if (is_one_star_) return true;
  // Nearly all names fail here.
  return name.contains(pattern.substr(run_, run_size_)) && matches_slowly(name);
}

// Only the last '*' is ever taken back: whatever an earlier one could take, the last one can too.
bool Glob::matches_slowly(std::string_view name) const {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t behind_star = pattern_.npos;
  std::size_t star_end = 0;  // what the '*' takes ends here
  while (at < name.size()) {
    const bool left = in_pattern < pattern_.size();
    if (left && pattern_[in_pattern] == '*') {
      behind_star = ++in_pattern;
      star_end = at;
      if (behind_star == pattern_.size()) return true;
    } else if (left && pattern_[in_pattern] == '?') {
      ++in_pattern;
      at = next_character(name, at);
    } else if (left && pattern_[in_pattern] == name[at]) {
      ++in_pattern;
      ++at;
    } else if (behind_star != pattern_.npos) {
      in_pattern = behind_star;
      star_end = next_character(name, star_end);
      at = star_end;
    } else {
      return false;
    }
  }
  return in_pattern == pattern_.size() ||
         (in_pattern + 1 == pattern_.size() && pattern_.back() == '*');
}

}  // namespace toolgate
