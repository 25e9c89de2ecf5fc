#include "builtin/text_encoding.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iconv.h>

#include "base/ascii.h"
#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::size_t kPrescanBytes = 1024;  // as browsers look

struct Label {
  std::string_view label;
  const char* encoding;  // the C library's name
};

// Only what pages use: no encoding in which ASCII bytes mean something else, such as UTF-7.
constexpr std::array kLabels{
    Label{"utf-8", "UTF-8"},
    Label{"utf8", "UTF-8"},
    Label{"utf-16", "UTF-16LE"},
    Label{"utf-16le", "UTF-16LE"},
    Label{"utf-16be", "UTF-16BE"},
    Label{"ascii", "WINDOWS-1252"},
    Label{"us-ascii", "WINDOWS-1252"},
    Label{"iso-8859-1", "WINDOWS-1252"},
    Label{"latin1", "WINDOWS-1252"},
    Label{"windows-1252", "WINDOWS-1252"},
    Label{"cp1252", "WINDOWS-1252"},
    Label{"iso-8859-2", "ISO-8859-2"},
    Label{"iso-8859-5", "ISO-8859-5"},
    Label{"iso-8859-7", "ISO-8859-7"},
    Label{"iso-8859-9", "WINDOWS-1254"},
    Label{"iso-8859-15", "ISO-8859-15"},
    Label{"windows-1250", "WINDOWS-1250"},
    Label{"windows-1251", "WINDOWS-1251"},
    Label{"cp1251", "WINDOWS-1251"},
    Label{"windows-1253", "WINDOWS-1253"},
    Label{"windows-1254", "WINDOWS-1254"},
    Label{"windows-1255", "WINDOWS-1255"},
    Label{"windows-1256", "WINDOWS-1256"},
    Label{"windows-1257", "WINDOWS-1257"},
    Label{"koi8-r", "KOI8-R"},
    Label{"koi8-u", "KOI8-U"},
    Label{"shift_jis", "CP932"},
    Label{"shift-jis", "CP932"},
    Label{"sjis", "CP932"},
    Label{"euc-jp", "EUC-JP"},
    Label{"gb2312", "GB18030"},
    Label{"gbk", "GB18030"},
    Label{"gb18030", "GB18030"},
    Label{"big5", "BIG5-HKSCS"},
    Label{"euc-kr", "CP949"},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), ascii_lower);
  return out;
}

// What stands behind "charset=", with or without quotes and spaces.
std::string after_charset(std::string_view text) {
  constexpr std::string_view kName = "charset";
  constexpr std::string_view kSpaces = " \t\r\n\f";
  const std::size_t at = text.find(kName);
  if (at == text.npos) return {};
  text.remove_prefix(at + kName.size());
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  if (!text.starts_with('=')) return {};
  text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\f\"'"), text.size()));
  return std::string(text.substr(0, text.find_first_of(" \t\r\n\f\"';/>")));
}

const char* encoding_of(std::string_view label) {
  const std::string wanted = lower(label);
  const auto* found = std::ranges::find(kLabels, wanted, &Label::label);
  return found == kLabels.end() ? nullptr : found->encoding;
}

class Converter {
 public:
  explicit Converter(const char* from) : handle_(::iconv_open("UTF-8", from)) {}
  ~Converter() {
    if (is_open()) ::iconv_close(handle_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  bool is_open() const { return handle_ != reinterpret_cast<iconv_t>(-1); }

  std::string convert(std::string_view bytes) {
    std::string text;
    char* from = const_cast<char*>(bytes.data());  // iconv() does not write to it
    std::size_t left = bytes.size();
    std::array<char, 16 << 10> room;
    while (left > 0) {
      char* to = room.data();
      std::size_t free = room.size();
      const std::size_t done = ::iconv(handle_, &from, &left, &to, &free);
      text.append(room.data(), to);
      if (done != static_cast<std::size_t>(-1) || errno == E2BIG) continue;
      text += kReplacement;
      if (errno != EILSEQ) break;  // the end of the text is the beginning of a character
      ++from;
      --left;
    }
    return text;
  }

 private:
  iconv_t handle_;
};

DecodedText decode_as(std::string_view bytes, const char* encoding) {
  if (std::string_view(encoding) == "UTF-8") return {mend_utf8(bytes), "utf-8"};
  Converter converter(encoding);
  if (!converter.is_open()) return {mend_utf8(bytes), "utf-8"};  // a system without its tables
  return {mend_utf8(converter.convert(bytes)), lower(encoding)};
}

}  // namespace

std::string charset_of(std::string_view content_type) {
  const std::size_t parameters = content_type.find(';');
  if (parameters == content_type.npos) return {};
  return after_charset(lower(content_type.substr(parameters)));
}

std::string charset_in_page(std::string_view html) {
  const std::string head = lower(html.substr(0, kPrescanBytes));
  for (std::size_t at = 0; (at = head.find("<meta", at)) != head.npos; ++at) {
    const std::string_view tag = std::string_view(head).substr(at);
    std::string label = after_charset(tag.substr(0, tag.find('>')));
    // Whoever reads it as ASCII bytes knows that it is not UTF-16.
    if (!label.empty()) return label.starts_with("utf-16") ? "utf-8" : label;
  }
  return {};
}

DecodedText decode_text(std::string_view bytes, std::string_view label) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return decode_as(bytes.substr(3), "UTF-8");
  if (bytes.starts_with("\xFE\xFF")) return decode_as(bytes.substr(2), "UTF-16BE");
  if (bytes.starts_with("\xFF\xFE")) return decode_as(bytes.substr(2), "UTF-16LE");
  if (const char* encoding = encoding_of(label)) return decode_as(bytes, encoding);
  return decode_as(bytes, is_valid_utf8(bytes) ? "UTF-8" : "WINDOWS-1252");
}

}  // namespace toolgate
