#include "net/http_client.h"

#include <charconv>

namespace toolgate {
namespace {

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

bool has_forbidden_characters(std::string_view url) {
  for (const unsigned char c : url)
    if (c <= ' ' || c == 0x7f || c == '?' || c == '#' || c == '@' || c == '\\') return true;
  return false;
}

}  // namespace

Result<UpstreamAddress> parse_base_url(std::string_view url) {
  UpstreamAddress address;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    address.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return fail(Errc::InvalidSettings, "'{}' does not begin with http:// or https://", url);
  }
  if (has_forbidden_characters(url))
    return fail(Errc::InvalidSettings, "'{}' may hold no user, query, fragment, space or backslash",
                url);

  const std::size_t slash = rest.find('/');
  address.authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) address.path = rest.substr(slash);
  while (address.path.ends_with('/')) address.path.pop_back();

  std::string_view host = address.authority;
  std::string_view port;
  if (host.starts_with('[')) {
    const std::size_t close = host.find(']');
    if (close == std::string_view::npos)
      return fail(Errc::InvalidSettings, "'{}' lacks a ']'", url);
    port = host.substr(close + 1);
    host = host.substr(1, close - 1);
  } else {
    const std::size_t colon = host.find(':');
    if (colon != std::string_view::npos) port = host.substr(colon);
    host = host.substr(0, colon);
  }
  if (host.empty()) return fail(Errc::InvalidSettings, "'{}' names no host", url);
  if (!port.empty() && (port.front() != ':' || !is_port(port.substr(1))))
    return fail(Errc::InvalidSettings, "'{}' has a wrong port", url);

  address.host = host;
  address.port = port.empty() ? (address.tls ? "443" : "80") : port.substr(1);
  address.key =
      fmt::format("{}://{}:{}", address.tls ? "https" : "http", address.host, address.port);
  return address;
}

}  // namespace toolgate
