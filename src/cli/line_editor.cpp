#include "cli/line_editor.h"

#include <algorithm>

#include "base/utf8.h"
#include "cli/terminal.h"

namespace toolgate {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kDelete = '\x7f';
constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr std::size_t kMostText = std::size_t{1} << 20;

constexpr char ctrl(char letter) {
  return static_cast<char>(letter & 0x1f);
}

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 || c == kDelete);
}

bool is_word(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') ||
         (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

LineEditor::Wish LineEditor::take(std::string_view& bytes) {
  std::string joined;
  std::string_view rest = bytes;
  if (!held_.empty()) {
    joined = std::exchange(held_, {}) + std::string(bytes);
    rest = joined;
  }
  Wish wish = Wish::More;
  while (!rest.empty() && wish == Wish::More) {
    if (pasting_) {
      paste(rest);
    } else if (rest.front() == kEscape) {
      if (!escape(rest)) break;
    } else if (is_control(rest.front())) {
      wish = control(rest.front());
      rest.remove_prefix(1);
    } else {
      const auto end = std::ranges::find_if(rest, is_control);
      const std::string_view run = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
      const std::size_t cut = run.size() == rest.size() ? incomplete_utf8_tail(run) : 0;
      insert(mend_utf8(run.substr(0, run.size() - cut)));
      rest.remove_prefix(run.size() - cut);
      if (cut > 0) break;
    }
  }
  // Only the beginning of a key is left when there is no wish.
  if (wish == Wish::More) held_ = rest;
  bytes.remove_prefix(wish == Wish::More ? bytes.size() : bytes.size() - rest.size());
  return wish;
}

LineEditor::Wish LineEditor::control(char byte) {
  switch (byte) {
    case '\n':
    case '\r':
      return enter();
    case '\t':
      return Wish::Complete;
    case ctrl('L'):
      return Wish::Clear;
    case ctrl('D'):
      if (text_.empty()) return Wish::Leave;
      erase(cursor_, after(cursor_));
      break;
    case ctrl('H'):
    case kDelete:
      erase(before(cursor_), cursor_);
      break;
    case ctrl('A'):
      cursor_ = line_begin(cursor_);
      break;
    case ctrl('E'):
      cursor_ = line_end(cursor_);
      break;
    case ctrl('B'):
      cursor_ = before(cursor_);
      break;
    case ctrl('F'):
      cursor_ = after(cursor_);
      break;
    case ctrl('U'):
      kill(line_begin(cursor_), cursor_);
      break;
    case ctrl('K'):
      kill(cursor_, line_end(cursor_) == cursor_ ? after(cursor_) : line_end(cursor_));
      break;
    case ctrl('W'): {
      std::size_t from = cursor_;
      while (from > 0 && (text_[from - 1] == ' ' || text_[from - 1] == '\n')) --from;
      while (from > 0 && text_[from - 1] != ' ' && text_[from - 1] != '\n') --from;
      kill(from, cursor_);
      break;
    }
    case ctrl('Y'):
      insert(killed_);
      break;
    case ctrl('P'):
      up();
      break;
    case ctrl('N'):
      down();
      break;
    default:
      break;
  }
  return Wish::More;
}

// A '\' at the end asks for one more line.
LineEditor::Wish LineEditor::enter() {
  if (cursor_ == text_.size() && text_.ends_with('\\')) {
    text_.back() = '\n';
    return Wish::More;
  }
  return Wish::Submit;
}

// False: its end is still to come.
bool LineEditor::escape(std::string_view& bytes) {
  if (bytes.size() < 2) return false;
  if (bytes[1] != '[' && bytes[1] != 'O') {
    escaped_key(bytes[1]);
    bytes.remove_prefix(2);
    return true;
  }
  const auto is_end = [](char c) { return c >= 0x40 && c <= 0x7e; };
  const auto end = std::find_if(bytes.begin() + 2, bytes.end(), is_end);
  if (end == bytes.end()) return false;
  const auto size = static_cast<std::size_t>(end - bytes.begin());
  sequence(bytes.substr(2, size - 2), *end);
  bytes.remove_prefix(size + 1);
  return true;
}

// Alt and a key.
void LineEditor::escaped_key(char byte) {
  if (byte == '\n' || byte == '\r')
    insert("\n");
  else if (byte == 'b')
    cursor_ = word_before(cursor_);
  else if (byte == 'f')
    cursor_ = word_after(cursor_);
  else if (byte == 'd')
    kill(cursor_, word_after(cursor_));
  else if (byte == kDelete || byte == ctrl('H'))
    kill(word_before(cursor_), cursor_);
}

void LineEditor::sequence(std::string_view numbers, char end) {
  // Ctrl and Alt move by words: "1;5C".
  const bool by_word = numbers.ends_with(";5") || numbers.ends_with(";3");
  if (end == 'A')
    up();
  else if (end == 'B')
    down();
  else if (end == 'C')
    cursor_ = by_word ? word_after(cursor_) : after(cursor_);
  else if (end == 'D')
    cursor_ = by_word ? word_before(cursor_) : before(cursor_);
  else if (end == 'H' || (end == '~' && (numbers == "1" || numbers == "7")))
    cursor_ = line_begin(cursor_);
  else if (end == 'F' || (end == '~' && (numbers == "4" || numbers == "8")))
    cursor_ = line_end(cursor_);
  else if (end == '~' && numbers == "3")
    erase(cursor_, after(cursor_));
  else if (end == '~' && numbers == "200")
    pasting_ = true;
  else if (end == 'u' && numbers.starts_with("13;"))
    insert("\n");  // Shift-Enter and the like, where the terminal tells them apart
}

void LineEditor::paste(std::string_view& bytes) {
  // The end may come in pieces, so it is looked for from before what is new.
  const std::size_t from = pasted_.size() - std::min(pasted_.size(), kPasteEnd.size() - 1);
  const std::size_t had = pasted_.size();
  pasted_ += bytes;
  const std::size_t end = pasted_.find(kPasteEnd, from);
  if (end == pasted_.npos) {
    bytes = {};
    if (pasted_.size() <= kMostText) return;
    is_too_long_ = true;
    pasted_.erase(0, pasted_.size() - kPasteEnd.size());
    return;
  }
  bytes.remove_prefix(end + kPasteEnd.size() - had);
  pasted_.resize(end);
  end_paste();
}

void LineEditor::end_paste() {
  pasting_ = false;
  std::string clean;
  for (std::size_t i = 0; i < pasted_.size(); ++i) {
    const char c = pasted_[i];
    if (c == '\r' && i + 1 < pasted_.size() && pasted_[i + 1] == '\n') continue;
    if (c == '\r')
      clean += '\n';
    else if (!is_control(c) || c == '\n' || c == '\t')
      clean += c;
  }
  pasted_.clear();
  const bool fits = !std::exchange(is_too_long_, false) && text_.size() + clean.size() <= kMostText;
  insert(fits ? mend_utf8(clean) : "[a paste of more than 1 MiB was left out]");
}

void LineEditor::insert(std::string_view text) {
  if (text_.size() + text.size() > kMostText) return;
  text_.insert(cursor_, text);
  cursor_ += text.size();
}

void LineEditor::erase(std::size_t from, std::size_t to) {
  text_.erase(from, to - from);
  cursor_ = from;
}

void LineEditor::kill(std::size_t from, std::size_t to) {
  if (from < to) killed_ = text_.substr(from, to - from);
  erase(from, to);
}

void LineEditor::set(std::string text) {
  text_ = std::move(text);
  cursor_ = text_.size();
}

void LineEditor::replace(std::size_t from, std::string_view text) {
  erase(from, cursor_);
  insert(text);
}

void LineEditor::set_history(std::vector<std::string> entries) {
  history_ = std::move(entries);
  entry_ = history_.size();
}

// A character is a code point with what is drawn over it.
std::size_t LineEditor::before(std::size_t at) const {
  while (at > 0) {
    --at;
    const bool inside = (static_cast<unsigned char>(text_[at]) & 0xc0) == 0x80;
    if (!inside && character_at(text_, at).columns > 0) break;
  }
  return at;
}

std::size_t LineEditor::after(std::size_t at) const {
  if (at < text_.size()) at += character_at(text_, at).bytes;
  while (at < text_.size() && character_at(text_, at).columns == 0)
    at += character_at(text_, at).bytes;
  return at;
}

std::size_t LineEditor::word_before(std::size_t at) const {
  while (at > 0 && !is_word(text_[at - 1])) --at;
  while (at > 0 && is_word(text_[at - 1])) --at;
  return at;
}

std::size_t LineEditor::word_after(std::size_t at) const {
  while (at < text_.size() && !is_word(text_[at])) ++at;
  while (at < text_.size() && is_word(text_[at])) ++at;
  return at;
}

std::size_t LineEditor::line_begin(std::size_t at) const {
  const std::size_t feed = at == 0 ? text_.npos : text_.rfind('\n', at - 1);
  return feed == text_.npos ? 0 : feed + 1;
}

std::size_t LineEditor::line_end(std::size_t at) const {
  return std::min(text_.find('\n', at), text_.size());
}

// Within a text of several lines by columns, from its first line to what was written before.
void LineEditor::up() {
  const std::size_t begin = line_begin(cursor_);
  if (begin == 0) {
    if (entry_ > 0) show_entry(entry_ - 1);
    return;
  }
  const std::size_t column = columns_of(std::string_view(text_).substr(begin, cursor_ - begin));
  const std::size_t above = line_begin(begin - 1);
  const std::string_view line = std::string_view(text_).substr(above, begin - 1 - above);
  cursor_ = above + bytes_within(line, column);
}

void LineEditor::down() {
  const std::size_t end = line_end(cursor_);
  if (end == text_.size()) {
    if (entry_ < history_.size()) show_entry(entry_ + 1);
    return;
  }
  const std::size_t begin = line_begin(cursor_);
  const std::size_t column = columns_of(std::string_view(text_).substr(begin, cursor_ - begin));
  const std::string_view line =
      std::string_view(text_).substr(end + 1, line_end(end + 1) - end - 1);
  cursor_ = end + 1 + bytes_within(line, column);
}

void LineEditor::show_entry(std::size_t entry) {
  if (entry_ == history_.size()) draft_ = text_;
  entry_ = entry;
  set(entry_ == history_.size() ? draft_ : history_[entry_]);
}

}  // namespace toolgate
