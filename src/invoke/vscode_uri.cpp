#include "invoke/vscode_uri.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/percent.h"
#include "invoke/code_points.h"

namespace toolgate {
namespace {

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f');
}

// "%" and two letters or digits; that they are no hexadecimal digits shows only later.
bool is_escape(std::string_view text, std::size_t at) {
  return at + 2 < text.size() && text[at] == '%' && is_ascii_letter_or_digit(text[at + 1]) &&
         is_ascii_letter_or_digit(text[at + 2]);
}

// For each escape of the run whether the rest from there on is UTF-8 as a whole.
std::vector<bool> decodable_rests(std::string_view run) {
  const std::size_t count = run.size() / 3;
  std::string bytes(count, '\xFF');
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view escape = run.substr(i * 3, 3);
    if (is_hex(escape[1]) && is_hex(escape[2])) bytes[i] = decode_percent(escape)[0];
  }
  std::vector<bool> decodable(count + 1, false);
  decodable[count] = true;
  for (std::size_t i = count; i-- > 0;) {
    const CodePoint point = read_code_point(bytes, i);
    decodable[i] = point.valid && decodable[i + point.bytes];
  }
  return decodable;
}

// Escapes at the beginning that cannot be decoded with all the rest stay as they are.
void append_decoded_run(std::string& out, std::string_view run) {
  const std::vector<bool> decodable = decodable_rests(run);
  const auto first = std::ranges::find(decodable, true) - decodable.begin();
  out += run.substr(0, static_cast<std::size_t>(first) * 3);
  out += decode_percent(run.substr(static_cast<std::size_t>(first) * 3));
}

std::string decode_component(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (is_escape(text, end)) end += 3;
    if (end > at)
      append_decoded_run(out, text.substr(at, end - at));
    else
      out += text[end++];
    at = end;
  }
  return out;
}

// What the text begins with up to one of `ends`, which is cut off it.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::string_view taken = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(taken.size());
  return taken;
}

bool is_scheme(std::string_view text) {
  const auto fits = [](char c) { return is_ascii_letter_or_digit(c) || c == '_'; };
  return !text.empty() && fits(text[0]) && std::ranges::all_of(text, [&](char c) {
    return fits(c) || c == '+' || c == '.' || c == '-';
  });
}

bool is_rooted(std::string_view scheme) {
  return scheme == "https" || scheme == "http" || scheme == "file";
}

void root_path(VscodeUri& uri) {
  if (is_rooted(uri.scheme) && !uri.path.starts_with('/')) uri.path.insert(0, 1, '/');
}

bool is_legal(const VscodeUri& uri) {
  if (!is_scheme(uri.scheme)) return false;
  if (uri.authority.empty()) return !uri.path.starts_with("//");
  return uri.path.empty() || uri.path.starts_with('/');
}

// Escapes what would end the component, and what would be taken for an escape.
void append_component(std::string& out, std::string_view text, std::string_view ends) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (ends.contains(text[at]))
      out += fmt::format("%{:02X}", text[at]);
    else if (is_escape(text, at))
      out += "%25";
    else
      out += text[at];
  }
}

}  // namespace

std::optional<VscodeUri> parse_vscode_uri(std::string_view text) {
  VscodeUri uri;
  if (const auto end = text.find_first_of(":/?#");
      end != text.npos && end > 0 && text[end] == ':') {
    uri.scheme = text.substr(0, end);
    uri.has_scheme = true;
    text.remove_prefix(end + 1);
  } else {
    uri.scheme = "file";
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    uri.authority = decode_component(take_until(text, "/?#"));
  }
  uri.path = decode_component(take_until(text, "?#"));
  if (text.starts_with('?')) {
    text.remove_prefix(1);
    uri.query = decode_component(take_until(text, "#"));
  }
  if (text.starts_with('#')) uri.fragment = decode_component(text.substr(1));
  root_path(uri);
  if (!is_legal(uri)) return std::nullopt;
  return uri;
}

VscodeUri VscodeUri::without_ending() const {
  VscodeUri uri{.scheme = scheme, .authority = authority, .path = path, .has_scheme = has_scheme};
  uri.path.erase(uri.path.find_last_not_of('/') + 1);
  root_path(uri);
  return uri;
}

std::string VscodeUri::text() const {
  std::string out = scheme + ":";
  if (!authority.empty() || scheme == "file") out += "//";
  std::string lower = authority;
  std::ranges::transform(lower, lower.begin(), ascii_lower);
  append_component(out, lower, "/?#");
  append_component(out, path, "?#");
  if (!query.empty()) append_component(out += '?', query, "?#");
  if (!fragment.empty()) append_component(out += '#', fragment, {});
  return out;
}

}  // namespace toolgate
