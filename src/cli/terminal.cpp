#include "cli/terminal.h"

#include <algorithm>
#include <cstdlib>
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

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    char32_t code = lead < 0x80 ? lead : lead & (0xff >> (size + 1));
    for (std::size_t k = 1; k < size && i + k < text.size(); ++k)
      code = code << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3f);
    columns += std::ranges::any_of(
                   kWide, [&](CodePoints wide) { return wide.first <= code && code <= wide.last; })
                   ? 2
                   : 1;
    i += size;
  }
  return columns;
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

Terminal::Terminal(std::FILE* file) : file_(file) {
  const char* no_colour = std::getenv("NO_COLOR");
  colour_ = isatty(fileno(file)) && (no_colour == nullptr || *no_colour == '\0');
}

std::string Terminal::paint(Paint paint, std::string_view text) const {
  if (!colour_ || paint == Paint::Plain) return visible(text);
  return fmt::format("{}{}\x1b[0m", escape_of(paint), visible(text));
}

void Terminal::print(std::string_view text) const {
  std::fwrite(text.data(), 1, text.size(), file_);
}

// Control characters are those below U+0020 and from U+007F to U+009F, which UTF-8 writes as C2 80
// to C2 9F.
std::string visible(std::string_view text) {
  std::string out;
  const std::string mended = mend_utf8(text);
  for (std::size_t i = 0; i < mended.size(); ++i) {
    const auto byte = static_cast<unsigned char>(mended[i]);
    const auto next = static_cast<unsigned char>(i + 1 < mended.size() ? mended[i + 1] : 0);
    if (byte == 0xc2 && next < 0xa0) {
      out += fmt::format("\\x{:02x}", next);
      ++i;
    } else if ((byte < 0x20 && byte != '\n') || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += mended[i];
    }
  }
  return out;
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

std::string with_commas(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

}  // namespace toolgate
