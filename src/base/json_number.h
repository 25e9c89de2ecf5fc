// Numbers of any size and precision, read from their JSON text: exact comparison, whole-number and
// multiple-of tests, and the number texts that JavaScript would write; also the seeded hashes of
// numbers and texts. json_tree.cpp and schema/ call it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toolgate {

// A JSON number read once. Refers to its text, which must outlive it.
struct JsonNumber {
  std::string_view text;
  std::int64_t whole = 0;  // the value when `small`
  bool small = false;      // a plain integer of at most 18 digits

  JsonNumber() = default;
  explicit JsonNumber(std::string_view json_number);
};

bool is_whole(std::string_view json_number);  // 1, 1.0 and 10e-1 are
std::strong_ordering compare(const JsonNumber& a, const JsonNumber& b);
bool is_multiple(const JsonNumber& value, const JsonNumber& divisor);  // divisor is over 0

// Equal numbers hash alike, however written. Like hash_text, other in every process.
std::uint64_t hash_number(std::string_view json_number);

// Of keys and texts that strangers send: who does not know the seed cannot make them collide.
std::uint64_t hash_text(std::string_view text, std::uint64_t seed);
std::uint64_t hash_seed();  // drawn once per process

bool is_json_number(std::string_view text);
double to_double(std::string_view json_number);  // infinite where it is too large

// String(value) of JavaScript: 1e21 is "1e+21", 0.0000001 is "1e-7". `value` is finite.
std::string javascript_text(double value);

// Number(text) of JavaScript: blanks trimmed, "" is 0, 0x10 is 16; nothing where that is NaN or
// infinite.
std::optional<double> javascript_number(std::string_view text);

}  // namespace toolgate
