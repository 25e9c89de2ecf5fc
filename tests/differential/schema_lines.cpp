// Checks lines of {"schema", "input"} from standard input and writes for each a line of
// {"valid", "coerced", "errors", "data"} or {"error"}: what schema.test.mjs compares with Ajv.
#include <iostream>
#include <string>

#include "base/json.h"
#include "schema/check.h"
#include "schema/compile.h"
#include "schema/program.h"

namespace {

using namespace toolgate;

Result<std::string> check_line(const std::string& line) {
  JsonTree tree;
  auto root = tree.parse(line);
  if (!root) return std::unexpected(root.error());
  auto schema = compile_schema(*(*root)->find("schema"));
  if (!schema) return std::unexpected(schema.error());
  JsonNode& value = *(*root)->find("input");
  auto fast = is_valid(**schema, value);
  if (!fast) return std::unexpected(fast.error());
  CheckOptions options;
  options.coerce = true;
  options.first_only = true;
  auto report = check(**schema, value, tree, options);
  if (!report) return std::unexpected(report.error());
  std::string out = *fast ? R"({"valid":true)" : R"({"valid":false)";
  out += report->valid() ? R"(,"coerced":true,"errors":[)" : R"(,"coerced":false,"errors":[)";
  for (const Fault& fault : report->faults) {
    if (out.back() != '[') out += ',';
    append_json_string(out, fault.path + " " + fault.message);
  }
  out += R"(],"data":)";
  append_json(out, value);
  return out + "}";
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto answer = check_line(line);
    std::string out;
    if (answer) {
      out = *answer;
    } else {
      out = R"({"error":)";
      append_json_string(out, answer.error().message);
      out += '}';
    }
    std::cout << out << '\n';
  }
}
