// A clause, a line break, and context values as a JSON object: parsing ends, the text of a clause
// means the same again, and its negation holds where it does not.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/json.h"
#include "fuzz/require.h"
#include "tools/when.h"

namespace {

using namespace toolgate;

ContextKeys read_context(std::string_view text) {
  ContextKeys context;
  const auto values = parse_json(text);
  if (!values || !values->is_object()) return context;
  for (const auto& member : values->get_object()) context.set(member.key(), member.value());
  return context;
}

// Bounds break the law of the excluded middle: an absent key is neither over 1 nor at most 1. And
// expressions that differ in their flags alone count as the same.
bool obeys_logic(std::string_view text) {
  return text.find_first_of("<>") == text.npos && text.find("=~") == text.rfind("=~");
}

void check(const ParsedWhen& parsed, const ContextKeys& context, const WhenOptions& options) {
  if (!parsed.clause) {
    require(parsed.first_fault() != nullptr, "a refusal says why");
    require(!describe(*parsed.first_fault()).empty(), "in words");
    return;
  }
  require(parsed.parsing_faults.empty(), "a clause has no parsing faults");
  const WhenClause& clause = *parsed.clause;
  const bool truth = clause.holds(context);
  const std::string text = clause.text();
  require(clause.implies(clause), "a clause implies itself");
  const WhenClause negated = clause.negated();
  negated.negated().keys();
  if (!obeys_logic(text)) return;
  require(negated.holds(context) != truth, "a negation is the contrary");
  require(negated.negated().holds(context) == truth, "twice is not at all");
  const ParsedWhen again = parse_when(text, options);
  if (again.clause) require(again.clause->holds(context) == truth, "the text means the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view clause = text.substr(0, text.find('\n'));
  const ContextKeys context =
      read_context(clause.size() < size ? text.substr(clause.size() + 1) : std::string_view());
  for (const WhenMode mode : {WhenMode::Strict, WhenMode::Lenient}) {
    const WhenOptions options{
        .mode = mode, .platform = size % 2 == 0 ? WhenPlatform::Linux : WhenPlatform::Windows};
    check(parse_when(clause, options), context, options);
  }
  return 0;
}
