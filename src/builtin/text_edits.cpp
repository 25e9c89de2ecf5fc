#include "builtin/text_edits.h"

#include <algorithm>
#include <tuple>

#include "base/ascii.h"

namespace toolgate {
namespace {

std::size_t bytes_of_character(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xF0) return 4;
  if (byte >= 0xE0) return 3;
  return byte >= 0xC0 ? 2 : 1;
}

std::size_t units_of_character(char first) {
  return static_cast<unsigned char>(first) >= 0xF0 ? 2 : 1;
}

bool is_part_of_name(char c) {
  return is_ascii_letter_or_digit(c) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 128;
}

struct ByteEdit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t order = 0;  // as they were given
  std::string_view text;
};

}  // namespace

TextLines::TextLines(std::string_view text) : text_(text) {
  begins_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n' && text[i] != '\r') continue;
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
    begins_.push_back(i + 1);
  }
}

std::string_view TextLines::line(std::size_t number) const {
  if (number >= begins_.size()) return {};
  const std::size_t end = number + 1 < begins_.size() ? begins_[number + 1] : text_.size();
  std::string_view line = text_.substr(begins_[number], end - begins_[number]);
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<std::size_t> TextLines::offset_of(const LspPosition& position) const {
  if (position.line >= begins_.size()) return std::nullopt;
  const std::string_view text = line(position.line);
  std::size_t at = 0;
  std::size_t units = 0;
  while (at < text.size()) {
    units += units_of_character(text[at]);
    if (units > position.character) break;
    at = std::min(at + bytes_of_character(text[at]), text.size());
  }
  return begins_[position.line] + at;
}

LspPosition TextLines::position_of(std::size_t offset) const {
  const auto behind = std::ranges::upper_bound(begins_, offset);
  const auto number = static_cast<std::size_t>(behind - begins_.begin() - 1);
  LspPosition position{static_cast<std::uint32_t>(number), 0};
  for (std::size_t at = begins_[number]; at < std::min(offset, text_.size());
       at += bytes_of_character(text_[at]))
    position.character += static_cast<std::uint32_t>(units_of_character(text_[at]));
  return position;
}

Result<std::string> apply_text_edits(std::string_view text, std::vector<LspTextEdit> edits) {
  const TextLines lines(text);
  std::vector<ByteEdit> places;
  for (const LspTextEdit& edit : edits) {
    const auto begin = lines.offset_of(edit.range.start);
    // The end of the last line may be given as the beginning of the one behind it.
    const auto end = edit.range.end.line == lines.count() && edit.range.end.character == 0
                         ? text.size()
                         : lines.offset_of(edit.range.end);
    if (!begin || !end || *end < *begin)
      return fail(Errc::UpstreamBroken, "an edit is of line {}, and there are {}",
                  std::max(edit.range.start.line, edit.range.end.line) + 1, lines.count());
    places.push_back({*begin, *end, places.size(), edit.new_text});
  }
  std::ranges::sort(places, {}, [](const ByteEdit& edit) {
    return std::tuple(edit.begin, edit.end, edit.order);
  });
  std::string result;
  std::size_t done = 0;
  for (const ByteEdit& edit : places) {
    if (edit.begin < done)
      return fail(Errc::UpstreamBroken, "two edits overlap in line {}",
                  lines.position_of(edit.begin).line + 1);
    result.append(text.substr(done, edit.begin - done)).append(edit.text);
    done = edit.end;
  }
  result.append(text.substr(done));
  return result;
}

std::vector<std::size_t> find_word(std::string_view text, std::string_view word, std::size_t most) {
  std::vector<std::size_t> found;
  if (word.empty()) return found;
  for (std::size_t at = text.find(word); at != std::string_view::npos && found.size() < most;
       at = text.find(word, at + word.size())) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_part_of_name(text[at - 1]) || !is_part_of_name(word.front());
    const bool ends =
        end == text.size() || !is_part_of_name(text[end]) || !is_part_of_name(word.back());
    if (begins && ends) found.push_back(at);
  }
  return found;
}

}  // namespace toolgate
