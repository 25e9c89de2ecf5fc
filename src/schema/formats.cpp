// See formats.h. Dates, pointers and identifiers here; names of the network in formats_network.cpp.
#include "schema/formats.h"

#include <algorithm>
#include <array>

#include "schema/formats_network.h"
#include "schema/pattern.h"

namespace toolgate {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Exactly `count` digits at the beginning, taken away; -1 where there are not.
int take_number(std::string_view& text, std::size_t count) {
  if (text.size() < count) return -1;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (!is_digit(c)) return -1;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

bool is_date(std::string_view text) {
  static constexpr std::array kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int year = take_number(text, 4);
  if (year < 0 || !take(text, '-')) return false;
  const int month = take_number(text, 2);
  if (month < 1 || month > 12 || !take(text, '-')) return false;
  const int day = take_number(text, 2);
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const int last = month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
  return text.empty() && day >= 1 && day <= last;
}

// Minutes east of Greenwich; false where it is no offset.
bool take_offset(std::string_view& text, int& minutes) {
  minutes = 0;
  if (take(text, 'Z') || take(text, 'z')) return true;
  const bool west = text.starts_with('-');
  if (!take(text, '+') && !take(text, '-')) return false;
  const int hour = take_number(text, 2);
  if (hour < 0 || hour > 23 || !take(text, ':')) return false;
  const int minute = take_number(text, 2);
  if (minute < 0 || minute > 59) return false;
  minutes = (hour * 60 + minute) * (west ? -1 : 1);
  return true;
}

bool is_time(std::string_view text) {
  const int hour = take_number(text, 2);
  if (hour < 0 || hour > 23 || !take(text, ':')) return false;
  const int minute = take_number(text, 2);
  if (minute < 0 || minute > 59 || !take(text, ':')) return false;
  const int second = take_number(text, 2);
  if (second < 0 || second > 60) return false;
  if (take(text, '.')) {
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) ++digits;
    if (digits == 0) return false;
    text.remove_prefix(digits);
  }
  int offset = 0;
  if (!take_offset(text, offset) || !text.empty()) return false;
  // A leap second is the last one of a day in Greenwich.
  const int there = ((hour * 60 + minute - offset) % 1440 + 1440) % 1440;
  return second < 60 || there == 23 * 60 + 59;
}

bool is_date_time(std::string_view text) {
  if (text.size() < 11 || (text[10] != 'T' && text[10] != 't')) return false;
  return is_date(text.substr(0, 10)) && is_time(text.substr(11));
}

// Numbers with units in the order of `units`, each at most once, without gaps; the units taken are
// removed from the text.
bool take_units(std::string_view& text, std::string_view units, bool& any) {
  std::size_t next = units.size();  // the first unit may be any
  while (!text.empty() && is_digit(text.front())) {
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) ++digits;
    if (digits == text.size()) return false;
    const auto unit = units.find(text[digits]);
    if (unit == units.npos || (any && unit != next)) return false;
    next = unit + 1;
    any = true;
    text.remove_prefix(digits + 1);
  }
  return true;
}

bool is_duration(std::string_view text) {
  if (!take(text, 'P')) return false;
  bool week = false;
  if (std::string_view rest = text; take_units(rest, "W", week) && week) return rest.empty();
  bool days = false;
  if (!take_units(text, "YMD", days)) return false;
  if (text.empty()) return days;
  bool times = false;
  return take(text, 'T') && take_units(text, "HMS", times) && times && text.empty();
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

bool is_json_pointer(std::string_view text) {
  if (text.empty()) return true;
  if (text.front() != '/') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '~') continue;
    if (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) return false;
  }
  return true;
}

bool is_relative_json_pointer(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  if (digits == 0 || (digits > 1 && text[0] == '0')) return false;
  text.remove_prefix(digits);
  return text == "#" || is_json_pointer(text);
}

struct Named {
  std::string_view name;
  Format format;
};
constexpr std::array kNames{
    Named{"date-time", Format::DateTime},
    Named{"date", Format::Date},
    Named{"time", Format::Time},
    Named{"duration", Format::Duration},
    Named{"email", Format::Email},
    Named{"idn-email", Format::IdnEmail},
    Named{"hostname", Format::Hostname},
    Named{"idn-hostname", Format::IdnHostname},
    Named{"ipv4", Format::Ipv4},
    Named{"ipv6", Format::Ipv6},
    Named{"uri", Format::Uri},
    Named{"uri-reference", Format::UriReference},
    Named{"iri", Format::Iri},
    Named{"iri-reference", Format::IriReference},
    Named{"uri-template", Format::UriTemplate},
    Named{"uuid", Format::Uuid},
    Named{"json-pointer", Format::JsonPointer},
    Named{"relative-json-pointer", Format::RelativeJsonPointer},
    Named{"regex", Format::Regex},
};

}  // namespace

Format format_named(std::string_view name) {
  for (const auto& each : kNames) {
    if (each.name == name) return each.format;
  }
  return Format::Unknown;
}

std::uint64_t format_steps(Format format, std::string_view text) {
  switch (format) {
    case Format::Regex:  // gets compiled
      return 200 + text.size() * 4;
    case Format::IdnEmail:
    case Format::IdnHostname:
    case Format::Email:
    case Format::Hostname:  // names in Punycode go through Unicode's tables, but names are short
      return text.size() / 4 + std::min<std::size_t>(text.size(), 1000) * 8;
    default:
      return text.size() / 4;
  }
}

bool matches_format(Format format, std::string_view text) {
  switch (format) {
    case Format::Unknown:
      return true;
    case Format::DateTime:
      return is_date_time(text);
    case Format::Date:
      return is_date(text);
    case Format::Time:
      return is_time(text);
    case Format::Duration:
      return is_duration(text);
    case Format::Email:
      return is_email(text, false);
    case Format::IdnEmail:
      return is_email(text, true);
    case Format::Hostname:
      return is_hostname(text, false);
    case Format::IdnHostname:
      return is_hostname(text, true);
    case Format::Ipv4:
      return is_ipv4(text);
    case Format::Ipv6:
      return is_ipv6(text);
    case Format::Uri:
      return is_uri(text, false, false);
    case Format::UriReference:
      return is_uri(text, true, false);
    case Format::Iri:
      return is_uri(text, false, true);
    case Format::IriReference:
      return is_uri(text, true, true);
    case Format::UriTemplate:
      return is_uri_template(text);
    case Format::Uuid:
      return is_uuid(text);
    case Format::JsonPointer:
      return is_json_pointer(text);
    case Format::RelativeJsonPointer:
      return is_relative_json_pointer(text);
    case Format::Regex:
      return Pattern::make(text, true).has_value();
  }
  return true;
}

}  // namespace toolgate
