#include "golden_runner/lone_surrogates.h"

#include <algorithm>
#include <charconv>

namespace toolgate {
namespace {

// The code unit of the escape \uXXXX at the beginning of `text`, or -1.
int unit_at(std::string_view text) {
  if (text.size() < 6 || !text.starts_with("\\u")) return -1;
  int unit = -1;
  const char* end = text.data() + 6;
  const auto read = std::from_chars(text.data() + 2, end, unit, 16);
  return read.ptr == end ? unit : -1;
}

bool is_high(int unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low(int unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

}  // namespace

std::string mend_lone_surrogates(std::string_view json_text) {
  std::string out;
  out.reserve(json_text.size());
  while (!json_text.empty()) {
    const int unit = unit_at(json_text);
    std::size_t taken = json_text.starts_with('\\') ? 2 : 1;
    if (unit >= 0) taken = 6;
    const bool is_pair = is_high(unit) && is_low(unit_at(json_text.substr(6)));
    if (is_pair) taken = 12;
    if (!is_pair && (is_high(unit) || is_low(unit)))
      out += "\\ufffd";
    else
      out += json_text.substr(0, taken);
    json_text.remove_prefix(std::min(taken, json_text.size()));
  }
  return out;
}

}  // namespace toolgate
