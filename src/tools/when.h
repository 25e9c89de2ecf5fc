// `when` clauses: VS Code's conditions over context keys. Parsed once, kept in normal form, and
// evaluated for every catalogue. The registry calls it for tools; `toolgate doctor` for its faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/context_keys.h"

namespace toolgate {

// A clause beyond these is refused with too_long, too_deep or too_complex.
inline constexpr std::size_t kLongestWhen = 65536;  // bytes
inline constexpr std::size_t kDeepestWhen = 500;    // parentheses within each other
// Terms looked at while it is brought into normal form: distributing && over || may double them
// with every factor.
inline constexpr std::size_t kMostWhenWork = 400'000;

enum class WhenMode : std::uint8_t {
  Strict,   // manifests: a regular expression must be written as one
  Lenient,  // slashes in it are mended, and it may stand in quotes
};

enum class WhenPlatform : std::uint8_t { Linux, Windows, Mac };

struct WhenOptions {
  WhenMode mode = WhenMode::Strict;
  WhenPlatform platform = WhenPlatform::Linux;
};

struct WhenFault {
  std::string_view kind;   // did_you_mean_and, unexpected_token, …: docs/when.md lists them
  std::size_t offset = 0;  // in UTF-16 units
  std::size_t length = 0;  // of the lexeme, too
  std::string lexeme;
  std::string_view hint;  // forgot_and_or, forgot_key, forgot_expression or empty
};

// A sentence for people, with what to do where that is known.
std::string describe(const WhenFault& fault);

struct WhenNode;
class WhenStore;

enum class WhenText : std::uint8_t {
  Exact,    // means the same when it is parsed again
  Classic,  // VS Code's own: no parentheses, bounds without quotes
};

// A parsed clause in normal form. Immutable, cheap to copy, any thread.
class WhenClause {
 public:
  WhenClause(std::shared_ptr<WhenStore> store, const WhenNode* root)
      : store_(std::move(store)), root_(root) {}

  bool holds(const ContextKeys& context) const;
  std::string text(WhenText style = WhenText::Exact) const;
  // Never fails: where the normal form would grow beyond kMostWhenWork it stays `!(…)`.
  WhenClause negated() const;
  // Whether it provably implies the other one; false may mean "not known".
  bool implies(const WhenClause& other) const;
  // In order, duplicates kept.
  std::vector<std::string> keys() const;

 private:
  std::shared_ptr<WhenStore> store_;  // owns the nodes
  const WhenNode* root_;
};

// Without a clause, always.
inline bool holds(const std::optional<WhenClause>& clause, const ContextKeys& context) {
  return !clause || clause->holds(context);
}

struct ParsedWhen {
  std::optional<WhenClause> clause;  // nothing when there are parsing faults
  std::vector<WhenFault> lexing_faults;
  std::vector<WhenFault> parsing_faults;

  // The first fault of the list that decides: lexing ones if there are any.
  const WhenFault* first_fault() const;
};

ParsedWhen parse_when(std::string_view text, const WhenOptions& options = {});

}  // namespace toolgate
