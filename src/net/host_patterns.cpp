#include "net/host_patterns.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/glob.h"

namespace toolgate {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), ascii_lower);
  return out;
}

}  // namespace

bool names_host(std::span<const std::string> patterns, const UpstreamAddress& address) {
  const std::string host = lower(address.host);
  const std::string bracketed = host.contains(':') ? "[" + host + "]" : host;
  const std::array names{host, bracketed, fmt::format("{}:{}", bracketed, address.port)};
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    const Glob glob(lower(pattern));
    return std::ranges::any_of(names, [&](const std::string& name) { return glob.matches(name); });
  });
}

}  // namespace toolgate
