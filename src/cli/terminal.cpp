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

std::string visible(std::string_view text) {
  std::string out;
  for (const char c : mend_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
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
  const auto columns = static_cast<std::size_t>(std::ranges::count_if(
      left, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
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
