// toolgate validate: checks an input against a tool's schema the way a model's call is checked, and
// shows each repair and each fault where it stands.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/json.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "schema/compile.h"
#include "schema/repair.h"

namespace toolgate {
namespace {

struct ValidateCommand {
  std::string schema;
  std::string input;
  bool as_json = false;
  bool formats = false;
};

bool is_json(std::string_view text) {
  return JsonTree().parse(text).has_value();
}

// A file if there is one, else JSON as it stands on the command line.
Result<std::string> read_value(const std::string& given) {
  if (given.starts_with('@')) return read_input(given.substr(1));
  std::error_code ignored;
  if (given.empty() || given == "-" || std::filesystem::exists(given, ignored))
    return read_input(given);
  const bool looks_like_json = given.find_first_of("{[\"") != given.npos;
  return looks_like_json || is_json(given) ? given : read_input(given);
}

// A schema, or a tool that has one: OpenAI's form, MCP's, or VS Code's.
const JsonNode& schema_of(const JsonNode& root) {
  const JsonNode* function = root.find("function");
  const JsonNode& tool = function ? *function : root;
  if (!tool.find("name")) return root;
  for (const std::string_view key : {"parameters", "inputSchema", "input_schema"})
    if (const JsonNode* schema = tool.find(key)) return *schema;
  return root;
}

void append_list(std::string& out, std::string_view name, auto&& items, auto&& append) {
  out += fmt::format(R"(,"{}":[)", name);
  bool first = true;
  for (const auto& item : items) {
    if (!std::exchange(first, false)) out += ',';
    append(item);
  }
  out += ']';
}

void append_members(std::string& out,
                    std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
  out += '{';
  for (const auto& [name, text] : members) {
    if (out.back() != '{') out += ',';
    append_json_string(out, name);
    out += ':';
    append_json_string(out, text);
  }
  out += '}';
}

// A check that a limit ended says nothing about the input.
bool was_cut_short(const InputCheck& check) {
  return std::ranges::any_of(check.faults,
                             [](const InputFault& fault) { return fault.keyword == "limit"; });
}

std::string as_json(const InputCheck& check) {
  std::string out =
      fmt::format(R"({{"valid":{},"checked":{},"input":)", check.valid, !was_cut_short(check));
  JsonTree tree;
  out += tree.parse(check.input) ? check.input : "null";
  append_list(out, "errors", check.faults, [&](const InputFault& fault) {
    append_members(out,
                   {{"path", fault.path}, {"keyword", fault.keyword}, {"message", fault.message}});
  });
  append_list(out, "repairs", check.repairs, [&](const Repair& repair) {
    append_members(out, {{"path", repair.path},
                         {"from", repair.from},
                         {"to", repair.to},
                         {"reason", repair.reason}});
  });
  out += R"(,"message":)";
  append_json_string(out, check.message);
  out += R"(,"classic":)";
  append_json_string(out, check.classic);
  return out + "}";
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 60;
  if (text.size() <= kMost) return visible(text);
  text = text.substr(0, kMost);
  text.remove_suffix(incomplete_utf8_tail(text));
  return visible(text) + "…";
}

std::string count_of(std::size_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

void print_repairs(const InputCheck& check, const Terminal& terminal) {
  for (const Repair& repair : check.repairs)
    terminal.print(fmt::format(
        "  {} {}  {} → {}\n           {}\n", terminal.paint(Paint::Yellow, "repaired"),
        terminal.paint(Paint::Bold, repair.path.empty() ? "/" : repair.path),
        shortened(repair.from), shortened(repair.to), terminal.paint(Paint::Dim, repair.reason)));
  if (check.repairs_left_out > 0)
    terminal.print(fmt::format("  and {} more\n", check.repairs_left_out));
}

void print_faults(const InputCheck& check, std::string_view text, const Terminal& terminal) {
  for (const InputFault& fault : check.faults) {
    terminal.print(fmt::format("  {} {}  {} {}\n", terminal.paint(Paint::Red, "fault   "),
                               terminal.paint(Paint::Bold, fault.path.empty() ? "/" : fault.path),
                               visible(fault.message),
                               terminal.paint(Paint::Dim, "(" + fault.keyword + ")")));
    if (fault.offset == JsonNode::kNowhere) continue;
    const auto at = text_position(text, fault.offset);
    std::string place = point_into(text, fault.offset, terminal);
    const std::string prefix = fmt::format("  {:>8}  ", fmt::format("{}:{}", at.line, at.column));
    const std::size_t line_break = place.find('\n');
    place.insert(line_break + 1, std::string(prefix.size(), ' '));
    terminal.print(terminal.paint(Paint::Dim, prefix) + place);
  }
  if (check.faults_left_out > 0)
    terminal.print(fmt::format("  and {} more\n", check.faults_left_out));
}

int print_check(const InputCheck& check, std::string_view text) {
  const Terminal terminal(stdout);
  if (was_cut_short(check)) {
    terminal.print(terminal.paint(Paint::Red, "could not be checked") + "\n");
    print_faults(check, text, terminal);
    return 1;
  }
  if (check.valid) {
    terminal.print(terminal.paint(Paint::Green, "valid"));
    terminal.print(check.repairs.empty()
                       ? "\n"
                       : fmt::format(" after {}\n", count_of(check.repairs.size(), "repair")));
    print_repairs(check, terminal);
    if (check.repairs.empty()) return 0;
    JsonTree tree;
    if (const auto input = tree.parse(check.input))
      terminal.print(fmt::format("the tool gets\n{}\n", pretty_json(**input)));
    return 0;
  }
  terminal.print(
      terminal.paint(Paint::Red, "not valid") +
      fmt::format(": {}\n", count_of(check.faults.size() + check.faults_left_out, "fault")));
  print_repairs(check, terminal);
  print_faults(check, text, terminal);
  return 1;
}

int validate(const ValidateCommand& command) {
  const auto schema_text = read_input(command.schema);
  if (!schema_text) return report_failure(schema_text.error());
  JsonTree tree;
  const auto root = tree.parse(*schema_text);
  if (!root)
    return report_failure({root.error().code, command.schema + ": " + root.error().message, {}});
  const JsonNode& schema_root = schema_of(**root);
  const auto schema = compile_schema(schema_root, {.assert_formats = command.formats});
  if (!schema)
    return report_failure(
        {schema.error().code,
         fmt::format("{}: the schema cannot be used: {}{}", command.schema,
                     schema.error().where.empty() ? "" : schema.error().where + " ",
                     schema.error().message),
         {}});
  const auto text = read_value(command.input);
  if (!text) return report_failure(text.error());
  const InputCheck check = check_input(*text, schema->get(), {.schema_root = &schema_root});
  if (!command.as_json) return print_check(check, *text);
  fmt::print("{}\n", as_json(check));
  return check.valid ? 0 : 1;
}

}  // namespace

void add_validate(CLI::App& app, Run& run) {
  auto options = std::make_shared<ValidateCommand>();
  CLI::App* command = app.add_subcommand(
      "validate", "Check an input as a call would be checked, with repairs shown");
  command
      ->add_option("--schema", options->schema,
                   "A JSON Schema, or a tool that has one (parameters, inputSchema)")
      ->required()
      ->type_name("FILE");
  command->add_option("INPUT", options->input,
                      "A file, @file, or JSON; standard input when absent or -");
  command->add_flag("--formats", options->formats, "Check \"format\" too, not only note it");
  command->add_flag("--json", options->as_json,
                    "Print one object: valid, input, errors, repairs, classic");
  command->footer("Exit status: 0 when valid (also after repairs), 1 when not.");
  command->callback([options, &run] { run = [options] { return validate(*options); }; });
}

}  // namespace toolgate
