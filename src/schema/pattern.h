// Regular expressions of JSON Schema (ECMA-262 with the `u` flag) run by PCRE2 under limits, so
// that no pattern can hang a check. compile.cpp makes them; a Pattern may be used by many threads.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/error.h"

namespace toolgate {

// The same expression in PCRE2's dialect. The error says what ECMA-262 does not know. Unless
// `strict`, Python's `(?i)` and `(?P<name>…)` pass too: real schemas have them.
Result<std::string> translate_pattern(std::string_view ecma, bool strict = false);

class Pattern {
 public:
  static Result<std::shared_ptr<const Pattern>> make(std::string_view ecma, bool strict = false);
  // From an expression that is PCRE2's already; `source` is what source() says.
  static Result<std::shared_ptr<const Pattern>> make_translated(std::string_view source,
                                                                std::string_view translated);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  enum class Outcome { Match, NoMatch, Exhausted };
  static constexpr std::uint32_t kMostUnits = 8'000'000;
  // Whether it matches anywhere in `text` (valid UTF-8). Exhausted: it takes more than `units` of
  // PCRE2's match limit, which mostly take some 2 ns each but may take a look at the whole text.
  Outcome match(std::string_view text, std::uint32_t units = kMostUnits) const;

  std::string_view source() const { return source_; }
  std::size_t bytes() const;  // what it takes in memory, without its machine code

 private:
  Pattern(std::string_view source, void* code) : source_(source), code_(code) {}

  std::string source_;
  void* code_;  // pcre2_code
  mutable std::once_flag translated_to_machine_code_;
};

}  // namespace toolgate
