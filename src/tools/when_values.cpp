// See when_values.h.
#include "tools/when_values.h"

#include <cmath>
#include <limits>

#include "base/json_number.h"

namespace toolgate {
namespace {

constexpr std::string_view kInfinity = "Infinity";

// The blanks of JavaScript beyond ASCII.
constexpr std::string_view kWideBlanks[] = {"\u00A0", "\u1680", "\u2000", "\u2001", "\u2002",
                                            "\u2003", "\u2004", "\u2005", "\u2006", "\u2007",
                                            "\u2008", "\u2009", "\u200A", "\u2028", "\u2029",
                                            "\u202F", "\u205F", "\u3000", "\uFEFF"};

std::size_t blank_length(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r')) return 1;
  if (static_cast<unsigned char>(text[0]) < 0x80) return 0;
  for (const std::string_view blank : kWideBlanks)
    if (text.starts_with(blank)) return blank.size();
  return 0;
}

std::size_t digits_at(std::string_view text, std::size_t from) {
  std::size_t count = 0;
  while (from + count < text.size() && text[from + count] >= '0' && text[from + count] <= '9')
    ++count;
  return count;
}

// How much of the text is a decimal number without a sign.
std::size_t decimal_length(std::string_view text) {
  const std::size_t whole = digits_at(text, 0);
  std::size_t length = whole;
  std::size_t fraction = 0;
  if (text.substr(length).starts_with('.')) {
    fraction = digits_at(text, length + 1);
    if (whole + fraction > 0) length += 1 + fraction;
  }
  if (whole + fraction == 0) return 0;
  if (length < text.size() && (text[length] == 'e' || text[length] == 'E')) {
    const bool sign =
        length + 1 < text.size() && (text[length + 1] == '+' || text[length + 1] == '-');
    const std::size_t digits = digits_at(text, length + 1 + (sign ? 1 : 0));
    if (digits > 0) length += 1 + (sign ? 1 : 0) + digits;
  }
  return length;
}

double number_in(const json::value& value) {
  if (const auto* whole = value.if_int64()) return static_cast<double>(*whole);
  if (const auto* large = value.if_uint64()) return static_cast<double>(*large);
  return value.get_double();
}

void append_string(const json::value& value, std::string& out) {
  std::string scratch;
  out += javascript_string(&value, scratch);
}

}  // namespace

bool is_truthy(const json::value* value) {
  if (value == nullptr || value->is_null()) return false;
  if (const auto* truth = value->if_bool()) return *truth;
  if (const auto* text = value->if_string()) return !text->empty();
  return !value->is_number() || number_in(*value) != 0;
}

bool loosely_equals(const json::value* value, std::string_view text) {
  if (value == nullptr || value->is_null()) return false;
  if (const auto* own = value->if_string()) return std::string_view(*own) == text;
  if (value->is_bool() || value->is_number()) {
    const auto number = javascript_number(text);
    if (!number) return false;
    return *number == (value->is_bool() ? (value->get_bool() ? 1 : 0) : number_in(*value));
  }
  std::string scratch;
  return javascript_string(value, scratch) == text;
}

bool strictly_equals(const json::value& a, const json::value& b) {
  if (a.is_number()) return b.is_number() && number_in(a) == number_in(b);
  if (a.kind() != b.kind() || a.is_structured()) return false;
  return a == b;
}

double leading_number(std::string_view text) {
  while (const std::size_t blank = blank_length(text)) text.remove_prefix(blank);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  double number = std::numeric_limits<double>::quiet_NaN();
  if (text.starts_with(kInfinity)) {
    number = std::numeric_limits<double>::infinity();
  } else if (const std::size_t length = decimal_length(text)) {
    number = to_double(text.substr(0, length));
  }
  return negative ? -number : number;
}

double leading_number(const json::value* value) {
  if (value != nullptr && value->is_number()) return number_in(*value);
  std::string scratch;
  return leading_number(javascript_string(value, scratch));
}

std::string_view javascript_string(const json::value* value, std::string& scratch) {
  if (value == nullptr) return "undefined";
  if (value->is_null()) return "null";
  if (const auto* truth = value->if_bool()) return *truth ? "true" : "false";
  if (const auto* text = value->if_string()) return {text->data(), text->size()};
  if (value->is_object()) return "[object Object]";
  if (value->is_number()) {
    scratch = javascript_text(number_in(*value));
    return scratch;
  }
  std::string joined;
  bool first = true;
  for (const json::value& item : value->get_array()) {
    if (!first) joined += ',';
    first = false;
    if (!item.is_null()) append_string(item, joined);
  }
  scratch = std::move(joined);
  return scratch;
}

}  // namespace toolgate
