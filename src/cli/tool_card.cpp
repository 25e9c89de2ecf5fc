#include "cli/tool_card.h"

#include <fmt/format.h>

#include "base/json_tree.h"
#include "cli/changes.h"
#include "cli/tool_list.h"
#include "tools/tool_record.h"

namespace toolgate {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kTitleColumns = 13;
constexpr std::size_t kWidestText = 100;  // longer lines are hard to read

class CardPrinter {
 public:
  CardPrinter(const Catalog& catalog, const CatalogTool& tool, const Terminal& terminal)
      : catalog_(catalog), tool_(tool), data_(tool.data()), terminal_(terminal) {}

  void print_facts() const;
  void print_description() const;
  void print_schema(std::string_view title, std::string_view schema) const;
  void print_family(const std::string& family, const Families& families) const;

 private:
  void fact(std::string_view title, const std::string& value) const;
  void heading(std::string_view text) const;
  void block(std::string_view text) const;
  std::string state() const;
  std::string names_of_sets() const;
  void print_condition() const;
  void print_models() const;

  const Catalog& catalog_;
  const CatalogTool& tool_;
  const ToolData& data_;
  const Terminal& terminal_;
};

void CardPrinter::fact(std::string_view title, const std::string& value) const {
  if (value.empty()) return;
  const std::size_t used = kIndent + kTitleColumns;
  const std::size_t width = terminal_.width() > used + 20 ? terminal_.width() - used : 20;
  std::string lead = terminal_.paint(Paint::Dim, pad_to_columns(title, kTitleColumns));
  for (const std::string& line : wrap_to_columns(value, width)) {
    terminal_.print(fmt::format("{}{}{}\n", std::string(kIndent, ' '), lead, line));
    lead = std::string(kTitleColumns, ' ');
  }
}

void CardPrinter::heading(std::string_view text) const {
  terminal_.print(fmt::format("\n{}\n", terminal_.paint(Paint::Bold, text)));
}

void CardPrinter::block(std::string_view text) const {
  const std::size_t width = terminal_.is_terminal()
                                ? std::min(terminal_.width() - kIndent, kWidestText)
                                : terminal_.width();
  for (const std::string& line : wrap_to_columns(visible(text), width))
    terminal_.print(std::string(line.empty() ? 0 : kIndent, ' ') + line + "\n");
}

std::string CardPrinter::state() const {
  if (!tool_.enabled()) return "disabled: " + reason_for_being_off(tool_);
  const bool is_builtin = tool_.data().source.kind == ToolSource::Kind::Internal;
  if (tool_.implementation || is_builtin) return "enabled";
  return "enabled; nothing here runs it, so a model's calls go back to the client";
}

std::string CardPrinter::names_of_sets() const {
  std::string names;
  for (const std::uint32_t set : tool_.sets)
    names += (names.empty() ? "#" : ", #") + tidy(catalog_.sets[set].reference_name);
  return names;
}

void CardPrinter::print_condition() const {
  if (data_.when.empty()) return;
  const auto& fault = tool_.record->when_fault();
  fact("condition", fmt::format("{}{}", tidy(data_.when),
                                fault              ? ""
                                : tool_.when_holds ? "  (holds)"
                                                   : "  (does not hold)"));
  if (!fault) return;
  fact("", "it cannot be read, so the tool is always on: " + tidy(describe(*fault)));
}

void CardPrinter::print_models() const {
  std::string models;
  for (const ModelFacts& model : data_.models) {
    std::string one;
    for (const std::string* part : {&model.vendor, &model.family, &model.version, &model.id})
      if (!part->empty()) one += (one.empty() ? "" : " ") + tidy(*part);
    models += (models.empty() ? "" : ", ") + (one.empty() ? "all" : one);
  }
  fact("models", models);
}

void CardPrinter::print_facts() const {
  terminal_.print(fmt::format("{} {}  {}\n", mark_of(tool_.enabled(), terminal_),
                              terminal_.paint(Paint::Bold, tidy(data_.id)),
                              terminal_.paint(Paint::Dim, tidy(data_.display_name))));
  fact("state", state());
  fact("rule", tidy(tool_.rule));
  print_condition();
  if (!data_.reference_name.empty()) fact("reference", tidy("#" + data_.reference_name));
  if (tool_.full_reference_name != data_.reference_name)
    fact("full name", tidy(tool_.full_reference_name));
  fact("old names", tidy(fmt::format("{}", fmt::join(data_.legacy_full_names, ", "))));
  fact("source", fmt::format("{} ({})", label_of(data_.source), kind_and_id_of(data_.source)));
  fact("sets", names_of_sets());
  fact("tags", tidy(fmt::format("{}", fmt::join(data_.tags, ", "))));
  print_models();
}

void CardPrinter::print_description() const {
  heading("What models are told");
  block(data_.model_description.empty() ? "(nothing)" : data_.model_description);
  if (data_.user_description.empty()) return;
  heading("What people are told");
  block(data_.user_description);
}

void CardPrinter::print_schema(std::string_view title, std::string_view schema) const {
  heading(title);
  if (schema.empty()) {
    block("(none: it takes any JSON)");
    return;
  }
  JsonTree tree;
  const auto root = tree.parse(schema);
  std::string_view rest;
  const std::string text = visible(root ? pretty_json(**root) : std::string(schema));
  for (rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    terminal_.print(fmt::format("{}{}\n", std::string(kIndent, ' '), line));
  }
}

void CardPrinter::print_family(const std::string& family, const Families& families) const {
  const NormalizedTool& shaped = tool_.record->shaped(families.changes_for(family));
  heading(fmt::format("For {}: {}", tidy(family),
                      shaped.fault       ? "cannot be offered"
                      : shaped.changed() ? counted(change_count(shaped), "change")
                                         : "nothing to change"));
  ChangePrinter(terminal_).print_changes(shaped);
  if (shaped.fault || !shaped.changed()) return;
  JsonTree tree;
  const auto root = tree.parse(shaped.text);
  const JsonNode* function = root ? (*root)->find("function") : nullptr;
  const JsonNode* parameters = function ? function->find("parameters") : nullptr;
  if (parameters) print_schema(fmt::format("Input for {}", tidy(family)), pretty_json(*parameters));
}

}  // namespace

void print_tool_card(const Catalog& catalog, const CatalogTool& tool,
                     const std::optional<std::string>& family, const Families& families,
                     const Terminal& terminal) {
  const CardPrinter card(catalog, tool, terminal);
  card.print_facts();
  card.print_description();
  card.print_schema("Input", tool.data().input_schema);
  if (family) {
    card.print_family(*family, families);
    return;
  }
  const NormalizedTool& shaped = tool.record->shaped(0);
  if (!shaped.fault) return;
  terminal.print(fmt::format("\n{}\n", terminal.paint(Paint::Red, "No model can be offered it")));
  ChangePrinter(terminal).print_changes(shaped);
}

}  // namespace toolgate
