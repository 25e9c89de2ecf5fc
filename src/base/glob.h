// Patterns over names: '*' stands for any run of characters, '?' for one character; '/' is nothing
// special. Used by the allow and deny lists, the include/exclude filter and GET /v1/tools?name=.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace toolgate {

bool has_wildcard(std::string_view pattern);

class Glob {
 public:
  explicit Glob(std::string_view pattern);

  // Case-sensitive; a character is a code point of UTF-8, and a stray byte counts as one. One pass
  // in practice, never more than the product of both lengths.
  bool matches(std::string_view name) const;

  // Runs of '*' are one '*' here.
  const std::string& pattern() const { return pattern_; }

 private:
  bool matches_slowly(std::string_view name) const;

  std::string pattern_;
  std::size_t prefix_ = 0;  // so many bytes at both ends are no wildcards
  std::size_t suffix_ = 0;
  std::size_t least_bytes_ = 0;  // that a matching name has
  std::size_t run_ = 0;          // where the longest run without wildcards begins
  std::size_t run_size_ = 0;
  bool is_plain_ = false;
  bool is_one_star_ = false;  // that is all between the ends
};

}  // namespace toolgate
