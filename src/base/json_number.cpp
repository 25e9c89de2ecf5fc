// See json_number.h. A number is taken apart into sign, significant digits and a power of ten;
// everything exact is done on those.
#include "base/json_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace toolgate {

namespace {

constexpr std::size_t kSmallDigits = 18;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Both halves of the long product.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

// digits × 10^exponent, without leading and trailing zeros; zero has no digits.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};

// Saturates: nobody tells 1e9999999999999 from 1e99999999999999 apart by more.
std::int64_t parse_exponent(std::string_view text) {
  constexpr std::int64_t kLimit = 1'000'000'000'000'000;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  for (const char c : text) value = std::min(value * 10 + (c - '0'), kLimit);
  return negative ? -value : value;
}

Decimal take_apart(std::string_view text) {
  Decimal out;
  if (text.starts_with('-')) {
    out.negative = true;
    text.remove_prefix(1);
  }
  if (const auto e = text.find_first_of("eE"); e != text.npos) {
    out.exponent = parse_exponent(text.substr(e + 1));
    text = text.substr(0, e);
  }
  out.digits.reserve(text.size());
  bool fraction = false;
  for (const char c : text) {
    if (c == '.') {
      fraction = true;
      continue;
    }
    out.digits += c;
    if (fraction) --out.exponent;
  }
  const auto last = out.digits.find_last_not_of('0');
  if (last == std::string::npos) return Decimal{};
  out.exponent += static_cast<std::int64_t>(out.digits.size() - last - 1);
  out.digits.resize(last + 1);
  out.digits.erase(0, out.digits.find_first_not_of('0'));
  return out;
}

std::strong_ordering compare_magnitude(const Decimal& a, const Decimal& b) {
  if (a.digits.empty() || b.digits.empty()) return !a.digits.empty() <=> !b.digits.empty();
  const auto top_a = a.exponent + static_cast<std::int64_t>(a.digits.size());
  const auto top_b = b.exponent + static_cast<std::int64_t>(b.digits.size());
  if (top_a != top_b) return top_a <=> top_b;
  return a.digits <=> b.digits;
}

std::strong_ordering compare_decimal(const Decimal& a, const Decimal& b) {
  const bool a_below = a.negative && !a.digits.empty();
  const bool b_below = b.negative && !b.digits.empty();
  if (a_below != b_below) return b_below <=> a_below;
  return a_below ? compare_magnitude(b, a) : compare_magnitude(a, b);
}

// `remainder` = remainder * 10 + digit, modulo `divisor`; both are digit strings.
void push_digit(std::string& remainder, char digit, std::string_view divisor) {
  if (!remainder.empty() || digit != '0') remainder += digit;
  const auto at_least = [&] {
    if (remainder.size() != divisor.size()) return remainder.size() > divisor.size();
    return std::string_view(remainder) >= divisor;
  };
  while (at_least()) {
    int borrow = 0;
    const std::size_t shift = remainder.size() - divisor.size();
    for (std::size_t i = remainder.size(); i-- > 0;) {
      const int taken = i >= shift ? divisor[i - shift] - '0' : 0;
      int left = remainder[i] - '0' - taken - borrow;
      borrow = left < 0 ? 1 : 0;
      if (borrow) left += 10;
      remainder[i] = static_cast<char>('0' + left);
    }
    remainder.erase(0, std::min(remainder.find_first_not_of('0'), remainder.size()));
  }
}

bool divides(const Decimal& divisor, const Decimal& value) {
  if (value.digits.empty()) return true;
  if (value.exponent < divisor.exponent) return false;  // both are without trailing zeros
  // Further zeros add only factors 2 and 5 that the divisor no longer has.
  const auto zeros = std::min<std::int64_t>(value.exponent - divisor.exponent,
                                            static_cast<std::int64_t>(divisor.digits.size()) * 4);
  std::string remainder;
  for (const char digit : value.digits) push_digit(remainder, digit, divisor.digits);
  for (std::int64_t i = 0; i < zeros && !remainder.empty(); ++i) {
    push_digit(remainder, '0', divisor.digits);
  }
  return remainder.empty();
}

std::string_view trim_javascript(std::string_view text) {
  static constexpr std::string_view kBlanks[] = {"\u00a0", "\u1680", "\u2000", "\u2001", "\u2002",
                                                 "\u2003", "\u2004", "\u2005", "\u2006", "\u2007",
                                                 "\u2008", "\u2009", "\u200a", "\u2028", "\u2029",
                                                 "\u202f", "\u205f", "\u3000", "\ufeff"};
  const auto is_ascii_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  for (bool again = true; again;) {
    again = false;
    while (!text.empty() && is_ascii_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_ascii_blank(text.back())) text.remove_suffix(1);
    for (const auto blank : kBlanks) {
      if (text.starts_with(blank)) {
        text.remove_prefix(blank.size());
        again = true;
      }
      if (text.ends_with(blank)) {
        text.remove_suffix(blank.size());
        again = true;
      }
    }
  }
  return text;
}

std::optional<double> parse_radix(std::string_view digits, int radix) {
  if (digits.empty()) return std::nullopt;
  double value = 0;
  for (const char c : digits) {
    int digit = radix;
    if (is_digit(c)) digit = c - '0';
    if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
    if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
    if (digit >= radix) return std::nullopt;
    value = value * radix + digit;
  }
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

// JavaScript's decimal literal: JSON's with leading zeros, `.5`, `5.` and a sign.
bool is_javascript_decimal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::size_t i = 0;
  std::size_t digits = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) ++digits;
  if (i < text.size() && text[i] == '.') {
    for (++i; i < text.size() && is_digit(text[i]); ++i) ++digits;
  }
  if (digits == 0) return false;
  if (i == text.size()) return true;
  if (text[i] != 'e' && text[i] != 'E') return false;
  ++i;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  const std::size_t first = i;
  while (i < text.size() && is_digit(text[i])) ++i;
  return i == text.size() && i > first;
}

}  // namespace

JsonNumber::JsonNumber(std::string_view json_number) : text(json_number) {
  const bool negative = text.starts_with('-');
  const std::size_t first = negative ? 1 : 0;
  if (text.size() - first > kSmallDigits) return;
  std::int64_t value = 0;
  for (std::size_t i = first; i < text.size(); ++i) {
    if (!is_digit(text[i])) return;
    value = value * 10 + (text[i] - '0');
  }
  whole = negative ? -value : value;
  small = true;
}

bool is_whole(std::string_view json_number) {
  if (json_number.find_first_of(".eE") == json_number.npos) return true;
  const auto decimal = take_apart(json_number);
  return decimal.digits.empty() || decimal.exponent >= 0;
}

std::strong_ordering compare(const JsonNumber& a, const JsonNumber& b) {
  if (a.small && b.small) return a.whole <=> b.whole;
  return compare_decimal(take_apart(a.text), take_apart(b.text));
}

bool is_multiple(const JsonNumber& value, const JsonNumber& divisor) {
  if (value.small && divisor.small && divisor.whole != 0) return value.whole % divisor.whole == 0;
  const auto by = take_apart(divisor.text);
  if (by.digits.empty()) return false;
  return divides(by, take_apart(value.text));
}

std::uint64_t hash_number(std::string_view json_number) {
  const auto decimal = take_apart(json_number);
  const std::uint64_t seed = hash_seed();
  const std::uint64_t power = static_cast<std::uint64_t>(decimal.exponent) * 2 + decimal.negative;
  return fold(hash_text(decimal.digits, seed) ^ power, seed | 1U);
}

std::uint64_t hash_seed() {
  static const std::uint64_t seed = [] {
    std::random_device source;
    return std::uint64_t{source()} << 32U | source();
  }();
  return seed;
}

// Every byte counts, and each word is multiplied by the seed: a fixed factor would let the same
// pairs of words cancel out whatever the seed is.
std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  const std::uint64_t factor = seed | 1U;
  std::uint64_t hash = seed ^ text.size() * 0x9E3779B97F4A7C15U;
  const char* at = text.data();
  const std::size_t size = text.size();
  std::uint64_t word = 0;
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) {
      std::memcpy(&word, at + i, 8);
      hash = fold(hash ^ word, factor);
    }
    std::memcpy(&word, at + size - 8, 8);
  } else if (size >= 4) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, at, 4);
    std::memcpy(&high, at + size - 4, 4);
    word = low | std::uint64_t{high} << 32U;
  } else if (size > 0) {
    word = static_cast<unsigned char>(at[0]) | static_cast<unsigned char>(at[size / 2]) << 8U |
           static_cast<unsigned char>(at[size - 1]) << 16U;
  }
  return fold(fold(hash ^ word, factor), 0x9E3779B97F4A7C15U);
}

bool is_json_number(std::string_view text) {
  std::size_t i = text.starts_with('-') ? 1 : 0;
  const auto run = [&] {
    const std::size_t first = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i - first;
  };
  const std::size_t first = i;
  const std::size_t whole = run();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (run() == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (run() == 0) return false;
  }
  return i == text.size();
}

double to_double(std::string_view json_number) {
  if (json_number.starts_with('+')) json_number.remove_prefix(1);
  double value = 0;
  const auto read =
      std::from_chars(json_number.data(), json_number.data() + json_number.size(), value);
  if (read.ec != std::errc::result_out_of_range) return value;
  const auto decimal = take_apart(json_number);
  const bool tiny = decimal.exponent + static_cast<std::int64_t>(decimal.digits.size()) < 0;
  const double magnitude = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  return decimal.negative ? -magnitude : magnitude;
}

std::string javascript_text(double value) {
  if (value == 0) return "0";
  char buffer[40];
  const auto written = std::to_chars(buffer, buffer + sizeof(buffer), std::abs(value),
                                     std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(written.ptr - buffer));
  const auto e = text.find('e');
  std::string digits(text.substr(0, 1));
  if (e > 2) digits += text.substr(2, e - 2);
  const int point = static_cast<int>(parse_exponent(text.substr(e + 1))) + 1;
  const int count = static_cast<int>(digits.size());
  std::string out = value < 0 ? "-" : "";
  if (point > 21 || point < -5) {
    out += digits[0];
    if (count > 1) out += "." + digits.substr(1);
    return out + (point > 0 ? "e+" : "e-") + std::to_string(std::abs(point - 1));
  }
  if (point <= 0) return out + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  if (point >= count)
    return out + digits + std::string(static_cast<std::size_t>(point - count), '0');
  const auto whole = static_cast<std::size_t>(point);
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::optional<double> javascript_number(std::string_view text) {
  text = trim_javascript(text);
  if (text.empty()) return 0;
  if (text.size() > 2 && text[0] == '0') {
    const char mark = text[1];
    if (mark == 'x' || mark == 'X') return parse_radix(text.substr(2), 16);
    if (mark == 'o' || mark == 'O') return parse_radix(text.substr(2), 8);
    if (mark == 'b' || mark == 'B') return parse_radix(text.substr(2), 2);
  }
  if (!is_javascript_decimal(text)) return std::nullopt;
  const double value = to_double(text);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace toolgate
