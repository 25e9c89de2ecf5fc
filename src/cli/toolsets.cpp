// toolgate toolsets: the tool sets there are, with their members and whether these are enabled. The
// same object as GET /v1/toolsets with --json.
#include <algorithm>
#include <memory>

#include "cli/catalog_options.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "cli/tool_list.h"
#include "gateway/tools_reply.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostWithMembers = 50;  // sets on a terminal; of more, members are not told
constexpr std::size_t kWidestName = 32;

struct ToolSetsCommand {
  CatalogOptions catalog;
  bool as_json = false;
};

// A set and what is to be said about it.
struct SetFacts {
  const CatalogSet* set;
  std::string name;
  std::vector<std::uint32_t> members;
  std::size_t enabled = 0;

  std::string state() const {
    if (members.empty()) return "empty";
    if (!set->permitted) return "agent mode is off";
    if (enabled == members.size()) return "enabled";
    return enabled == 0 ? "disabled" : fmt::format("{} of {} enabled", enabled, members.size());
  }
};

class SetPrinter {
 public:
  SetPrinter(const Catalog& catalog, const Terminal& terminal)
      : catalog_(catalog), terminal_(terminal) {
    for (const CatalogSet& set : catalog.sets) {
      SetFacts facts{&set, tidy("#" + set.reference_name), catalog.members_of(set)};
      facts.enabled = static_cast<std::size_t>(std::ranges::count_if(
          facts.members, [&](std::uint32_t tool) { return catalog.tools[tool].enabled(); }));
      sets_.push_back(std::move(facts));
    }
  }

  // Name, state, source, members and description between tabs.
  void print_lines() const {
    for (const SetFacts& facts : sets_)
      terminal_.print(fmt::format("{}\t{}\t{}\t{}\t{}\n", tidy(facts.set->reference_name),
                                  facts.state(), tidy(facts.set->data->source.key()),
                                  fmt::join(names_of_members(facts), ","),
                                  tidy(facts.set->data->description)));
  }

  void print_table() const {
    std::size_t name_columns = 0;
    std::string empty;
    std::size_t filled = 0;
    for (const SetFacts& facts : sets_) {
      if (is_only_a_name(facts)) {
        empty += (empty.empty() ? "" : ", ") + facts.name;
        continue;
      }
      ++filled;
      if (const std::size_t own = columns_of(facts.name); own <= kWidestName)
        name_columns = std::max(name_columns, own);
    }
    for (const SetFacts& facts : sets_)
      if (!is_only_a_name(facts)) print_set(facts, name_columns, filled <= kMostWithMembers);
    if (filled > 0) terminal_.print("\n");
    terminal_.print(terminal_.paint(Paint::Bold, counted(sets_.size(), "tool set")) + "\n");
    if (!empty.empty())
      terminal_.print(terminal_.paint(Paint::Dim, "without tools: " + empty) + "\n");
    if (filled == 0)
      terminal_.print("Extensions bring sets; your own you write into *.toolsets.jsonc files.\n");
  }

 private:
  static bool is_only_a_name(const SetFacts& facts) {
    return facts.members.empty() && facts.set->missing.empty();
  }

  std::vector<std::string> names_of_members(const SetFacts& facts) const {
    std::vector<std::string> names;
    names.reserve(facts.members.size());
    for (const std::uint32_t tool : facts.members)
      names.push_back(tidy(catalog_.tools[tool].data().id));
    return names;
  }

  void print_set(const SetFacts& facts, std::size_t name_columns, bool with_members) const {
    const std::string count = counted(facts.members.size(), "tool");
    const std::string state =
        facts.enabled == facts.members.size() && facts.set->permitted ? "" : facts.state();
    const std::string name = pad_to_columns(facts.name, name_columns);
    std::string text = tidy(facts.set->data->description);
    const std::string from = with_tilde(kind_and_id_of(facts.set->data->source));
    text += (text.empty() ? "" : "  ") + ("(" + from + ")");
    const std::size_t used =
        4 + columns_of(name) + 2 + 11 + (state.empty() ? 0 : columns_of(state) + 2);
    terminal_.print(fmt::format(
        "  {} {}  {:<11}{}{}\n", mark_of(facts.enabled > 0 && facts.set->permitted, terminal_),
        terminal_.paint(Paint::Bold, name), count,
        state.empty() ? "" : terminal_.paint(Paint::Yellow, state) + "  ",
        cut_to_columns(text, terminal_.width() - std::min(terminal_.width(), used))));
    if (with_members) print_members(facts);
  }

  void print_members(const SetFacts& facts) const {
    constexpr std::string_view kIndent = "      ";
    const std::size_t width = terminal_.width() - kIndent.size();
    std::string nested;
    for (const std::uint32_t inner : facts.set->sets)
      nested += "#" + tidy(catalog_.sets[inner].reference_name) + ", ";
    const std::string names = nested + fmt::format("{}", fmt::join(names_of_members(facts), ", "));
    if (!names.empty())
      terminal_.print(fmt::format("{}{}\n", kIndent,
                                  terminal_.paint(Paint::Dim, cut_to_columns(names, width))));
    if (facts.set->missing.empty()) return;
    const std::string missing =
        "not there: " + tidy(fmt::format("{}", fmt::join(facts.set->missing, ", ")));
    terminal_.print(fmt::format("{}{}\n", kIndent,
                                terminal_.paint(Paint::Yellow, cut_to_columns(missing, width))));
  }

  const Catalog& catalog_;
  const Terminal& terminal_;
  std::vector<SetFacts> sets_;
};

int print_toolsets(const ToolSetsCommand& command) {
  warn_of_unread_options(command.catalog);
  const auto open = open_catalog(command.catalog);
  if (!open) return report_failure(open.error());
  if (command.as_json) {
    fmt::print("{}\n", write_toolsets(*open->catalog));
    return 0;
  }
  const Terminal terminal(stdout);
  const SetPrinter printer(*open->catalog, terminal);
  if (terminal.is_terminal())
    printer.print_table();
  else
    printer.print_lines();
  return 0;
}

}  // namespace

void add_toolsets(CLI::App& app, Run& run) {
  auto options = std::make_shared<ToolSetsCommand>();
  CLI::App* command = app.add_subcommand("toolsets", "List the tool sets and their members");
  command->add_flag("--json", options->as_json,
                    "Print the object that GET /v1/toolsets answers with");
  add_catalog_options(*command, options->catalog);
  command->footer("A pipe gets one line per set: name, state, source, members, description.");
  command->callback([options, &run] {
    complete_catalog_options(options->catalog);
    run = [options] { return print_toolsets(*options); };
  });
}

}  // namespace toolgate
