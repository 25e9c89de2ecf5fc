// JSON with comments: what is accepted must survive being written and read as plain JSON, plain
// JSON must mean the same in both readers, and the outline of a text must agree with its value.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/json.h"
#include "fuzz/require.h"
#include "tools/jsonc_outline.h"

namespace {

using namespace toolgate;

// Boost.JSON reads long numbers to within an ulp or two; one beyond a double's range reads as
// infinity, for which JSON has no text.
bool are_alike(double a, double b) {
  return !std::isfinite(a) || a == b || std::abs(a - b) <= std::abs(a) * 1e-15;
}

bool are_alike(const json::value& a, const json::value& b) {
  if (a.is_double())
    return !std::isfinite(a.get_double()) ||
           (b.is_double() && are_alike(a.get_double(), b.get_double()));
  if (a.is_array() && b.is_array())
    return std::ranges::equal(a.get_array(), b.get_array(),
                              [](const auto& x, const auto& y) { return are_alike(x, y); });
  if (a.is_object() && b.is_object())
    return std::ranges::equal(a.get_object(), b.get_object(), [](const auto& x, const auto& y) {
      return x.key() == y.key() && are_alike(x.value(), y.value());
    });
  return a == b;
}

// Places stay within the text and in order, whatever the text.
void check_places(const JsoncOutline& outline, std::size_t size) {
  std::size_t before = outline.open;
  require(outline.open <= outline.close && outline.close <= size, "brackets in order");
  for (const JsoncChild& child : outline.children) {
    require(before <= child.key && child.key <= child.value, "children in order");
    require(child.value <= child.value_end && child.value_end <= outline.close, "values in order");
    require(!child.comma || *child.comma >= child.value_end, "commas behind values");
    before = child.value_end;
  }
}

void check_outline(std::string_view text, const json::value& value) {
  const JsoncOutline outline = outline_jsonc(text, 0);
  if (const json::array* array = value.if_array()) {
    require(outline.children.size() == array->size(), "as many items");
    for (std::size_t i = 0; i < array->size(); ++i) {
      const JsoncChild& child = outline.children[i];
      const auto item = parse_jsonc(text.substr(child.value, child.value_end - child.value));
      require(item && are_alike((*array)[i], *item), "each item stands where the outline says");
    }
  } else if (const json::object* object = value.if_object()) {
    require(outline.children.size() >= object->size(), "as many members");
    for (const JsoncChild& child : outline.children) {
      const auto name = jsonc_string(text, child.key);
      require(name && object->contains(*name), "each member is named as the outline says");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  check_places(outline_jsonc(text, 0), size);
  const auto plain = parse_json(text);
  const auto value = parse_jsonc(text);
  if (plain) require(value && are_alike(*plain, *value), "plain JSON means the same");
  if (!value) {
    require(!value.error().message.empty(), "a fault says why");
    return 0;
  }
  const auto again = parse_json(write_json(*value));
  require(again && are_alike(*value, *again), "written and read it is the same value");
  text = without_bom(text);
  if (!has_comment(text)) require(skip_jsonc_blank(text, 0) < text.size(), "a value is not blank");
  check_outline(text, *value);
  return 0;
}
