// A schema, a line break, an input: the checks agree with each other, stay within their limits and
// name places that exist.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/json_pointer.h"
#include "base/json_tree.h"
#include "fuzz/require.h"
#include "schema/check.h"
#include "schema/compile.h"
#include "schema/program.h"

namespace {

using namespace toolgate;

constexpr std::uint64_t kSteps = 50'000;

const JsonNode* at_pointer(const JsonNode* node, std::string_view pointer) {
  while (node != nullptr && !pointer.empty()) {
    pointer.remove_prefix(1);
    const auto token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    if (node->is(JsonNode::Kind::Object)) {
      node = node->find(unescape_pointer_step(token));
      continue;
    }
    auto index = std::stoul(std::string(token));
    for (node = node->first; node != nullptr && index > 0; --index) node = node->next;
  }
  return node;
}

std::string words_of(const CheckReport& report) {
  std::string out;
  for (const Fault& fault : report.faults) {
    out += fault.path + fault.schema_path + fault.message + fault.sentence + "\n";
  }
  return out;
}

void check_report(const CheckReport& report, const JsonNode& root, const CheckOptions& options) {
  require(report.faults.size() <= options.max_faults, "the list of faults is bounded");
  for (const Fault& fault : report.faults) {
    require(!fault.message.empty() && !fault.keyword.empty(), "a fault has words");
    require(fault.schema_path.starts_with('#'), "a fault has a schema path");
    require(at_pointer(&root, fault.path) == fault.node, "a fault's path leads to its value");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = text.find('\n');
  if (line == text.npos) return 0;
  CompileOptions compile_options;
  compile_options.limits = {.bytes = 100'000, .depth = 64, .nodes = 2000};
  compile_options.assert_formats = size % 2 == 0;
  const auto schema = compile_schema(text.substr(0, line), compile_options);
  if (!schema) return 0;
  JsonTree tree;
  const auto root = tree.parse(text.substr(line + 1));
  if (!root) return 0;
  const std::string before = write_json(**root);

  CheckOptions options;
  options.max_steps = kSteps;
  options.max_faults = 5;
  const auto fast = is_valid(**schema, **root, kSteps);
  const auto all = check(**schema, **root, tree, options);
  const auto again = check(**schema, **root, tree, options);
  require(all.has_value() == again.has_value(), "a second check ends alike");
  if (all) {
    require(words_of(*all) == words_of(*again), "with the same words");
    require(all->repairs.empty() && write_json(**root) == before, "a check changes nothing");
    if (fast) require(*fast == all->valid(), "both checks agree");
    check_report(*all, **root, options);
  }
  options.first_only = true;
  const auto first = check(**schema, **root, tree, options);
  if (first && fast) require(*fast == first->valid(), "the first fault is there if any is");

  options.coerce = true;
  const auto coerced = check(**schema, **root, tree, options);
  if (!coerced) return 0;
  require(write_json(**root) == before || !coerced->repairs.empty(), "a change is reported");
  JsonTree reread;
  const std::string after = write_json(**root);
  const auto parsed = reread.parse(after);
  require(parsed.has_value() && equal(**parsed, **root), "what was coerced is still JSON");
  return 0;
}
