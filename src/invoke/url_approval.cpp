#include "invoke/url_approval.h"

#include <algorithm>
#include <arpa/inet.h>
#include <ranges>

#include "base/ascii.h"
#include "invoke/vscode_uri.h"

namespace toolgate {
namespace {

enum class Part { Plain, Host };  // a host may have a port

// Whether the glob's rest from `at` on is ":*", which stands for any port and for none.
bool is_any_port(Part part, std::string_view glob, std::size_t at) {
  return part == Part::Host && glob.substr(at, 2) == ":*";
}

// One row per place in the text, from its end: row[g] says whether the text from there on matches
// the glob from `g` on.
using Row = std::vector<char>;

Row row_at_end(Part part, std::string_view glob) {
  Row row(glob.size() + 1, 0);
  row[glob.size()] = 1;
  if (glob.size() >= 2) row[glob.size() - 2] = is_any_port(part, glob, glob.size() - 2) ? 1 : 0;
  return row;
}

Row row_before(const Row& next, Part part, std::string_view text, std::size_t at,
               std::string_view glob) {
  const char c = text[at];
  const bool is_last = at + 1 == text.size();
  const bool begins_label = at == 0 || text[at - 1] == '.';
  Row row(glob.size() + 1, 0);
  row[glob.size()] = c == '/' ? 1 : 0;
  for (std::size_t g = glob.size(); g-- > 0;) {
    bool matches = c == glob[g] && next[g + 1] != 0;
    if (glob.substr(g, 2) == "*.") {
      matches |= c != '/' && c != ':' && next[g] != 0;
      matches |= begins_label && row[g + 2] != 0;
    }
    if (glob[g] == '*') matches |= next[is_last ? g + 1 : g] != 0 || row[g + 1] != 0;
    if (is_any_port(part, glob, g)) matches |= c != ':' && row[g + 2] != 0;
    row[g] = matches ? 1 : 0;
  }
  return row;
}

// A '*' stands for one character at least where it is the last of the glob; a leading "*." for any
// labels or none; a glob that ends also takes what follows after a '/'.
bool matches_part(std::string_view text, std::string_view glob, Part part) {
  Row row = row_at_end(part, glob);
  for (std::size_t at = text.size(); at-- > 0;) row = row_before(row, part, text, at, glob);
  return row[0] != 0;
}

// "https://" and the like; what has a dot before it is a host with a port.
bool names_scheme(std::string_view pattern) {
  const auto end = pattern.find_first_of("./:");
  return end != pattern.npos && pattern.substr(end).starts_with("://");
}

bool is_web(std::string_view scheme) {
  return scheme == "http" || scheme == "https";
}

std::optional<VscodeUri> parse_pattern(std::string_view pattern, std::string_view scheme_of_url) {
  std::string text(pattern);
  if (!names_scheme(pattern)) {
    if (!is_web(scheme_of_url)) return std::nullopt;
    text.insert(0, std::string(scheme_of_url) + "://");
  }
  const auto parsed = parse_vscode_uri(text);
  if (!parsed) return std::nullopt;
  return parsed->without_ending();
}

// Both without_ending().
bool matches_uri(const VscodeUri& url, const VscodeUri& pattern) {
  return url.scheme == pattern.scheme &&
         matches_part(url.authority, pattern.authority, Part::Host) &&
         (pattern.path == "/" || matches_part(url.path, pattern.path, Part::Plain));
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), ascii_lower);
  return text;
}

// VS Code compares hosts in lower case, and paths of this one.
constexpr std::string_view kHostWithoutCase = "github.com";

// Programs take a host for an IPv4 address when its last label is a number, however it is written.
bool is_numeric(std::string_view host) {
  const std::string_view label = host.substr(host.rfind('.') + 1);
  if (label.starts_with("0x") || label.starts_with("0X")) return true;
  return !label.empty() && label.find_first_not_of("0123456789") == label.npos;
}

// Written as most programs write it.
bool is_usual_address(int family, std::string_view text) {
  in6_addr address{};
  char usual[INET6_ADDRSTRLEN] = {};
  if (inet_pton(family, std::string(text).c_str(), &address) != 1) return false;
  return inet_ntop(family, &address, usual, sizeof(usual)) != nullptr && text == usual;
}

std::string_view without_port(std::string_view authority) {
  const auto address_end = authority.find(']');
  const auto colon = authority.find(':', address_end == authority.npos ? 0 : address_end);
  return authority.substr(0, colon);
}

bool is_usual_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 && text[0] != '0' &&
         text.find_first_not_of("0123456789") == text.npos;
}

// In lower case.
bool is_plain_host(std::string_view authority) {
  const std::string_view host = without_port(authority);
  const std::string_view port = authority.substr(host.size());
  if (!port.empty() && !is_usual_port(port.substr(1))) return false;
  if (host.starts_with('['))
    return host.ends_with(']') && is_usual_address(AF_INET6, host.substr(1, host.size() - 2));
  if (is_numeric(host)) return is_usual_address(AF_INET, host);
  return !host.empty() && !host.ends_with('.') && std::ranges::all_of(host, [](char c) {
    return is_ascii_letter_or_digit(c) || c == '-' || c == '.' || c == '_';
  });
}

bool has_dot_segment(std::string_view path) {
  return std::ranges::any_of(std::views::split(path, '/'), [](auto&& segment) {
    const std::string_view name(segment);
    return name == "." || name == "..";
  });
}

// Nothing beyond it was ever meant to be fetched.
constexpr std::size_t kLongestUrl = 65536;

// The URL as parsed, where every program reads it alike. Whoever fetches it may strip a line break,
// turn a backslash, resolve "..", decode a host, take "0x7f.1" for an address or "ｅ" for an "e"; a
// rule that was meant for what is then fetched would not be found.
std::optional<VscodeUri> parse_plain_url(std::string_view text) {
  const auto is_unsafe = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '\\';
  };
  if (text.size() > kLongestUrl || std::ranges::any_of(text, is_unsafe)) return std::nullopt;
  auto url = parse_vscode_uri(text);
  if (!url || !url->has_scheme || url->authority.empty()) return std::nullopt;
  const bool as_written = text.substr(url->scheme.size() + 3).starts_with(url->authority);
  url->authority = lower_case(std::move(url->authority));
  if (!as_written || !is_plain_host(url->authority)) return std::nullopt;
  if (has_dot_segment(url->path)) return std::nullopt;
  if (url->authority == kHostWithoutCase) url->path = lower_case(std::move(url->path));
  return url;
}

// The same place without a port that goes without saying.
VscodeUri without_usual_port(VscodeUri url) {
  const std::string_view port = url.scheme == "https" ? ":443" : url.scheme == "http" ? ":80" : "";
  if (!port.empty() && url.authority.ends_with(port))
    url.authority.resize(url.authority.size() - port.size());
  return url;
}

bool matches_rule(const VscodeUri& url, std::string_view pattern_text) {
  auto pattern = parse_pattern(pattern_text, url.scheme);
  if (!pattern) return false;
  pattern->authority = lower_case(std::move(pattern->authority));
  if (url.authority == kHostWithoutCase) pattern->path = lower_case(std::move(pattern->path));
  return matches_uri(url, *pattern) || matches_uri(without_usual_port(url), *pattern);
}

std::optional<bool> answer_of(const UrlRule& rule, UrlSide side) {
  return side == UrlSide::Request ? rule.approve_request : rule.approve_response;
}

// Of foo.bar.example.com these are *.bar.example.com and *.example.com.
std::vector<std::string> parents_of(std::string_view authority) {
  std::vector<std::string> parents;
  if (authority.starts_with('[') || is_numeric(without_port(authority))) return parents;
  for (auto dot = authority.find('.'); dot != authority.npos; dot = authority.find('.', dot + 1))
    if (authority.find('.', dot + 1) != authority.npos)
      parents.push_back("*" + std::string(authority.substr(dot)));
  return parents;
}

// Of /api/v1/users these are /api/v1 and /api.
std::vector<std::string> folders_of(std::string_view path) {
  std::vector<std::string> folders;
  std::string folder;
  for (const auto segment : std::views::split(path, '/')) {
    if (segment.empty()) continue;
    folders.insert(folders.begin(), folder);
    folder += '/';
    folder += std::string_view(segment);
  }
  return folders;
}

}  // namespace

bool matches_url(std::string_view url, std::string_view pattern) {
  const auto parsed = parse_vscode_uri(url);
  if (!parsed) return false;
  const auto parsed_pattern = parse_pattern(pattern, parsed->scheme);
  return parsed_pattern && matches_uri(parsed->without_ending(), *parsed_pattern);
}

std::optional<std::string> approving_pattern(std::string_view url, std::span<const UrlRule> rules,
                                             UrlSide side) {
  const auto parsed = parse_plain_url(url);
  if (!parsed) return std::nullopt;
  const VscodeUri place = parsed->without_ending();
  for (const UrlRule& rule : rules) {
    const std::optional<bool> answer = answer_of(rule, side);
    if (!answer || !matches_rule(place, rule.pattern)) continue;
    return *answer ? std::optional(rule.pattern) : std::nullopt;
  }
  return std::nullopt;
}

bool approves_urls(std::span<const std::string> urls, std::span<const UrlRule> rules,
                   UrlSide side) {
  return !urls.empty() && std::ranges::all_of(urls, [&](const std::string& url) {
    return approving_pattern(url, rules, side).has_value();
  });
}

std::vector<std::string> offered_url_patterns(std::string_view url) {
  const auto parsed = parse_plain_url(url);
  if (!parsed) return {};
  const VscodeUri place = parsed->without_ending();
  std::vector<std::string> patterns;
  const auto offer = [&](const VscodeUri& uri) {
    std::string text = uri.text();
    text.erase(text.find_last_not_of('/') + 1);
    // A '*' of the URL itself would stand for more than a person is told.
    if (uri.path.contains('*') || !matches_rule(place, text)) return;
    if (std::ranges::find(patterns, text) == patterns.end()) patterns.push_back(std::move(text));
  };
  offer(*parsed);
  VscodeUri wider{.scheme = place.scheme, .authority = place.authority};
  offer(wider);
  for (std::string& parent : parents_of(place.authority)) {
    wider.authority = std::move(parent);
    offer(wider);
  }
  wider.authority = place.authority;
  for (std::string& folder : folders_of(place.path)) {
    wider.path = std::move(folder);
    offer(wider);
  }
  return patterns;
}

}  // namespace toolgate
