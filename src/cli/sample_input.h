// The least input that a schema asks for: `tools show` explains who would decide about such a call,
// and `call` prints one as an example.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace toolgate {

enum class SampleKind : std::uint8_t {
  Least,
  Example,  // for people: dots where a text would be empty, and an item in lists
};

// What is required, with defaults, first choices and empty values. Made from the simple keywords
// only, so the schema may still refuse it.
std::string sample_input(std::string_view schema, SampleKind kind = SampleKind::Least);

}  // namespace toolgate
