// See when_regex.h. What was compiled is shared: many tools have the same expression.
#include "tools/when_regex.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "base/json_number.h"
#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostRemembered = 512;
constexpr std::size_t kLongestTranslated = 262'144;
constexpr std::string_view kKnownFlags = "dimsuv";
constexpr std::string_view kLineSeparator = "\u2028";
constexpr std::string_view kParagraphSeparator = "\u2029";

class RegexMemory {
 public:
  using Regex = std::shared_ptr<const WhenRegex>;

  Regex find(std::string_view pattern, std::string_view flags) {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = regexes_.equal_range(hash(pattern));
    const auto found = std::find_if(first, last, [&](const auto& entry) {
      return entry.second->pattern->source() == pattern && entry.second->flags == flags;
    });
    return found == last ? nullptr : found->second;
  }
  void add(std::string_view pattern, Regex regex) {
    const std::lock_guard lock(mutex_);
    if (regexes_.size() >= kMostRemembered) regexes_.clear();
    regexes_.emplace(hash(pattern), std::move(regex));
  }

 private:
  static std::uint64_t hash(std::string_view pattern) { return hash_text(pattern, hash_seed()); }

  std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, Regex> regexes_;
};

RegexMemory& memory() {
  static RegexMemory made;
  return made;
}

// What stands for a line break in a literal, with the length of the break; empty elsewhere.
std::pair<std::string_view, std::size_t> escaped_break(std::string_view text) {
  if (text[0] == '\n') return {"n", 1};
  if (text[0] == '\r') return {"r", 1};
  if (text.starts_with(kLineSeparator)) return {"u2028", kLineSeparator.size()};
  if (text.starts_with(kParagraphSeparator)) return {"u2029", kParagraphSeparator.size()};
  return {{}, 1};
}

std::string source_of(std::string_view pattern) {
  if (pattern.empty()) return "(?:)";
  std::string source;
  bool escaped = false;
  bool in_class = false;
  while (!pattern.empty()) {
    const char c = pattern[0];
    const auto [line_break, length] = escaped_break(pattern);
    if (!escaped && (!line_break.empty() || (c == '/' && !in_class))) source += '\\';
    source += line_break.empty() ? pattern.substr(0, 1) : line_break;
    if (!escaped && c == '[') in_class = true;
    if (!escaped && c == ']') in_class = false;
    escaped = !escaped && c == '\\';
    pattern.remove_prefix(length);
  }
  return source;
}

bool are_flags(std::string_view sorted) {
  return std::ranges::adjacent_find(sorted) == sorted.end() &&
         sorted.find_first_not_of(kKnownFlags) == sorted.npos &&
         !(sorted.contains('u') && sorted.contains('v'));
}

}  // namespace

bool WhenRegex::matches(std::string_view text) const {
  // Values are short; a clause that takes longer would hold up the whole catalogue.
  constexpr std::uint32_t kMostUnits = 200'000;
  return is_valid_utf8(text) && pattern->match(text, kMostUnits) == Pattern::Outcome::Match;
}

Result<std::shared_ptr<const WhenRegex>> make_when_regex(std::string_view pattern,
                                                         std::string_view flags) {
  std::string sorted(flags);
  std::ranges::sort(sorted);
  if (!are_flags(sorted)) return fail(Errc::InvalidRequest, "invalid flags '{}'", flags);
  if (auto known = memory().find(pattern, sorted)) return known;
  const auto translated = translate_javascript_regex(
      pattern, {.ignore_case = sorted.contains('i'),
                .multi_line = sorted.contains('m'),
                .dot_all = sorted.contains('s'),
                .unicode = sorted.contains('u') || sorted.contains('v')});
  if (!translated) return std::unexpected(translated.error());
  if (translated->size() > kLongestTranslated)
    return fail(Errc::TooLarge, "the regular expression is too large");
  auto compiled = Pattern::make_translated(pattern, *translated);
  if (!compiled) return std::unexpected(compiled.error());
  auto made = std::make_shared<const WhenRegex>(
      WhenRegex{.source = source_of(pattern), .flags = sorted, .pattern = std::move(*compiled)});
  memory().add(pattern, made);
  return made;
}

}  // namespace toolgate
