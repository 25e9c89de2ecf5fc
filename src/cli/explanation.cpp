#include "cli/explanation.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_tree.h"
#include "cli/json_document.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::size_t kIndent = 4;
constexpr std::size_t kWidestRule = 36;
constexpr std::size_t kLeastColumns = 20;  // for what a rule says

std::string verdict_line(std::string_view verdict, const Terminal& terminal) {
  if (verdict == "run") return terminal.paint(Paint::Green, "It would run without a question.");
  if (verdict == "refuse") return terminal.paint(Paint::Red, "It would be refused.");
  return terminal.paint(Paint::Yellow, "A person would be asked.");
}

std::string rule_of(const JsonNode& step) {
  return visible_text(on_one_line(text_of(step, "rule")), false);
}

}  // namespace

Result<std::string> describe_explanation(std::string_view json, const Terminal& terminal) {
  const auto document = JsonDocument::parse(std::string(json));
  if (!document) return std::unexpected(document.error());
  const JsonNode* trail = document->root().find("trail");
  std::string out = "  " + verdict_line(text_of(document->root(), "verdict"), terminal) + "\n";
  std::size_t rule_columns = 0;
  for (const JsonNode* step = trail ? trail->first : nullptr; step; step = step->next)
    if (const std::size_t own = columns_of(rule_of(*step)); own <= kWidestRule)
      rule_columns = std::max(rule_columns, own);
  // In a narrow window what a rule says stands below its name.
  const bool is_narrow = terminal.width() < kIndent + rule_columns + 2 + kLeastColumns;
  const std::size_t used = kIndent + 2 + (is_narrow ? 0 : rule_columns);
  const std::size_t width =
      terminal.width() > used + kLeastColumns ? terminal.width() - used : kLeastColumns;
  for (const JsonNode* step = trail ? trail->first : nullptr; step; step = step->next) {
    const bool decided = truth_of(*step, "decided");
    const Paint paint = decided ? Paint::Bold : Paint::Dim;
    const std::string rule =
        is_narrow ? rule_of(*step) : pad_to_columns(rule_of(*step), rule_columns);
    std::string lead = fmt::format("  {} {}", decided ? terminal.paint(Paint::Bold, "→") : " ",
                                   terminal.paint(paint, rule));
    lead += is_narrow ? "\n" + std::string(used, ' ') : "  ";
    const std::string outcome = visible_text(on_one_line(text_of(*step, "outcome")), false);
    for (const std::string& line : wrap_to_columns(outcome, width)) {
      out += lead + terminal.paint(paint, line) + "\n";
      lead = std::string(used, ' ');
    }
  }
  return out;
}

}  // namespace toolgate
