// JavaScript's regular expressions as `when` clauses have them: with flags, and mostly without `u`,
// so with the leniency of ECMA-262's Annex B. when_parser.cpp makes them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "schema/pattern.h"

namespace toolgate {

struct WhenRegex {
  std::string source;  // as JavaScript would show it: slashes and line breaks escaped
  std::string flags;   // in alphabetical order
  std::shared_ptr<const Pattern> pattern;

  bool matches(std::string_view text) const;
};

// Compiled once for all clauses that have it. An error is a syntax error to JavaScript, or one of
// the few things that PCRE2 cannot do (docs/when.md).
Result<std::shared_ptr<const WhenRegex>> make_when_regex(std::string_view pattern,
                                                         std::string_view flags);

struct RegexFlags {
  bool ignore_case = false;
  bool multi_line = false;
  bool dot_all = false;
  bool unicode = false;
};
// The same expression for PCRE2; an error where JavaScript has one.
Result<std::string> translate_javascript_regex(std::string_view pattern, const RegexFlags& flags);

}  // namespace toolgate
