#include "cli/terminal.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/json.h"
#include "base/utf8.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kWidth = 76;

std::string_view escape_of(Paint paint) {
  switch (paint) {
    case Paint::Plain:
      return "";
    case Paint::Bold:
      return "\x1b[1m";
    case Paint::Dim:
      return "\x1b[2m";
    case Paint::Red:
      return "\x1b[31m";
    case Paint::Green:
      return "\x1b[32m";
    case Paint::Yellow:
      return "\x1b[33m";
    case Paint::Cyan:
      return "\x1b[36m";
  }
  return "";
}

bool is_short(const JsonNode& node) {
  std::size_t size = 0;
  for (const JsonNode* child = node.first; child; child = child->next) {
    if (child->is(Kind::Array) || child->is(Kind::Object)) return false;
    size += child->key.size() + child->text.size() + 6;
  }
  return size < kWidth;
}

struct CodePoints {
  char32_t first;
  char32_t last;
};

// Characters that terminals draw two columns wide: those of East Asia, and emoji.
constexpr CodePoints kWide[] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
                                {0xf900, 0xfaff}, {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};

// Those that are drawn over the one before, or not at all.
constexpr CodePoints kNarrow[] = {{0x0300, 0x036f}, {0x200b, 0x200f}, {0x20d0, 0x20f0},
                                  {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef}};

std::size_t window_width(std::FILE* file) {
  constexpr std::size_t kUsual = 80;
  constexpr std::size_t kLeast = 20;
  winsize window{};
  if (ioctl(fileno(file), TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    return std::max<std::size_t>(window.ws_col, kLeast);
  return kUsual;
}

class PrettyWriter {
 public:
  explicit PrettyWriter(std::string& out) : out_(out) {}

  void write(const JsonNode& node) {
    const bool object = node.is(Kind::Object);
    if ((!object && !node.is(Kind::Array)) || node.size == 0) {
      append_json(out_, node);
      return;
    }
    const bool one_line = is_short(node);
    out_ += object ? '{' : '[';
    ++level_;
    for (const JsonNode* child = node.first; child; child = child->next) {
      if (child != node.first) out_ += one_line ? ", " : ",";
      if (!one_line) break_line();
      if (object) {
        append_json_string(out_, child->key);
        out_ += ": ";
      }
      write(*child);
    }
    --level_;
    if (!one_line) break_line();
    out_ += object ? '}' : ']';
  }

 private:
  void break_line() {
    out_ += '\n';
    out_.append(2 * level_, ' ');
  }

  std::string& out_;
  std::size_t level_ = 0;
};

}  // namespace

Terminal::Terminal(std::FILE* file) : file_(file), is_terminal_(isatty(fileno(file)) == 1) {
  const char* no_colour = std::getenv("NO_COLOR");
  colour_ = is_terminal_ && (no_colour == nullptr || *no_colour == '\0');
  width_ = is_terminal_ ? window_width(file) : std::numeric_limits<std::size_t>::max() / 2;
}

std::string Terminal::paint(Paint paint, std::string_view text) const {
  if (!colour_ || paint == Paint::Plain) return visible(text);
  return fmt::format("{}{}\x1b[0m", escape_of(paint), visible(text));
}

void Terminal::measure() {
  if (is_terminal_) width_ = window_width(file_);
}

std::size_t Terminal::height() const {
  constexpr std::size_t kUsual = 24;
  winsize window{};
  const bool known = ioctl(fileno(file_), TIOCGWINSZ, &window) == 0 && window.ws_row > 0;
  return known ? window.ws_row : kUsual;
}

void Terminal::say(Paint paint, std::string_view text) const {
  for (const std::string& line : wrap_to_columns(visible(text), width_ - 1))
    print(this->paint(paint, line) + "\n");
}

void Terminal::print(std::string_view text) const {
  std::fwrite(text.data(), 1, text.size(), file_);
}

namespace {

// The mark at `at`, which has three bytes; 0: another character.
char32_t direction_mark(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size()) return 0;
  const auto second = static_cast<unsigned char>(text[at + 1]);
  const auto third = static_cast<unsigned char>(text[at + 2]);
  if (second == 0x80 && third >= 0xaa && third <= 0xae) return 0x2000U + (third - 0x80U);
  if (second == 0x81 && third >= 0xa6 && third <= 0xa9) return 0x2040U + (third - 0x80U);
  return 0;
}

}  // namespace

// Control characters are those below U+0020 and from U+007F to U+009F, which UTF-8 writes as C2 80
// to C2 9F; the direction is turned by U+202A to U+202E and U+2066 to U+2069.
std::string visible(std::string_view text) {
  std::string out;
  const std::string mended = mend_utf8(text);
  out.reserve(mended.size());
  for (std::size_t i = 0; i < mended.size(); ++i) {
    const auto byte = static_cast<unsigned char>(mended[i]);
    const auto next = static_cast<unsigned char>(i + 1 < mended.size() ? mended[i + 1] : 0);
    if (byte == 0xc2 && next < 0xa0) {
      out += fmt::format("\\x{:02x}", next);
      ++i;
    } else if ((byte < 0x20 && byte != '\n') || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else if (const char32_t turn = byte == 0xe2 ? direction_mark(mended, i) : 0) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(turn));
      i += 2;
    } else {
      out += mended[i];
    }
  }
  return out;
}

Character character_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  size = std::min(size, text.size() - at);
  if (lead < 0x80) return {1, 1};
  char32_t code = lead & (0xff >> (size + 1));
  for (std::size_t k = 1; k < size; ++k)
    code = code << 6 | (static_cast<unsigned char>(text[at + k]) & 0x3f);
  const auto holds = [&](CodePoints range) { return range.first <= code && code <= range.last; };
  if (std::ranges::any_of(kWide, holds)) return {size, 2};
  return {size, std::ranges::any_of(kNarrow, holds) ? std::size_t{0} : std::size_t{1}};
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    columns += next.columns;
    at += next.bytes;
  }
  return columns;
}

std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (std::size_t used = 0; at < text.size();) {
    const Character next = character_at(text, at);
    if (used + next.columns > columns) break;
    used += next.columns;
    at += next.bytes;
  }
  return at;
}

std::string on_one_line(std::string_view text) {
  std::string out;
  bool space = false;
  for (const char c : text) {
    const bool white = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!white && space && !out.empty()) out += ' ';
    if (!white) out += c;
    space = white;
  }
  return out;
}

std::string cut_to_columns(std::string_view text, std::size_t columns) {
  if (text.size() <= columns || columns_of(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::string_view kept = text.substr(0, bytes_within(text, columns - 1));
  while (kept.ends_with(' ')) kept.remove_suffix(1);
  return std::string(kept) + "…";
}

std::string pad_to_columns(std::string_view text, std::size_t columns) {
  const std::size_t used = columns_of(text);
  return std::string(text) + std::string(used < columns ? columns - used : 0, ' ');
}

std::vector<std::string> wrap_to_columns(std::string_view text, std::size_t columns) {
  columns = std::max<std::size_t>(columns, 2);
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    do {
      std::size_t taken = bytes_within(line, columns);
      if (taken < line.size() && line[taken] != ' ') {
        const std::size_t space = line.rfind(' ', taken);
        if (space != line.npos && line.find_first_not_of(' ') < space) taken = space;
      }
      lines.emplace_back(line.substr(0, taken));
      line.remove_prefix(taken);
      while (line.starts_with(' ')) line.remove_prefix(1);
    } while (!line.empty());
  }
  return lines;
}

std::string pretty_json(const JsonNode& node) {
  std::string out;
  PrettyWriter(out).write(node);
  return out;
}

std::string point_into(std::string_view text, std::size_t offset, const Terminal& terminal) {
  offset = std::min(offset, text.size());
  const std::size_t before = offset == 0 ? text.npos : text.rfind('\n', offset - 1);
  std::size_t begin = before == text.npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find('\n', offset), text.size());
  // A window around the place when the line is long.
  std::string_view cut;
  if (offset - begin > kWidth / 2) {
    begin = offset - kWidth / 2;
    while (begin < offset && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80) ++begin;
    cut = "…";
  }
  std::string_view shown = text.substr(begin, std::min(end - begin, kWidth));
  shown.remove_suffix(incomplete_utf8_tail(shown));
  const std::string left = visible(text.substr(begin, offset - begin));
  const std::size_t columns = columns_of(left);
  return fmt::format("{}{}{}\n{}{}\n", cut, visible(shown), begin + shown.size() < end ? "…" : "",
                     std::string(columns + (cut.empty() ? 0 : 1), ' '),
                     terminal.paint(Paint::Red, "^"));
}

std::string with_tilde(std::string text) {
  const char* variable = std::getenv("HOME");
  const std::string home = variable == nullptr ? "" : variable;
  if (home.size() < 2) return text;
  for (std::size_t at = 0; (at = text.find(home + "/", at)) != text.npos; ++at)
    if (at == 0 || text[at - 1] == ' ') text.replace(at, home.size(), "~");
  return text;
}

std::string with_commas(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string counted(std::size_t number, std::string_view thing) {
  return fmt::format("{} {}{}", with_commas(number), thing, number == 1 ? "" : "s");
}

}  // namespace toolgate
