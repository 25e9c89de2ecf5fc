#include "builtin/text_form.h"

#include <vector>

#include "base/line_diff.h"
#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";
constexpr std::size_t kWholeFile = std::size_t{1} << 40;  // lines of context

std::string_view without_mark(std::string_view bytes) {
  if (bytes.starts_with(kMark)) bytes.remove_prefix(kMark.size());
  return bytes;
}

// Whether each line ends with "\r\n"; those that have an end.
std::vector<bool> line_endings(std::string_view bytes) {
  std::vector<bool> endings;
  for (std::size_t at = bytes.find('\n'); at != bytes.npos; at = bytes.find('\n', at + 1))
    endings.push_back(at > 0 && bytes[at - 1] == '\r');
  return endings;
}

TextForm form_of(std::string_view bytes) {
  std::size_t crlf = 0;
  const std::vector<bool> endings = line_endings(bytes);
  for (const bool each : endings) crlf += each ? 1 : 0;
  return {.has_mark = bytes.starts_with(kMark),
          .ends_with_crlf = crlf * 2 > endings.size(),
          .is_mixed = crlf > 0 && crlf < endings.size()};
}

void append_line(std::string& out, std::string_view line, bool ended, bool with_crlf) {
  out += line;
  if (ended) out += with_crlf ? "\r\n" : "\n";
}

std::string write_all_alike(std::string_view text, bool with_crlf) {
  if (!with_crlf) return std::string(text);
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    append_line(out, text.substr(0, feed), feed != text.npos, true);
    text.remove_prefix(feed == text.npos ? text.size() : feed + 1);
  }
  return out;
}

std::string write_mixed(std::string_view text, std::string_view before, bool usual) {
  const std::string old_text = plain_text(before);
  const std::vector<bool> endings = line_endings(before);
  const auto hunks = diff_lines(old_text, text, kWholeFile);
  if (hunks.empty()) return std::string(without_mark(before));
  std::string out;
  std::size_t old_line = 0;
  for (const DiffHunk& hunk : hunks)
    for (const DiffLine& line : hunk.lines) {
      const bool known = old_line < endings.size() && line.kind != DiffLine::Kind::Added;
      const bool with_crlf = known ? endings[old_line] : usual;
      if (line.kind != DiffLine::Kind::Added) ++old_line;
      if (line.kind != DiffLine::Kind::Removed) append_line(out, line.text, line.ended, with_crlf);
    }
  return out;
}

}  // namespace

std::string plain_text(std::string_view bytes) {
  bytes = without_mark(bytes);
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != '\r' || i + 1 == bytes.size() || bytes[i + 1] != '\n') text += bytes[i];
  return text;
}

Result<PlainText> read_plain_text(std::string_view bytes, std::string_view shown) {
  if (bytes.contains('\0'))
    return fail(Errc::InvalidRequest, "{} is binary, not text: it cannot be edited", shown);
  if (!is_valid_utf8(bytes))
    return fail(Errc::InvalidRequest, "{} is not UTF-8 text: it cannot be edited", shown);
  return PlainText{form_of(bytes), plain_text(bytes)};
}

std::string write_in_form(std::string_view text, std::string_view before) {
  const TextForm form = form_of(before);
  const std::string plain = plain_text(text);
  std::string bytes = form.has_mark ? std::string(kMark) : std::string();
  bytes += form.is_mixed ? write_mixed(plain, before, form.ends_with_crlf)
                         : write_all_alike(plain, form.ends_with_crlf);
  return bytes;
}

}  // namespace toolgate
