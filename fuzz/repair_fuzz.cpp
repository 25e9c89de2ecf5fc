// A schema and an input, split at the first line break. What is repaired must be valid when it is
// checked again, must need no further repair, and only a repair may change the input's text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "fuzz/require.h"
#include "schema/compile.h"
#include "schema/repair.h"

namespace {

using namespace toolgate;

void check_once(std::string_view input, const Schema& schema, const RepairOptions& options) {
  const InputCheck first = check_input(input, &schema, options);
  if (!first.valid) {
    require(first.input == input, "a refused input stays as it was");
    require(!first.message.empty() && !first.faults.empty(), "a refusal says why");
    return;
  }
  require(first.faults.empty(), "a valid input has no faults");
  if (first.repairs.empty()) require(first.input == input, "the text stands without a repair");
  if (first.absent) return;
  const InputCheck again = check_input(first.input, &schema, options);
  bool limited = false;
  for (const InputFault& fault : again.faults) limited |= fault.keyword == "limit";
  require(again.valid || limited, "a repaired input is valid");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto end = text.find('\n');
  if (end == text.npos) return 0;
  const std::string schema_text(text.substr(0, end));
  const std::string input(text.substr(end + 1));
  JsonTree tree;
  const auto root = tree.parse(schema_text);
  if (!root) return 0;
  const auto schema = compile_schema(**root);
  if (!schema) return 0;
  check_once(input, **schema, {.schema_root = *root, .max_steps = 100'000});
  check_once(input, **schema, {.classic = true, .schema_root = *root, .max_steps = 100'000});
  clean_tool_name(input);
  return 0;
}
