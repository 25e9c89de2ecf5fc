#include "cli/changes.h"

#include <fmt/format.h>

namespace toolgate {
namespace {

std::string_view reason_of(NormalizeRule rule) {
  switch (rule) {
    case NormalizeRule::RootObject:
    case NormalizeRule::RootProperties:
      return "models want an object with properties at the root";
    case NormalizeRule::Description:
      return "models choose tools by their description";
    case NormalizeRule::DescriptionLength:
      return "models of this family refuse longer ones";
    case NormalizeRule::Keywords:
      return "models of this family refuse the keyword";
    case NormalizeRule::RootCombinators:
      return "models refuse it at the root";
    case NormalizeRule::Required:
      return "models refuse names that are no properties";
    case NormalizeRule::Tuples:
      return "models of this family refuse lists of items";
    case NormalizeRule::Nullable:
      return "models of this family want nullable instead of null";
    case NormalizeRule::ValidSchema:
    case NormalizeRule::ArrayItems:
      break;
  }
  return "";
}

}  // namespace

void ChangePrinter::print(const NormalizedTool& tool) const {
  if (!tool.changed() && !tool.fault) return;
  terminal_.print(terminal_.paint(Paint::Bold, tool.name.empty() ? "(no name)" : tool.name) + "\n");
  print_changes(tool);
}

void ChangePrinter::print_changes(const NormalizedTool& tool) const {
  for (const SchemaFix& fix : tool.fixes) {
    first_line("changed ", Paint::Yellow, fix.message);
    next_line(fix.path.empty() ? "/" : fix.path);
    next_line(reason_of(fix.rule));
  }
  for (const Repair& repair : tool.coerced) {
    first_line("changed ", Paint::Yellow, repair.from + " to " + repair.to);
    next_line(repair.path.empty() ? "/" : repair.path);
  }
  if (const std::size_t more = tool.fixes_left_out + tool.coerced_left_out; more > 0)
    next_line(fmt::format("and {} more changes", more));
  if (!tool.fault) return;
  first_line("left out", Paint::Red, tool.fault->reason);
  next_line(tool.fault->path.empty() ? "/" : tool.fault->path);
  if (!tool.fault->advice.empty())
    terminal_.print(fmt::format("           {} {}\n", terminal_.paint(Paint::Cyan, "to mend it:"),
                                visible(tool.fault->advice)));
}

void ChangePrinter::first_line(std::string_view what, Paint paint, std::string_view text) const {
  terminal_.print(fmt::format("  {} {}\n", terminal_.paint(paint, what), visible(text)));
}

void ChangePrinter::next_line(std::string_view text) const {
  if (!text.empty())
    terminal_.print(fmt::format("           {}\n", terminal_.paint(Paint::Dim, text)));
}

std::size_t change_count(const NormalizedTool& tool) {
  return tool.fixes.size() + tool.coerced.size() + tool.fixes_left_out + tool.coerced_left_out;
}

}  // namespace toolgate
