// The least input that a schema asks for: `tools show` explains who would decide about such a call.
#pragma once

#include <string>
#include <string_view>

namespace toolgate {

// What is required, with defaults, first choices and empty values. Made from the simple keywords
// only, so the schema may still refuse it.
std::string sample_input(std::string_view schema);

}  // namespace toolgate
