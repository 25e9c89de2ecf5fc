// The formats of JSON Schema that can be asserted. Unknown formats assert nothing.
#pragma once

#include <cstdint>
#include <string_view>

namespace toolgate {

enum class Format : std::uint8_t {
  Unknown,
  DateTime,
  Date,
  Time,
  Duration,
  Email,
  IdnEmail,
  Hostname,
  IdnHostname,
  Ipv4,
  Ipv6,
  Uri,
  UriReference,
  Iri,
  IriReference,
  UriTemplate,
  Uuid,
  JsonPointer,
  RelativeJsonPointer,
  Regex,
};

Format format_named(std::string_view name);
bool matches_format(Format format, std::string_view text);
// What that takes, in steps of a check.
std::uint64_t format_steps(Format format, std::string_view text);

}  // namespace toolgate
