#include "cli/tool_approval.h"

#include "async/loop.h"
#include "cli/call_place.h"
#include "cli/explanation.h"
#include "cli/moments.h"
#include "cli/sample_input.h"
#include "gateway/access.h"
#include "gateway/invoking.h"
#include "invoke/memory_store.h"

namespace toolgate {
namespace {

Result<std::string> ask_place(Result<std::unique_ptr<CallPlace>> place, const CatalogTool& tool,
                              const std::string& input) {
  if (!place) return std::unexpected(std::move(place.error()));
  return run_on((*place)->loop(),
                (*place)->explain({.tool = tool.data().id, .input = input, .call_id = {}}));
}

// By the settings alone, as if nothing were remembered.
Result<std::string> explain_by_settings(const CatalogOptions& options, const OpenCatalog& open,
                                        const CatalogTool& tool, const std::string& input) {
  BookOptions book;
  book.now = wall_clock;
  Loop loop;
  auto ledger = Ledger::open(std::make_unique<MemoryStore>(), std::move(book));
  if (!ledger) return std::unexpected(std::move(ledger.error()));
  ToolsService service(**ledger, loop.deadlines(), {});
  InvokeContext context;
  context.catalog = open.catalog;
  context.approvals = std::make_shared<const ApprovalSettings>(open.settings.approvals);
  InvokeRequest request;
  request.tool_id = tool.data().id;
  request.arguments = input;
  request.caller = kOperatorName;
  request.workspace = options.settings.workspace.string();
  const CancelSource never;
  const auto verdict = run_on(loop, service.explain(request, context, never));
  if (!verdict) return std::unexpected(verdict.error());
  return write_explanation(request.tool_id, *verdict);
}

struct Explained {
  Result<std::string> explanation;
  std::string note;
};

Explained explain(const CatalogOptions& options, const GatewayChoice& gateway,
                  const OpenCatalog& open, const CatalogTool& tool, const std::string& input) {
  auto link = find_gateway(gateway);
  Result<std::string> answer = std::string();
  if (!link)
    answer = std::unexpected(std::move(link.error()));
  else if (*link)
    answer = ask_place(make_gateway_place(std::move(**link)), tool, input);
  else if (has_database(open.settings, options.data))
    answer = ask_place(open_local_place(options), tool, input);
  else
    return {explain_by_settings(options, open, tool, input), {}};
  if (answer) return {std::move(answer), {}};
  return {explain_by_settings(options, open, tool, input),
          "what is remembered is not looked at: " + answer.error().message};
}

}  // namespace

void print_tool_approval(const CatalogOptions& options, const GatewayChoice& gateway,
                         const OpenCatalog& open, const CatalogTool& tool,
                         const Terminal& terminal) {
  const bool is_builtin = tool.data().source.kind == ToolSource::Kind::Internal;
  if (!tool.implementation && !is_builtin) return;
  terminal.print(fmt::format("\n{}\n", terminal.paint(Paint::Bold, "Approval of a call")));
  const auto say = [&](const std::string& text) {
    terminal.print("  " + terminal.paint(Paint::Dim, on_one_line(text)) + "\n");
  };
  const std::string input = sample_input(tool.data().input_schema);
  const std::string how = fmt::format("'toolgate call {} --input JSON --explain'", tool.data().id);
  // What runs a built-in tool is not at hand here, unless there is a gateway or a database.
  const bool can_prepare = tool.implementation || has_database(open.settings, options.data);
  if (!tool.check_input(input).valid || !can_prepare) {
    say(fmt::format("It depends on the input; {} says it for one.", how));
    return;
  }
  const Explained explained = explain(options, gateway, open, tool, input);
  if (!explained.note.empty() && !tool.implementation) {
    say(fmt::format("It depends on the input; {} says it for one.", how));
    return;
  }
  const auto text = explained.explanation
                        ? describe_explanation(*explained.explanation, terminal)
                        : Result<std::string>(std::unexpected(explained.explanation.error()));
  terminal.print(text ? *text : "  " + visible(on_one_line(text.error().message)) + "\n");
  if (!explained.note.empty()) say(explained.note);
  if (input != "{}") say(fmt::format("That is for {}; {} says it for another.", input, how));
}

}  // namespace toolgate
