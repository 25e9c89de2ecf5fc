#include "builtin/marker_merge.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/ranges.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

using TextLines = std::vector<std::string_view>;

constexpr std::size_t kMostPlaces = 10;  // that an error names
constexpr std::size_t kMostComparisons = 50'000'000;

std::string_view without_end_blanks(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t\r");
  return last == line.npos ? std::string_view() : line.substr(0, last + 1);
}

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

TextLines split(std::string_view text) {
  TextLines lines;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    lines.push_back(text.substr(0, feed));
    text.remove_prefix(feed == text.npos ? text.size() : feed + 1);
  }
  return lines;
}

// Blanks at the end of a line count for nothing.
bool is_same_line(std::string_view a, std::string_view b) {
  return without_end_blanks(a) == without_end_blanks(b);
}

bool is_blank(std::string_view line) {
  return without_end_blanks(line).empty();
}

// A line that says where it is: more than brackets and blanks.
bool says_much(std::string_view line) {
  return std::ranges::any_of(line, [](char c) { return is_ascii_letter_or_digit(c) || c < 0; });
}

// The code between two markers, or between a marker and an end of the code.
struct Piece {
  TextLines lines = {};
  bool is_first = false;  // no marker before it
  bool is_last = false;   // none after it
  std::size_t line = 1;   // of the code, for errors
};

std::vector<Piece> cut_at_markers(std::string_view code) {
  std::vector<Piece> pieces{{.is_first = true}};
  std::size_t number = 0;
  for (const std::string_view line : split(code)) {
    ++number;
    if (is_existing_code_marker(line))
      pieces.push_back({.line = number + 1});
    else
      pieces.back().lines.push_back(line);
  }
  pieces.back().is_last = true;
  return pieces;
}

class Merger {
 public:
  Merger(std::string_view text, std::string_view shown)
      : lines_(split(text)), shown_(shown), ends_with_feed_(text.empty() || text.ends_with('\n')) {}

  Result<std::string> merge(const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) {
      if (std::ranges::all_of(piece.lines, is_blank)) continue;
      if (auto put = put_in(piece); !put) return std::unexpected(put.error());
    }
    copy_up_to(lines_.size());
    if (!ends_with_feed_ && out_.ends_with('\n')) out_.pop_back();
    return std::move(out_);
  }

 private:
  // How many lines of a piece stand in the file as they are, and where.
  struct Anchor {
    std::size_t at = 0;
    std::size_t count = 0;
  };

  template <class... Args>
  static std::unexpected<Error> refuse(const Piece& piece, fmt::format_string<Args...> text,
                                       Args&&... args) {
    return fail(Errc::InvalidRequest, "the code at line {} cannot be placed: {}", piece.line,
                fmt::format(text, std::forward<Args>(args)...));
  }

  void copy_up_to(std::size_t end) {
    for (; at_ < end; ++at_) out_.append(lines_[at_]).append("\n");
  }

  // Blank lines beside a marker are the marker's, unless the code is new there.
  static void trim(Piece& piece, bool front, bool back) {
    while (back && !piece.lines.empty() && is_blank(piece.lines.back())) piece.lines.pop_back();
    while (front && !piece.lines.empty() && is_blank(piece.lines.front()))
      piece.lines.erase(piece.lines.begin());
  }

  Result<void> put_in(const Piece& given) {
    Piece piece = given;
    trim(piece, true, true);
    const auto head = find_head(piece);
    if (!head) return std::unexpected(head.error());
    const auto tail = find_tail(piece, *head);
    if (!tail) return std::unexpected(tail.error());
    if (comparisons_ > kMostComparisons)
      return refuse(piece, "it is too much like {} to be found in time", shown_);
    if (auto fits = check_ends(piece, *head, *tail); !fits) return fits;

    Piece written = given;
    trim(written, head->has_value(), tail->has_value());
    const std::size_t known_first = *head ? (*head)->count : 0;
    const std::size_t known_last = *tail ? (*tail)->count : 0;
    if (*head)
      copy_up_to((*head)->at + known_first);
    else if (*tail)
      copy_up_to((*tail)->at);
    else if (piece.is_last)
      copy_up_to(lines_.size());
    for (std::size_t i = known_first; i + known_last < written.lines.size(); ++i)
      out_.append(written.lines[i]).append("\n");
    if (!*tail) return {};
    at_ = (*tail)->at;
    copy_up_to((*tail)->at + known_last);
    return {};
  }

  // The longest beginning of the piece that stands in the file, after what is placed already.
  Result<std::optional<Anchor>> find_head(const Piece& piece) const {
    std::size_t longest = 0;
    std::vector<std::size_t> places;
    for (std::size_t at = at_; at < lines_.size(); ++at) {
      std::size_t same = 0;
      while (same < piece.lines.size() && at + same < lines_.size() &&
             is_same_line(lines_[at + same], piece.lines[same]))
        ++same;
      if ((comparisons_ += same + 1) > kMostComparisons) break;
      if (same == 0 || same < longest) continue;
      if (same > longest) places.clear();
      longest = same;
      places.push_back(at);
    }
    const auto begin = piece.lines.begin();
    const bool is_known =
        std::any_of(begin, begin + static_cast<std::ptrdiff_t>(longest), says_much);
    if (!is_known) return std::optional<Anchor>();
    if (piece.is_first && std::ranges::find(places, 0U) != places.end()) places = {0};
    if (places.size() > 1) return several(piece, places, piece.lines.front());
    return Anchor{places.front(), longest};
  }

  // The longest end of it, after its beginning.
  Result<std::optional<Anchor>> find_tail(const Piece& piece,
                                          const std::optional<Anchor>& head) const {
    const std::size_t left = piece.lines.size() - (head ? head->count : 0);
    const std::size_t from = head ? head->at + head->count : at_;
    std::size_t longest = 0;
    std::vector<std::size_t> places;  // of the first line behind it
    for (std::size_t end = from + 1; end <= lines_.size(); ++end) {
      std::size_t same = 0;
      while (same < left && same < end - from &&
             is_same_line(lines_[end - 1 - same], piece.lines[piece.lines.size() - 1 - same]))
        ++same;
      if ((comparisons_ += same + 1) > kMostComparisons) break;
      if (same == 0 || same < longest) continue;
      if (same > longest) places.clear();
      longest = same;
      places.push_back(end);
    }
    if (longest == 0) return std::optional<Anchor>();
    const auto known = piece.lines.end() - static_cast<std::ptrdiff_t>(longest);
    const bool says = std::any_of(known, piece.lines.end(), says_much);
    // "}" as far in as the line that the piece begins with closes what that one opens.
    const bool closes = head && indentation(piece.lines.back()) == indentation(piece.lines.front());
    if (piece.is_last && !closes && std::ranges::find(places, lines_.size()) != places.end())
      places = {lines_.size()};
    if (!says && !closes && places.size() > 1) {
      if (!head) return std::optional<Anchor>();
      return several(piece, places, piece.lines.back());
    }
    if (!says && !head) return std::optional<Anchor>();
    if (places.size() > 1 && !closes) return several(piece, places, piece.lines.back());
    return Anchor{places.front() - longest, longest};
  }

  Result<void> check_ends(const Piece& piece, const std::optional<Anchor>& head,
                          const std::optional<Anchor>& tail) const {
    if (!head && !tail && !piece.is_first && !piece.is_last)
      return refuse(piece, "none of its lines is in {}; begin or end it with lines that are there",
                    shown_);
    if (piece.is_first && (head ? head->at != 0 : tail && tail->at != 0))
      return refuse(piece,
                    "it is in the middle of {}, at line {}; put an ...existing code... line before "
                    "it to keep what is above",
                    shown_, (head ? head->at : tail->at) + 1);
    const auto end = tail ? tail : head;
    if (piece.is_last && !piece.is_first && end && end->at + end->count != lines_.size())
      return refuse(piece,
                    "{} goes on after line {}; put an ...existing code... line behind it to keep "
                    "what is below",
                    shown_, end->at + end->count);
    return {};
  }

  std::unexpected<Error> several(const Piece& piece, const std::vector<std::size_t>& places,
                                 std::string_view line) const {
    std::vector<std::size_t> numbers;
    for (const std::size_t at : places)
      if (numbers.size() < kMostPlaces) numbers.push_back(at + 1);
    return refuse(piece, "\"{}\" fits {} places in {}, near lines {}; give more of the lines there",
                  visible_text(first_characters(line, 120), false), places.size(), shown_,
                  fmt::join(numbers, ", "));
  }

  const TextLines lines_;
  const std::string_view shown_;
  const bool ends_with_feed_;
  std::size_t at_ = 0;  // the first line that is not in `out_`
  mutable std::size_t comparisons_ = 0;
  std::string out_;
};

}  // namespace

bool is_existing_code_marker(std::string_view line) {
  constexpr std::string_view kWords = "existing code";
  std::string lower(line);
  std::ranges::transform(lower, lower.begin(), [](char c) { return ascii_lower(c); });
  const std::size_t words = lower.find(kWords);
  if (words == lower.npos) return false;
  const auto has_dots = [](std::string_view part) {
    return part.contains("...") || part.contains("…");
  };
  const auto is_plain = [](std::string_view part) {
    return std::ranges::none_of(part, [](char c) { return is_ascii_letter_or_digit(c); });
  };
  const std::string_view before = std::string_view(lower).substr(0, words);
  const std::string_view after = std::string_view(lower).substr(words + kWords.size());
  return is_plain(before) && is_plain(after) && (has_dots(before) || has_dots(after));
}

Result<std::string> merge_by_markers(std::string_view text, std::string_view code,
                                     std::string_view shown) {
  const auto pieces = cut_at_markers(code);
  if (pieces.size() == 1) return std::string(code);
  return Merger(text, shown).merge(pieces);
}

}  // namespace toolgate
