// toolgate normalize: tools as a family of models takes them; the tools on stdout, what was changed
// and why on stderr.
#include <memory>

#include "cli/changes.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "gateway/normalize_reply.h"

namespace toolgate {
namespace {

struct NormalizeCommand {
  std::string family;
  std::string file;
  bool strict = false;
  bool as_json = false;
  SettingsFiles settings;
};

// A list of tools, one tool, or a request that has them.
const JsonNode* find_tools(JsonTree& tree, JsonNode& root) {
  if (!root.is(JsonNode::Kind::Object)) return &root;
  if (const JsonNode* tools = root.find("tools")) return tools;
  JsonNode* list = tree.make(JsonNode::Kind::Array);
  tree.append(*list, &root);
  return list;
}

void print_summary(const NormalizedList& list, std::string_view family, const Terminal& terminal) {
  std::size_t changes = 0;
  std::size_t left_out = 0;
  for (const auto& tool : list.tools) {
    changes += change_count(*tool);
    left_out += tool->fault ? 1 : 0;
  }
  terminal.print(terminal.paint(left_out  ? Paint::Red
                                : changes ? Paint::Yellow
                                          : Paint::Green,
                                fmt::format("{} tool{} for {}: {} change{}, {} left out\n",
                                            list.tools.size(), list.tools.size() == 1 ? "" : "s",
                                            family, changes, changes == 1 ? "" : "s", left_out)));
}

std::string pretty_list(const NormalizedList& list) {
  if (list.absent) return "null";
  JsonTree tree;
  const std::string text = list.text();
  const auto tools = tree.parse(text);
  return tools ? pretty_json(**tools) : text;
}

int normalize_file(const NormalizeCommand& command) {
  const auto settings = read_command_settings(command.settings);
  if (!settings) return report_failure(settings.error());
  const auto text = read_input(command.file);
  if (!text) return report_failure(text.error());
  JsonTree tree;
  const auto root = tree.parse(*text);
  if (!root) return report_failure(root.error());
  const auto list = normalize_tools(find_tools(tree, **root),
                                    {.changes = settings->families.changes_for(command.family)},
                                    command.strict ? BadTools::Reject : BadTools::Quarantine);
  if (!list) return report_failure(list.error());
  const bool any_left_out =
      std::ranges::any_of(list->tools, [](const auto& tool) { return tool->fault.has_value(); });
  if (command.as_json) {
    fmt::print("{}\n", write_normalized(*list));
    return any_left_out ? 1 : 0;
  }
  const Terminal errors(stderr);
  for (const auto& tool : list->tools) ChangePrinter(errors).print(*tool);
  if (!list->error.empty()) {
    errors.print(errors.paint(Paint::Red, list->error) + "\n");
    return 1;
  }
  fmt::print("{}\n", pretty_list(*list));
  std::fflush(stdout);
  print_summary(*list, command.family, errors);
  return any_left_out ? 1 : 0;
}

}  // namespace

void add_normalize(CLI::App& app, Run& run) {
  auto options = std::make_shared<NormalizeCommand>();
  CLI::App* command =
      app.add_subcommand("normalize", "Shape the schemas of tools for a family of models");
  command->add_option("--family", options->family, "The family, such as gpt-4.1 or gemini-2.5")
      ->required()
      ->check([](const std::string& name) { return name.empty() ? "must not be empty" : ""; })
      ->type_name("NAME");
  command->add_option("FILE", options->file,
                      "A list of OpenAI function tools, one tool, or a request with \"tools\"; "
                      "standard input when absent or -");
  command->add_flag("--strict", options->strict, "One bad tool fails the whole list");
  command->add_flag("--json", options->as_json, "Print one object: tools, fixes, errors");
  add_settings_options(*command, options->settings);
  command->footer("Exit status: 0, or 1 when a tool had to be left out.");
  command->callback([options, &run] { run = [options] { return normalize_file(*options); }; });
}

}  // namespace toolgate
