// Context values as JavaScript's operators see them. when_evaluate.cpp and the parser call it. A
// null pointer is JavaScript's undefined.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace toolgate {

bool is_truthy(const json::value* value);
bool loosely_equals(const json::value* value, std::string_view text);  // value == text
bool strictly_equals(const json::value& a, const json::value& b);      // a === b

// parseFloat: the number that the text begins with, or NaN.
double leading_number(std::string_view text);
double leading_number(const json::value* value);

// String(value). Refers to the value, to `scratch`, or to a constant.
std::string_view javascript_string(const json::value* value, std::string& scratch);

}  // namespace toolgate
