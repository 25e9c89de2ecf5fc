// toolgate tools: what is in the catalogue, as a list or one tool in full. The same objects as
// GET /v1/tools and /v1/tools/{name} with --json.
#include <memory>

#include "cli/catalog_options.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "cli/tool_approval.h"
#include "cli/tool_card.h"
#include "cli/tool_list.h"
#include "gateway/tools_reply.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostListed = 100;  // on a terminal, unless a filter or --all asks for more

struct ToolsCommand {
  CatalogOptions catalog;
  GatewayChoice gateway;
  bool show = false;
  std::string shown_name;
  std::string tags;
  std::string tags_match = "any";
  std::string name;
  std::string family;
  bool all = false;
  bool as_json = false;

  bool is_filtered() const { return !tags.empty() || !name.empty(); }
  std::optional<std::string> chosen_family() const {
    return family.empty() ? std::nullopt : std::optional(family);
  }
};

ToolQuery query_of(const ToolsCommand& command) {
  ToolQuery query;
  query.tags = split_tags(command.tags);
  query.all_tags = command.tags_match == "all";
  if (!command.name.empty()) query.name.emplace(command.name);
  return query;
}

std::string write_list(const ToolsCommand& command, const OpenCatalog& open) {
  ToolQuery query = query_of(command);
  query.include_disabled = command.all;
  if (command.family.empty()) return write_tool_list(*open.catalog, query);
  std::string out = R"({"object":"list","data":[)";
  for (const CatalogTool* tool : find_tools(*open.catalog, query)) {
    if (out.back() != '[') out += ',';
    out += write_tool(*open.catalog, *tool, command.family, open.settings.families);
  }
  return out + "]}";
}

void print_hints(const ToolsCommand& command, const OpenCatalog& open, bool overview,
                 const Terminal& terminal) {
  if (overview)
    terminal.print(
        "\n  toolgate tools --name 'get_*'     those alone; or --tags a,b\n"
        "  toolgate tools --all              every one of them\n"
        "  toolgate tools show NAME          one in full\n");
  else if (!command.is_filtered())
    terminal.print(terminal.paint(Paint::Dim, "'toolgate tools show NAME' says all about one.\n"));
  if (const std::size_t problems = open.problem_count(); problems > 0)
    terminal.print(terminal.paint(
        Paint::Yellow,
        fmt::format("{}: 'toolgate doctor' says what to do.\n", counted(problems, "problem"))));
}

void print_nothing(const ToolsCommand& command, const OpenCatalog& open, const Terminal& terminal) {
  if (command.is_filtered())
    terminal.print(
        fmt::format("None of {} is like that.\n", counted(open.catalog->tools.size(), "tool")));
  else
    terminal.print(fmt::format(
        "There are no tools yet. The built-in ones are switched off: toolgate.tools.builtin\n"
        "switches them on. Others come from VS Code extensions: unpack one to\n"
        "{}/NAME, or name its folder with --extension.\n",
        with_tilde(visible((command.catalog.tools.profile / "extensions").string()))));
}

int list_tools(const ToolsCommand& command, const OpenCatalog& open) {
  if (command.as_json) {
    fmt::print("{}\n", write_list(command, open));
    return 0;
  }
  const Terminal terminal(stdout);
  ToolQuery query = query_of(command);
  query.include_disabled = true;
  std::optional<SchemaChanges> changes;
  if (!command.family.empty()) changes = open.settings.families.changes_for(command.family);
  const auto found = find_tools(*open.catalog, query);
  const bool overview = terminal.is_terminal() && found.size() > kMostListed &&
                        !command.is_filtered() && !command.all;
  std::vector<ListedTool> tools;
  for (const CatalogTool* tool : found) {
    tools.push_back(list_tool(*tool));
    if (!overview) tools.back().note = note_on_schema(*tool, changes);
  }
  const ToolLister lister(terminal);
  if (!terminal.is_terminal()) {
    lister.print_lines(tools, changes.has_value());
    return 0;
  }
  if (tools.empty())
    print_nothing(command, open, terminal);
  else if (overview)
    lister.print_overview(tools);
  else
    lister.print_groups(tools);
  if (overview) terminal.print("\n");
  if (!tools.empty()) terminal.print(terminal.paint(Paint::Bold, tool_summary(tools)) + "\n");
  print_hints(command, open, overview, terminal);
  return 0;
}

int show_tool(const ToolsCommand& command, const OpenCatalog& open) {
  const auto tool = find_tool_by_any_name(*open.catalog, command.shown_name);
  if (!tool) {
    std::string message = tool.error().message;
    if (!message.contains("did you mean")) message += "; 'toolgate tools' lists all";
    return report_failure({tool.error().code, visible(message), {}});
  }
  const auto family = command.chosen_family();
  if (command.as_json) {
    fmt::print("{}\n", write_tool(*open.catalog, **tool, family, open.settings.families));
    return 0;
  }
  const Terminal terminal(stdout);
  print_tool_card(*open.catalog, **tool, family, open.settings.families, terminal);
  print_tool_approval(command.catalog, command.gateway, open, **tool, terminal);
  return 0;
}

int run_tools(const ToolsCommand& command) {
  warn_of_unread_options(command.catalog);
  const auto open = open_catalog(command.catalog);
  if (!open) return report_failure(open.error());
  return command.show ? show_tool(command, *open) : list_tools(command, *open);
}

}  // namespace

void add_tools(CLI::App& app, Run& run) {
  auto options = std::make_shared<ToolsCommand>();
  CLI::App* command = app.add_subcommand("tools", "List the tools there are, or show one in full");
  command->add_option("--tags", options->tags, "Only tools with one of these tags: a,b");
  command
      ->add_option("--tags-match", options->tags_match,
                   "Whether one tag will do or all must be there")
      ->check(CLI::IsMember({"any", "all"}))
      ->capture_default_str();
  command->add_option("--name", options->name, "Only tools whose name is like this: 'get_*'")
      ->type_name("GLOB");
  command
      ->add_option("--family", options->family,
                   "Say what is changed for a family of models, such as gpt-4.1")
      ->type_name("NAME");
  command->add_flag("--all", options->all,
                    "List every tool, however many there are; with --json also those disabled");
  command->add_flag("--json", options->as_json, "Print the object that GET /v1/tools answers with");
  add_catalog_options(*command, options->catalog);

  command->require_subcommand(0, 1);
  command->add_subcommand("list", "List them, as without this word")->fallthrough();
  CLI::App* show = command->add_subcommand("show", "Show one in full")->fallthrough();
  show->add_option("NAME", options->shown_name, "Its name, reference name or full reference name")
      ->required();
  show->footer("The options of 'toolgate tools' may stand here as well.");
  command->footer("A pipe gets one line per tool: name, state, reference, source, description.");
  command->callback([options, show, &run] {
    complete_catalog_options(options->catalog);
    options->gateway.data = options->catalog.data;
    options->show = show->parsed();
    run = [options] { return run_tools(*options); };
  });
}

}  // namespace toolgate
