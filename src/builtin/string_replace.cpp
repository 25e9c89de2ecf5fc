#include "builtin/string_replace.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "builtin/trimmed.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostPlaces = 10;  // that an error names
constexpr std::size_t kMostCounted = 100;
constexpr std::size_t kMostLinesCompared = 20'000;  // for a hint
constexpr std::size_t kMostLinesOfPiece = 1'000;
constexpr std::size_t kHintBytes = 120;

std::size_t line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
}

// memmem(): its time grows with the text, whatever stands in it.
std::vector<std::size_t> find_all(std::string_view text, std::string_view piece) {
  std::vector<std::size_t> places;
  const char* at = text.data();
  while (places.size() < kMostCounted) {
    const auto left = static_cast<std::size_t>(text.data() + text.size() - at);
    const void* found = ::memmem(at, left, piece.data(), piece.size());
    if (!found) break;
    at = static_cast<const char*>(found);
    places.push_back(static_cast<std::size_t>(at++ - text.data()));
  }
  return places;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t feed = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, feed - at));
    at = feed + 1;
  }
  return lines;
}

// Where all lines are those of `piece` but for blanks at their ends: the first such line.
std::optional<std::size_t> find_but_for_blanks(const std::vector<std::string_view>& lines,
                                               std::string_view piece) {
  std::vector<std::string_view> wanted;
  for (const std::string_view line : lines_of(piece)) wanted.push_back(trimmed(line));
  while (!wanted.empty() && wanted.back().empty()) wanted.pop_back();
  while (!wanted.empty() && wanted.front().empty()) wanted.erase(wanted.begin());
  if (wanted.empty() || wanted.size() > kMostLinesOfPiece) return std::nullopt;
  for (std::size_t at = 0; at + wanted.size() <= lines.size(); ++at) {
    std::size_t same = 0;
    while (same < wanted.size() && trimmed(lines[at + same]) == wanted[same]) ++same;
    if (same == wanted.size()) return at + 1;
  }
  return std::nullopt;
}

std::string hint(std::string_view text, std::string_view piece) {
  const auto lines = lines_of(text);
  if (lines.size() > kMostLinesCompared) return {};
  if (const auto line = find_but_for_blanks(lines, piece))
    return fmt::format(
        "; at line {} it stands with other indentation or blanks: copy it exactly as it is", *line);
  std::string_view first;
  for (const std::string_view line : lines_of(piece))
    if (first = trimmed(line); !first.empty()) break;
  if (first.empty()) return {};
  Nearest nearest(first);
  for (const std::string_view line : lines) nearest.consider(trimmed(line));
  const std::string_view found = nearest.result();
  if (found.empty()) return "; read the file again";
  return fmt::format("; the nearest is line {}: {}",
                     line_of(text, static_cast<std::size_t>(found.data() - text.data())),
                     visible_text(first_characters(found, kHintBytes), false));
}

}  // namespace

Result<std::string> replace_once(std::string_view text, std::string_view old_text,
                                 std::string_view new_text, std::string_view shown) {
  if (old_text == new_text)
    return fail(Errc::InvalidRequest, "oldString and newString are the same");
  if (old_text.empty() && !text.empty())
    return fail(Errc::InvalidRequest,
                "oldString is empty, but {} is not: say which text to replace", shown);
  if (old_text.empty()) return std::string(new_text);
  const auto places = find_all(text, old_text);
  if (places.empty())
    return fail(Errc::InvalidRequest, "oldString does not stand in {}{}", shown,
                hint(text, old_text));
  if (places.size() > 1) {
    std::vector<std::size_t> lines;
    for (const std::size_t at : places)
      if (lines.size() < kMostPlaces) lines.push_back(line_of(text, at));
    return fail(Errc::InvalidRequest,
                "oldString stands {}{} times in {}, at lines {}{}: add lines around it until it is "
                "unique",
                places.size() == kMostCounted ? "at least " : "", places.size(), shown,
                fmt::join(lines, ", "), places.size() > lines.size() ? ", …" : "");
  }
  std::string result(text);
  return result.replace(places.front(), old_text.size(), new_text);
}

}  // namespace toolgate
