#include "builtin/grep_matches.h"

#include <algorithm>
#include <tuple>

#include "base/json.h"
#include "base/utf8.h"
#include "builtin/ripgrep.h"
#include "tokens/base64.h"

namespace toolgate {
namespace {

constexpr std::string_view kMatchLine = R"({"type":"match")";

// {"text":"…"} or, where it is no UTF-8, {"bytes":"…"} in base64.
std::optional<std::string> read_text(const json::value* value) {
  if (!value) return std::nullopt;
  if (const json::value* text = find(*value, "text"); text && text->is_string())
    return std::string(text->get_string());
  if (const json::value* bytes = find(*value, "bytes"); bytes && bytes->is_string())
    return decode_base64_prefix(bytes->get_string(), bytes->get_string().size());
  return std::nullopt;
}

std::uint64_t read_count(const json::value* value) {
  return value && value->is_number() ? value->to_number<std::uint64_t>() : 0;
}

std::optional<GrepMatch> parse_match(std::string_view line) {
  const auto message = parse_json(line);
  const json::value* data = message ? find(*message, "data") : nullptr;
  if (!data) return std::nullopt;
  auto path = read_text(find(*data, "path"));
  auto text = read_text(find(*data, "lines"));
  if (!path || !text) return std::nullopt;
  GrepMatch match{.path = std::string(plain_path(*path)),
                  .line = read_count(find(*data, "line_number")),
                  .offset = read_count(find(*data, "absolute_offset")),
                  .text = std::move(*text)};
  const json::value* found = find(*data, "submatches");
  if (found && found->is_array() && !found->get_array().empty())
    match.start = read_count(find(found->get_array().front(), "start"));
  return match;
}

// At most one character's bytes further on.
std::size_t next_character(std::string_view text, std::size_t at) {
  for (int i = 0; i < 3 && at < text.size() && (text[at] & 0xC0) == 0x80; ++i) ++at;
  return at;
}

}  // namespace

std::vector<GrepMatch> parse_grep_matches(std::string_view output) {
  std::vector<GrepMatch> matches;
  for (std::size_t end = output.find('\n'); end != std::string_view::npos;
       end = output.find('\n')) {
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(end + 1);
    if (!line.starts_with(kMatchLine)) continue;
    if (auto match = parse_match(line)) matches.push_back(std::move(*match));
  }
  std::ranges::sort(matches, {},
                    [](const GrepMatch& match) { return std::tie(match.path, match.line); });
  return matches;
}

std::size_t GrepMatchCounter::add(std::string_view piece) {
  const std::string wanted = "\n" + std::string(kMatchLine);
  carried_ += piece;
  std::size_t at = 0;
  while ((at = carried_.find(wanted, at)) != std::string::npos) {
    ++count_;
    at += wanted.size();
  }
  // What is kept is shorter than what is looked for, so nothing counts twice.
  carried_.erase(0, carried_.size() - std::min(carried_.size(), wanted.size() - 1));
  return count_;
}

std::string excerpt(std::string_view text, std::size_t start, std::size_t most) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  if (text.size() <= most) return mend_utf8(text);
  const std::size_t before = most / 4;
  std::size_t begin = start > before ? start - before : 0;
  begin = next_character(text, std::min(begin, text.size() - most));
  const std::string_view part = first_characters(text.substr(begin), most);
  return fmt::format("{}{}{}", begin > 0 ? "…" : "", mend_utf8(part),
                     begin + part.size() < text.size() ? "…" : "");
}

std::string escape_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '\r') continue;
    if (c == '\n') {
      pattern += R"(\r?\n)";
      continue;
    }
    if (std::string_view(R"(\.+*?()|[]{}^$#&-~)").contains(c)) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

bool has_line_break(std::string_view query, bool is_pattern) {
  return query.contains('\n') || (is_pattern && query.contains("\\n"));
}

}  // namespace toolgate
