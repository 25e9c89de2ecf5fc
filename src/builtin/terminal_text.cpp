#include "builtin/terminal_text.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/utf8.h"
#include "invoke/code_points.h"

namespace toolgate {
namespace {

constexpr std::size_t kLongestLine = 16 << 10;  // characters; a longer one is broken
constexpr std::size_t kLongestControl = 64;
constexpr std::size_t kTabWidth = 8;
constexpr char32_t kReplacement = 0xFFFD;

std::size_t expected_size(unsigned char lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 1;
}

std::string to_utf8(std::u32string_view line) {
  while (line.ends_with(U' ')) line.remove_suffix(1);
  std::string text;
  text.reserve(line.size());
  for (const char32_t c : line) append_utf8(text, c);
  return text;
}

}  // namespace

void KeptText::add_line(std::string line) {
  line += '\n';
  total_ += line.size();
  if (!head_is_full_ && head_.size() + line.size() <= head_limit_) {
    head_ += line;
    return;
  }
  head_is_full_ = true;
  tail_bytes_ += line.size();
  tail_.push_back(std::move(line));
  while (tail_bytes_ > tail_limit_ && tail_.size() > 1) {
    tail_bytes_ -= tail_.front().size();
    left_out_ += tail_.front().size();
    tail_.pop_front();
  }
}

std::string KeptText::text(std::string_view behind) const {
  std::string result = head_;
  if (left_out_ > 0) result += fmt::format("[… {} bytes are left out here …]\n", left_out_);
  for (const std::string& line : tail_) result += line;
  result += behind;
  return result;
}

std::string KeptText::last(std::size_t bytes) const {
  std::string result;
  for (auto line = tail_.rbegin(); line != tail_.rend(); ++line) {
    if (result.size() + line->size() > bytes) return result;
    result.insert(0, *line);
  }
  if (head_.size() + result.size() <= bytes && left_out_ == 0) return head_ + result;
  if (left_out_ > 0 || result.size() >= bytes) return result;
  const std::size_t from = head_.find('\n', head_.size() - (bytes - result.size()));
  return from == head_.npos ? result : head_.substr(from + 1) + result;
}

TerminalText::TerminalText(std::size_t rows, std::size_t head_bytes, std::size_t tail_bytes)
    : rows_(std::max<std::size_t>(rows, 1)), screen_(1), kept_(head_bytes, tail_bytes) {}

void TerminalText::feed(std::string_view bytes) {
  for (const char byte : bytes) take(static_cast<unsigned char>(byte));
}

void TerminalText::take(unsigned char byte) {
  switch (state_) {
    case State::Text:
      return take_text(byte);
    case State::Escape:
      return take_escape(byte);
    case State::Charset:
      state_ = State::Text;
      return;
    case State::Control:
      return take_control(byte);
    case State::String:  // a title, a link, a picture: up to BEL or ESC \, or a cancel
      if (byte == 0x1B) state_ = State::StringEscape;
      if (byte == 0x07 || byte == 0x18 || byte == 0x1A) state_ = State::Text;
      return;
    case State::StringEscape:
      state_ = byte == 0x1B ? State::StringEscape : State::Text;
      if (byte != '\\' && byte != 0x1B) take_escape(byte);
      return;
  }
}

void TerminalText::take_text(unsigned char byte) {
  if (byte >= 0x80) {
    if (!character_.empty() && (byte & 0xC0) != 0x80) finish_character();
    character_ += static_cast<char>(byte);
    if (character_.size() >= expected_size(static_cast<unsigned char>(character_[0])))
      finish_character();
    return;
  }
  if (!character_.empty()) finish_character();
  switch (byte) {
    case 0x1B:
      state_ = State::Escape;
      return;
    case '\r':
      column_ = 0;
      return;
    case '\n':
    case 0x0B:
    case 0x0C:
      return line_feed();
    case '\b':
      if (column_ > 0) --column_;
      return;
    case '\t':
      do put(U' ');
      while (column_ % kTabWidth != 0);
      return;
    default:
      if (byte >= 0x20 && byte != 0x7F) put(byte);
  }
}

void TerminalText::finish_character() {
  const bool is_whole = is_valid_utf8(character_);
  const char32_t c = is_whole ? read_code_point(character_, 0).code : kReplacement;
  character_.clear();
  if (c >= 0x80 && c < 0xA0) return;  // control characters of eight bits
  put(c);
}

void TerminalText::put(char32_t character) {
  if (column_ >= kLongestLine) line_feed();
  if (line().size() < column_) line().resize(column_, U' ');
  if (column_ == line().size())
    line() += character;
  else
    line()[column_] = character;
  ++column_;
}

// The terminal adds the carriage return, so a line feed always begins a line here.
void TerminalText::line_feed() {
  column_ = 0;
  if (row_ + 1 == rows_) scroll();
  if (row_ + 1 == screen_.size() || screen_.empty()) screen_.emplace_back();
  if (row_ + 1 < screen_.size()) ++row_;
}

void TerminalText::scroll() {
  kept_.add_line(to_utf8(screen_.front()));
  screen_.erase(screen_.begin());
  if (row_ > 0) --row_;
  if (saved_row_ > 0) --saved_row_;
  if (screen_.empty()) screen_.emplace_back();
}

void TerminalText::take_escape(unsigned char byte) {
  state_ = State::Text;
  switch (byte) {
    case '[':
      state_ = State::Control;
      control_.clear();
      return;
    case ']':
    case 'P':
    case 'X':
    case '^':
    case '_':
      state_ = State::String;
      return;
    case '(':
    case ')':
    case '*':
    case '+':
    case '#':
    case '%':
    case ' ':
      state_ = State::Charset;
      return;
    case '7':
      saved_row_ = row_;
      saved_column_ = column_;
      return;
    case '8':
      move_to_row(saved_row_);
      column_ = saved_column_;
      return;
    case 'M':
      if (row_ > 0) --row_;
      return;
    case 'D':
    case 'E':
      return line_feed();
    case 0x1B:
      state_ = State::Escape;
      return;
    default:
      return;
  }
}

void TerminalText::take_control(unsigned char byte) {
  if (byte >= 0x40 && byte <= 0x7E) {
    state_ = State::Text;
    return obey(byte);
  }
  if (byte == 0x1B) {
    state_ = State::Escape;
  } else if (byte == 0x18 || byte == 0x1A) {
    state_ = State::Text;
  } else if (byte < 0x20) {
    state_ = State::Text;  // obeyed in the middle of a sequence, as terminals do
    take_text(byte);
    state_ = State::Control;
  } else if (control_.size() < kLongestControl) {
    control_ += static_cast<char>(byte);
  }
}

std::size_t TerminalText::parameter(std::size_t index, std::size_t otherwise) const {
  std::string_view rest = control_;
  for (; index > 0; --index) {
    const auto at = rest.find(';');
    if (at == rest.npos) return otherwise;
    rest.remove_prefix(at + 1);
  }
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error == std::errc::result_out_of_range) return kLongestLine;
  if (error != std::errc() || end == rest.data()) return otherwise;
  return std::min(value, kLongestLine);
}

void TerminalText::obey(unsigned char final) {
  if (!control_.empty() && control_[0] >= '<' && control_[0] <= '?') return;  // private modes
  const std::size_t count = std::max<std::size_t>(parameter(0, 1), 1);
  switch (final) {
    case 'A':
    case 'F':
      row_ -= std::min(row_, count);
      if (final == 'F') column_ = 0;
      return;
    case 'B':
    case 'E':
      move_to_row(row_ + count);
      if (final == 'E') column_ = 0;
      return;
    case 'C':
      column_ = std::min(column_ + count, kLongestLine);
      return;
    case 'D':
      column_ -= std::min(column_, count);
      return;
    case 'G':
    case '`':
      column_ = count - 1;
      return;
    case 'H':
    case 'f':
      move_to_row(count - 1);
      column_ = std::max<std::size_t>(parameter(1, 1), 1) - 1;
      return;
    case 'd':
      return move_to_row(count - 1);
    case 'J':
      return erase_in_screen(parameter(0, 0));
    case 'K':
      return erase_in_line(parameter(0, 0));
    case 'P':
      if (column_ < line().size()) line().erase(column_, count);
      return;
    case 'X':
      for (std::size_t i = column_; i < std::min(line().size(), column_ + count); ++i)
        line()[i] = U' ';
      return;
    case '@':
      if (column_ < line().size() && line().size() + count <= kLongestLine)
        line().insert(column_, count, U' ');
      return;
    case 's':
      saved_row_ = row_;
      saved_column_ = column_;
      return;
    case 'u':
      move_to_row(saved_row_);
      column_ = saved_column_;
      return;
    default:
      return;  // colours and modes
  }
}

void TerminalText::move_to_row(std::size_t row) {
  row_ = std::min(row, rows_ - 1);
  while (screen_.size() <= row_) screen_.emplace_back();
}

void TerminalText::erase_in_line(std::size_t what) {
  if (what == 0 && column_ < line().size()) line().resize(column_);
  if (what == 1)
    for (std::size_t i = 0; i < std::min(line().size(), column_ + 1); ++i) line()[i] = U' ';
  if (what == 2) line().clear();
}

// A cleared screen is not lost for the reader: it scrolls off.
void TerminalText::erase_in_screen(std::size_t what) {
  if (what == 0) {
    erase_in_line(0);
    screen_.resize(row_ + 1);
  } else if (what == 1) {
    for (std::size_t i = 0; i < row_; ++i) screen_[i].clear();
    erase_in_line(1);
  } else {
    while (!screen_.empty() && screen_.back().empty()) screen_.pop_back();
    for (const Line& each : screen_) kept_.add_line(to_utf8(each));
    screen_.assign(1, {});
    move_to_row(row_);
  }
}

std::string TerminalText::screen_text() const {
  std::string text;
  for (std::size_t i = 0; i < screen_.size(); ++i) {
    if (i > 0) text += '\n';
    text += to_utf8(screen_[i]);
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string TerminalText::text() const {
  return kept_.text(screen_text());
}

std::string TerminalText::last_lines(std::size_t count, std::size_t bytes) const {
  std::string all = kept_.last(bytes) + screen_text();
  while (all.ends_with('\n')) all.pop_back();
  std::size_t from = all.size();
  for (std::size_t lines = 0; lines < count && from != 0; ++lines) {
    from = all.rfind('\n', from - 1);
    if (from == all.npos) from = 0;
  }
  std::string_view lines = std::string_view(all).substr(from);
  if (lines.starts_with('\n')) lines.remove_prefix(1);
  if (lines.size() > bytes) lines.remove_prefix(lines.size() - bytes);
  while (!lines.empty() && (lines.front() & 0xC0) == 0x80) lines.remove_prefix(1);
  return std::string(lines);
}

std::string clean_terminal_text(std::string_view bytes) {
  TerminalText text;
  text.feed(bytes);
  return text.text();
}

}  // namespace toolgate
