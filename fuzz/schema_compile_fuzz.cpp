// Any bytes as a schema: compiling ends, from text and from a tree with the same outcome, and what
// compiles can be run.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <fmt/core.h>

#include "base/json_tree.h"
#include "fuzz/require.h"
#include "schema/check.h"
#include "schema/compile.h"
#include "schema/program.h"

namespace {

using namespace toolgate;

constexpr std::uint64_t kSteps = 20'000;
constexpr std::array<std::string_view, 6> kInputs{
    "null", "1.5", "\"a text\"", "[1,1,\"x\",[]]", "{\"a\":1,\"b\":{\"a\":[]},\"c\":\"x\"}",
    "true"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CompileOptions options;
  options.assert_formats = size % 2 == 0;
  options.limits = {.bytes = 100'000, .depth = 64, .nodes = 2000};
  const auto schema = compile_schema(text, options);
  JsonTree tree;
  const auto root = tree.parse(text, {.depth = 64, .bytes = 100'000});
  if (!root) {
    require(!schema, "what is not JSON does not compile");
    return 0;
  }
  const auto from_tree = compile_schema(**root, options);
  require(schema.has_value() == from_tree.has_value(), "text and tree compile alike");
  if (!schema) {
    require(schema.error().message == from_tree.error().message, "with the same reason");
    require(!schema.error().message.empty(), "a refusal has a reason");
    return 0;
  }
  for (const auto input : kInputs) {
    const auto value = tree.parse(input);
    const auto a = is_valid(**schema, **value, kSteps);
    const auto b = is_valid(**from_tree, **value, kSteps);
    require(a.has_value() == b.has_value() && (!a || *a == *b), "and give the same verdict");
  }
  return 0;
}
