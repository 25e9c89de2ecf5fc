// The first byte chooses the changes, the rest is a tool. The result must be JSON, normalising it
// again must change nothing more, and the caller's tree must stay as it was.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "fuzz/require.h"
#include "schema/normalize.h"

using namespace toolgate;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const NormalizeOptions options{.changes = data[0] & 63u, .classic = (data[0] & 64) != 0};
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  JsonTree tree;
  const auto tool = tree.parse(text);
  if (!tool) return 0;
  const std::string before = write_json(**tool);
  const NormalizedTool once = normalize_tool(**tool, options);
  require(write_json(**tool) == before, "the caller's tree stays as it was");
  require(once.fault.has_value() == once.text.empty(), "a fault or a text");
  if (once.fault) {
    require(!once.classic_error().empty() && !once.fault->advice.empty(), "a fault says why");
    return 0;
  }
  const auto twice = normalize_tool(once.text, options);
  require(twice.has_value(), "the result is JSON");
  // A list of types that became one type, or coerced values that are now alike, are seen by rules
  // that did not look at them before.
  if ((options.changes & kNullableFlag) != 0 || !once.coerced.empty()) return 0;
  require(!twice->fault, "the result is accepted again");
  require(twice->fixes.empty(), "the result needs no further change");
  require(twice->text == once.text, "the result is stable");
  return 0;
}
