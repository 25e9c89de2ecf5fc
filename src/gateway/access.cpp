#include "gateway/access.h"

#include <algorithm>

#include <boost/asio/ip/address.hpp>

#include "base/ids.h"

namespace toolgate {
namespace {

// "localhost:8080" -> "localhost", "[::1]:8080" -> "::1"; nothing when it is malformed.
std::optional<std::string_view> host_without_port(std::string_view host) {
  std::string_view port;
  if (host.starts_with('[')) {
    const std::size_t close = host.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    port = host.substr(close + 1);
    host = host.substr(1, close - 1);
  } else if (const std::size_t colon = host.find(':'); colon != std::string_view::npos) {
    port = host.substr(colon);
    host = host.substr(0, colon);
  }
  if (!port.empty() &&
      (port.front() != ':' || port.find_first_not_of("0123456789", 1) != std::string_view::npos))
    return std::nullopt;
  if (host.empty()) return std::nullopt;
  return host;
}

bool is_loopback(std::string_view host) {
  if (host == "127.0.0.1" || equal_ignoring_case(host, "localhost")) return true;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  return !error && address.is_loopback();
}

bool is_allowed(std::string_view host_and_port, std::string_view own_address,
                std::span<const std::string> allowed_hosts) {
  const auto host = host_without_port(host_and_port);
  if (!host) return false;
  return is_loopback(*host) || equal_ignoring_case(*host, own_address) ||
         std::ranges::any_of(allowed_hosts, [&](const std::string& allowed) {
           return equal_ignoring_case(*host, allowed);
         });
}

// An Origin is "scheme://host[:port]"; "null" and everything else is foreign.
std::string_view origin_host(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme)) return origin.substr(scheme.size());
  return {};
}

std::string_view presented_key(const HttpHead& head) {
  if (const auto authorization = head.find("authorization")) {
    constexpr std::string_view kBearer = "bearer ";
    if (authorization->size() > kBearer.size() &&
        equal_ignoring_case(authorization->substr(0, kBearer.size()), kBearer))
      return authorization->substr(kBearer.size());
  }
  for (const std::string_view name : {"x-api-key", "api-key"})
    if (const auto key = head.find(name)) return *key;
  return {};
}

}  // namespace

std::string_view access_name(Access access) {
  switch (access) {
    case Access::Open:
      return "open";
    case Access::Key:
      return "key";
    case Access::Operator:
      return "operator";
  }
  return "";
}

Result<void> check_origin(const HttpHead& head, std::string_view own_address,
                          std::span<const std::string> allowed_hosts) {
  const std::string_view host = head.find("host").value_or("");
  if (!is_allowed(host, own_address, allowed_hosts))
    return fail_at(
        "Host", Errc::Forbidden,
        "this gateway does not answer for the host '{}'; list it in toolgate.allowedHosts", host);
  const auto origin = head.find("origin");
  if (origin && !is_allowed(origin_host(*origin), own_address, allowed_hosts))
    return fail_at("Origin", Errc::Forbidden,
                   "pages of '{}' may not use this gateway; list its host in toolgate.allowedHosts",
                   *origin);
  return {};
}

Result<std::string> check_key(const HttpHead& head, Access access, std::span<const ApiKey> keys,
                              std::string_view operator_token) {
  if (access == Access::Open) return std::string();
  const std::string_view given = presented_key(head);
  if (!operator_token.empty() && equal_in_constant_time(given, operator_token))
    return std::string(kOperatorName);
  if (access == Access::Key && keys.empty()) return std::string();
  if (access == Access::Operator)
    return fail(Errc::Unauthorized,
                "this route wants the operator token (the file operator-token in the data folder)");
  // All are compared, so that the time does not tell which one was near.
  const ApiKey* found = nullptr;
  for (const ApiKey& key : keys)
    if (equal_in_constant_time(given, key.value)) found = &key;
  if (found) return found->name;
  return fail(Errc::Unauthorized, "{}",
              given.empty() ? "an API key is needed: send 'Authorization: Bearer KEY'"
                            : "the API key is not known here");
}

}  // namespace toolgate
