#include "invoke/visible_text.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "invoke/code_points.h"

namespace toolgate {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// In order. Controls, format characters, fillers that look like nothing, separators of lines and
// paragraphs, variation selectors, and what no font needs to show: private use, noncharacters.
constexpr std::array kUnseen{
    Range{0x00, 0x1F},       Range{0x7F, 0x9F},       Range{0xAD, 0xAD},
    Range{0x34F, 0x34F},     Range{0x600, 0x605},     Range{0x61C, 0x61C},
    Range{0x6DD, 0x6DD},     Range{0x70F, 0x70F},     Range{0x890, 0x891},
    Range{0x8E2, 0x8E2},     Range{0x115F, 0x1160},   Range{0x17B4, 0x17B5},
    Range{0x180B, 0x180F},   Range{0x200B, 0x200F},   Range{0x2028, 0x202E},
    Range{0x2060, 0x206F},   Range{0x2800, 0x2800},   Range{0x3164, 0x3164},
    Range{0xE000, 0xF8FF},   Range{0xFDD0, 0xFDEF},   Range{0xFE00, 0xFE0F},
    Range{0xFEFF, 0xFEFF},   Range{0xFFA0, 0xFFA0},   Range{0xFFF0, 0xFFFB},
    Range{0xFFFE, 0xFFFF},   Range{0x110BD, 0x110BD}, Range{0x110CD, 0x110CD},
    Range{0x13430, 0x1343F}, Range{0x16FE4, 0x16FE4}, Range{0x1BCA0, 0x1BCA3},
    Range{0x1D159, 0x1D159}, Range{0x1D173, 0x1D17A}, Range{0x1FFFE, 0x1FFFF},
    Range{0x2FFFE, 0x2FFFF}, Range{0x3FFFE, 0x3FFFF}, Range{0x4FFFE, 0x10FFFF},
};

// Marks that stand on the character before them, the general ones.
constexpr std::array kMarks{
    Range{0x300, 0x36F},   Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF},
    Range{0x20D0, 0x20FF}, Range{0xFE20, 0xFE2F},
};

// More of them on one character cover what stands above and below.
constexpr int kMostMarks = 4;

constexpr char32_t kTextStyle = 0xFE0E;
constexpr char32_t kEmojiStyle = 0xFE0F;
constexpr std::string_view kOpening = "⟨";

template <std::size_t size>
bool is_in(const std::array<Range, size>& ranges, char32_t code) {
  const auto after = std::ranges::upper_bound(ranges, code, {}, &Range::first);
  return after != ranges.begin() && code <= std::prev(after)->last;
}

// What has a form as text and one as emoji: keys, © and ®, and symbols.
bool has_styles(char32_t code) {
  return code == '#' || code == '*' || (code >= '0' && code <= '9') || code == 0xA9 ||
         code == 0xAE || (code >= 0x203C && code <= 0x3299) || (code >= 0x1F000 && code <= 0x1FAFF);
}

// Text that reads as if we had written it.
bool looks_like_ours(std::string_view text) {
  if (!text.starts_with(kOpening)) return false;
  text.remove_prefix(kOpening.size());
  return text.starts_with("U+") || text.starts_with("0x");
}

class Writer {
 public:
  explicit Writer(bool lines) : lines_(lines) {}

  void add(const CodePoint& point, std::string_view rest) {
    const char32_t code = point.code;
    if (!point.valid)
      out_ += fmt::format("⟨0x{:02X}⟩", static_cast<unsigned>(code));
    else if (must_be_named(code) || looks_like_ours(rest))
      out_ += fmt::format("⟨U+{:04X}⟩", static_cast<unsigned>(code));
    else
      out_ += rest.substr(0, point.bytes);
    if (!is_in(kMarks, code)) {
      // A mark at the beginning of a line would stand on what we wrote before it.
      marks_ = code == '\n' || code == '\t' ? kMostMarks : 0;
    }
    before_ = point.valid ? code : 0;
  }

  std::string take() { return std::move(out_); }

 private:
  bool must_be_named(char32_t code) {
    if (lines_ && (code == '\n' || code == '\t')) return false;
    if (code == kTextStyle || code == kEmojiStyle) return !has_styles(before_);
    if (is_in(kUnseen, code)) return true;
    return is_in(kMarks, code) && ++marks_ > kMostMarks;
  }

  bool lines_;
  std::string out_;
  char32_t before_ = 0;
  int marks_ = kMostMarks;
};

}  // namespace

std::string visible_text(std::string_view text, bool lines) {
  Writer writer(lines);
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = read_code_point(text, at);
    writer.add(point, text.substr(at));
    at += point.bytes;
  }
  return writer.take();
}

}  // namespace toolgate
