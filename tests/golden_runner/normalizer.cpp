// normalizer.json: tools × family, with the ordered reports and the result of the strict mode.
#include <string>

#include <fmt/format.h>

#include "base/json_tree.h"
#include "golden_runner/kinds.h"
#include "schema/normalize.h"

namespace toolgate {
namespace {

constexpr std::string_view kCause = "do not match JSON schema: ";

// The wording of a fault in a schema is the validator's own; what must be the same is everything
// up to it and the path of each line. `error` stands in JSON.
std::string without_wording(std::string_view error) {
  const auto cause = error.find(kCause);
  if (cause == error.npos) return std::string(error);
  std::string out(error.substr(0, cause + kCause.size()));
  std::string_view rest = error.substr(out.size());
  for (;;) {
    out += rest.substr(0, rest.find(' '));
    out += " …\n";
    const auto line = rest.find("\\n");  // within a JSON string
    if (line == rest.npos) return out;
    rest.remove_prefix(line + 2);
  }
}

json::array fixes_of(const NormalizedList& list) {
  json::array fixes;
  for (const auto& tool : list.tools)
    for (const SchemaFix& fix : tool->fixes)
      fixes.push_back(json::object{{"tool", tool->name}, {"message", fix.message}});
  return fixes;
}

std::string outcome(const json::value& entry, const NormalizeOptions& options, bool& untouched) {
  const std::string text = write_json(entry.at("input"));
  JsonTree tree;
  auto input = tree.parse(text);
  if (!input) return input.error().message;
  const bool absent = find(entry, "inputAbsent") != nullptr;
  auto list = normalize_tools(absent ? nullptr : *input, options, BadTools::Reject);
  if (!list) return list.error().message;
  untouched = write_json(**input) == text;
  json::object result{{"fixes", fixes_of(*list)}};
  if (!list->error.empty())
    result["error"] = list->error;
  else if (list->absent)
    result["outputAbsent"] = true;
  else
    result["output"] = parse_json(list->text()).value();
  return write_json(result);
}

std::string expectation(const json::value& entry) {
  json::object result{{"fixes", entry.at("fixes")}};
  for (const std::string_view key : {"error", "outputAbsent", "output"})
    if (const json::value* value = find(entry, key)) result[key] = *value;
  return write_json(result);
}

}  // namespace

void run_normalizer(const json::value& file, Tally& tally) {
  const Families families;
  for (const json::value& entry : file.at("cases").as_array()) {
    const std::string_view id = text_in(entry, "id");
    NormalizeOptions options{.changes = families.changes_for(text_in(entry, "family"))};
    bool untouched = true;
    const std::string expected = expectation(entry);
    std::string got = outcome(entry, options, untouched);
    if (!untouched) got += " and the caller's tools were changed";
    options.classic = true;
    bool ignored = true;
    if (got != expected && outcome(entry, options, ignored) == expected)
      tally.differ(id, "accidents of JavaScript");
    else if (got != expected && without_wording(got) == without_wording(expected))
      tally.compare(id, expected, expected);
    else
      tally.compare(id, expected, got);
  }
}

}  // namespace toolgate
