#include "net/http_url.h"

#include <algorithm>
#include <vector>

#include "base/ascii.h"

namespace toolgate {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

bool has_scheme(std::string_view reference) {
  const auto colon = reference.find(':');
  return colon != reference.npos && colon < reference.find_first_of("/?");
}

// "." and ".." taken out, as RFC 3986, 5.2.4 says.
std::string without_dots(std::string_view path) {
  std::vector<std::string_view> kept;
  bool ends_with_slash = false;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const auto segment = path.substr(at, end - at);
    if (segment == ".." && !kept.empty()) kept.pop_back();
    ends_with_slash = segment == "." || segment == "..";
    if (!ends_with_slash) kept.push_back(segment);
    at = end + 1;
  }
  std::string out;
  for (const std::string_view segment : kept) out.append("/").append(segment);
  if (ends_with_slash || out.empty()) out += '/';
  return out;
}

// Servers send spaces and UTF-8 in Location as they are; browsers escape them.
std::string escape_strangers(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_url_character(c) || c == '%')
      out += c;
    else
      append_percent_encoded(out, std::string_view(&c, 1));
  }
  return out;
}

}  // namespace

SplitUrl split_url(std::string_view url) {
  const std::size_t slashes = url.find("://");
  const std::size_t authority = slashes == url.npos ? 0 : slashes + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", authority), url.size());
  return {url.substr(0, end), url.substr(end)};
}

bool is_url_character(char c) {
  return is_ascii_letter_or_digit(c) || std::string_view("-._~!$&'()*+,;=:@/?").contains(c);
}

void append_percent_encoded(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (is_ascii_letter_or_digit(c) || c == '-' || c == '.' || c == '_' || c == '~')
      out += c;
    else
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
  }
}

Result<HttpUrl> parse_http_url(std::string_view url) {
  const auto [origin, rest] = split_url(url);
  auto address = parse_base_url(origin);
  if (!address) return std::unexpected(address.error());
  if (rest.contains('#')) return fail(Errc::InvalidSettings, "must not contain a fragment (#)");
  if (!std::ranges::all_of(rest, [](char c) { return is_url_character(c) || c == '%'; }))
    return fail(Errc::InvalidSettings,
                "must not contain spaces, control characters or others that have to be escaped");
  HttpUrl parsed{std::move(*address), rest.starts_with('/') ? "" : "/"};
  parsed.target += rest;
  return parsed;
}

Result<HttpUrl> resolve_location(const HttpUrl& from, std::string_view location) {
  if (std::ranges::any_of(location, is_control))
    return fail(Errc::InvalidSettings, "must not contain control characters");
  location = location.substr(0, location.find('#'));
  if (has_scheme(location)) {
    const auto [origin, rest] = split_url(location);
    auto next = parse_http_url(std::string(origin) + escape_strangers(rest));
    if (next && from.origin.tls && !next->origin.tls)
      return fail(Errc::InvalidSettings, "must not lead from https to http");
    return next;
  }
  const std::string_view scheme = from.origin.tls ? "https:" : "http:";
  if (location.starts_with("//"))
    return resolve_location(from, fmt::format("{}{}", scheme, location));

  const std::string_view base = from.target;
  const std::string_view path = base.substr(0, base.find('?'));
  std::string target;
  if (location.empty()) {
    target = base;
  } else if (location.starts_with('?')) {
    target.append(path).append(location);
  } else {
    const std::size_t question = std::min(location.find('?'), location.size());
    std::string whole(location.starts_with('/') ? "" : path.substr(0, path.rfind('/') + 1));
    whole.append(location.substr(0, question));
    target.append(without_dots(whole)).append(location.substr(question));
  }
  return HttpUrl{from.origin, escape_strangers(target)};
}

bool same_origin(const HttpUrl& a, const HttpUrl& b) {
  return equal_ignoring_case(a.origin.key, b.origin.key);
}

}  // namespace toolgate
