// toolgate call: runs one tool as a model would, in the running gateway or, without one, in this
// process, and asks on the terminal where a person must be asked.
#include <memory>

#include "base/ids.h"
#include "cli/call_session.h"
#include "cli/catalog_options.h"
#include "cli/command.h"
#include "cli/explanation.h"
#include "cli/input.h"
#include "cli/input_help.h"
#include "cli/outcome.h"
#include "cli/process.h"
#include "gateway/tools_reply.h"

namespace toolgate {
namespace {

constexpr int kUsage = 2;

struct CallCommand {
  CatalogOptions catalog;
  GatewayChoice gateway;
  std::string tool;
  std::string input;
  std::string session;
  bool yes = false;
  bool explain = false;
  bool as_json = false;

  bool reads_standard_input() const { return input == "-" || input == "@-"; }
};

Result<CallWish> make_wish(const CallCommand& command) {
  auto input = read_json_argument(command.input.empty() ? "{}" : command.input, "--input");
  if (!input) return std::unexpected(std::move(input.error()));
  return CallWish{.tool = command.tool,
                  .input = std::move(*input),
                  .call_id = make_id("call_"),
                  .session_id = command.session};
}

Result<std::unique_ptr<CallPlace>> find_place(const CallCommand& command) {
  auto gateway = find_gateway(command.gateway);
  if (!gateway) return std::unexpected(std::move(gateway.error()));
  if (!*gateway) return open_local_place(command.catalog);
  const CatalogOptions& catalog = command.catalog;
  if (auto agreed = check_workspace(**gateway, catalog); !agreed)
    return std::unexpected(std::move(agreed.error()));
  if (!catalog.settings.extra.empty() || !catalog.tools.extensions.empty() ||
      !catalog.tools.tool_sets.empty())
    fmt::print(stderr,
               "toolgate: the gateway at {} makes the call, with its own settings and tools; "
               "those named here are for a call without one\n",
               (*gateway)->address.url);
  return make_gateway_place(std::move(**gateway));
}

int explain_call(const CallCommand& command, CallPlace& place, CallWish wish) {
  const auto explanation = run_on(place.loop(), place.explain(std::move(wish)));
  if (!explanation) return report_failure(explanation.error());
  if (command.as_json) {
    fmt::print("{}\n", *explanation);
    return 0;
  }
  const Terminal terminal(stdout);
  const auto text = describe_explanation(*explanation, terminal);
  if (!text) return report_failure(text.error());
  terminal.print(*text);
  return 0;
}

// As far as the tools that are here say what the tool takes; a gateway may have more of them.
int report_call_failure(const CallCommand& command, const Error& error) {
  if (error.message.starts_with("no tool is called") && !error.message.contains("did you mean"))
    return report_failure({error.code, error.message + "; 'toolgate tools' lists all", {}});
  if (!is_about_input(error)) return report_failure(error);
  const auto open = open_catalog(command.catalog);
  const CatalogTool* tool = nullptr;
  if (open)
    if (const auto found = find_tool_by_any_name(*open->catalog, command.tool)) tool = *found;
  explain_input(error, command.tool, tool, Terminal(stderr));
  return 1;
}

int call_tool(const CallCommand& command) {
  warn_of_unread_options(command.catalog);
  auto wish = make_wish(command);
  if (!wish) {
    report_failure(wish.error());
    return kUsage;
  }
  auto place = find_place(command);
  if (!place) return report_failure(place.error());
  if (command.explain) return explain_call(command, **place, std::move(*wish));

  const bool has_person = Terminal(stderr).is_terminal() &&
                          (Terminal(stdin).is_terminal() || command.reads_standard_input());
  wish->may_wait = has_person || command.yes || (*place)->others_can_decide();
  const bool may_wait = wish->may_wait;
  CallSession session(**place, std::move(*wish),
                      {.yes = command.yes, .input_is_taken = command.reads_standard_input()});
  auto answer = run_on((*place)->loop(), session.run());
  if (!answer) return report_call_failure(command, answer.error());
  const bool was_refused = is_denied(*answer);
  const bool is_forgotten = !(*place)->others_can_decide() && needs_lasting_gateway(*answer);
  const auto status = print_outcome(std::move(*answer), command.as_json);
  if (!status) return report_failure(status.error());
  if (was_refused && !may_wait)
    fmt::print(stderr,
               "toolgate: where nobody can be asked, --yes allows a call once; through a running "
               "gateway ('toolgate serve') 'toolgate approve' can decide\n");
  if (is_forgotten)
    fmt::print(stderr,
               "toolgate: without a running gateway each call is on its own: what it leaves "
               "running ends with it, and the next one knows nothing of it; 'toolgate serve' "
               "starts one\n");
  return *status;
}

}  // namespace

void add_call(CLI::App& app, Run& run) {
  auto options = std::make_shared<CallCommand>();
  CLI::App* command =
      app.add_subcommand("call", "Run one tool, asking here where a person must be asked");
  command->add_option("NAME", options->tool, "Its name, reference name or full reference name")
      ->required();
  command
      ->add_option("--input", options->input,
                   "What it gets: JSON, @file, or - for standard input; {} when absent")
      ->type_name("JSON");
  command
      ->add_option("--session", options->session,
                   "The chat session it counts to, for approvals of a session")
      ->type_name("ID");
  command->add_flag("--yes", options->yes, "Allow it once where it would ask");
  command->add_flag("--explain", options->explain,
                    "Only say which rule would decide about the call, and why");
  command->add_flag("--json", options->as_json,
                    "Print the object that POST /v1/tools/NAME/invoke (or /explain) answers with");
  add_url_option(*command, options->gateway);
  add_catalog_options(*command, options->catalog);
  command->footer(
      "The result goes to standard output, the question to the terminal. Ctrl-C cancels the call.\n"
      "Exit status: 0 when the tool ran and did not fail, 1 when not, 2 when used wrongly.");
  command->callback([options, &run] {
    complete_catalog_options(options->catalog);
    options->gateway.data = options->catalog.data;
    run = [options] {
      prepare_process();
      return call_tool(*options);
    };
  });
}

}  // namespace toolgate
