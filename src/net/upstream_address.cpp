#include "net/upstream_address.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <boost/asio/ip/address_v6.hpp>

namespace toolgate {
namespace {

constexpr std::size_t kMostHostBytes = 253;

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_path_character(char c) {
  return is_alphanumeric(c) || std::string_view("-._~%!$&'()*+,;=:/").contains(c);
}

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto result = std::from_chars(text.begin(), text.end(), port);
  return result.ec == std::errc() && result.ptr == text.end() && port >= 1 && port <= 65535;
}

bool is_bracketed_ipv6(std::string_view text) {
  if (text.size() < 2 || !text.starts_with('[') || !text.ends_with(']')) return false;
  const std::string inside(text.substr(1, text.size() - 2));
  if (inside.contains('%')) return false;  // a zone means nothing to other machines
  boost::system::error_code error;
  boost::asio::ip::make_address_v6(inside, error);
  return !error;
}

struct Authority {
  std::string_view host;
  std::optional<std::string_view> port;
};

Authority split_authority(std::string_view text) {
  const auto bracket = text.starts_with('[') ? text.find(']') : text.npos;
  const auto colon = text.find(':', bracket == text.npos ? 0 : bracket);
  if (colon == text.npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::optional<std::string_view> take_scheme(std::string_view& url) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    const auto same = [](char a, char b) { return (is_alphanumeric(a) ? a | 0x20 : a) == b; };
    if (url.size() >= scheme.size() &&
        std::ranges::equal(url.substr(0, scheme.size()), scheme, same)) {
      url.remove_prefix(scheme.size());
      return scheme;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<UpstreamAddress> parse_base_url(std::string_view url) {
  const auto refuse = [](std::string_view reason) {
    return fail(Errc::InvalidSettings, "{}", reason);
  };
  const auto scheme = take_scheme(url);
  if (!scheme) return refuse("must begin with http:// or https://");
  if (url.contains('?') || url.contains('#'))
    return refuse("must not contain a query (?) or a fragment (#)");

  const auto slash = std::min(url.find('/'), url.size());
  const auto authority = url.substr(0, slash);
  auto path = url.substr(slash);
  if (url.contains('@')) return refuse("must not contain a user name or password (@)");
  const auto [host, port] = split_authority(authority);
  if (host.empty()) return refuse("must name a host");
  if (!is_host_name(host)) return refuse("must name a host of letters, digits, '-' and '.'");
  if (port && !is_port(*port)) return refuse("must have a port from 1 to 65535");
  if (!std::ranges::all_of(path, is_path_character))
    return refuse(
        "must not contain spaces, control characters or others that a path has to escape");
  while (path.ends_with('/')) path.remove_suffix(1);

  UpstreamAddress address;
  address.tls = *scheme == "https://";
  address.host = host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
  address.port = port.value_or(address.tls ? "443" : "80");
  address.path = path;
  address.authority = authority;
  address.key = fmt::format("{}{}:{}", *scheme, address.host, address.port);
  address.url = fmt::format("{}{}{}", *scheme, authority, path);
  return address;
}

bool is_host_name(std::string_view text) {
  if (is_bracketed_ipv6(text)) return true;
  if (text.empty() || text.size() > kMostHostBytes) return false;
  if (text.starts_with('.') || text.starts_with('-') || text.contains("..")) return false;
  return std::ranges::all_of(
      text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '.' || c == '_'; });
}

}  // namespace toolgate
