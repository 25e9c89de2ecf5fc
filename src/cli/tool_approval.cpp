#include "cli/tool_approval.h"

#include "async/loop.h"
#include "cli/call_place.h"
#include "cli/explanation.h"
#include "cli/moments.h"
#include "gateway/access.h"
#include "gateway/invoking.h"
#include "invoke/memory_store.h"

namespace toolgate {
namespace {

Result<std::string> ask_place(Result<std::unique_ptr<CallPlace>> place, const std::string& tool) {
  if (!place) return std::unexpected(std::move(place.error()));
  return run_on((*place)->loop(), (*place)->explain({.tool = tool, .call_id = {}}));
}

// By the settings alone, as if nothing were remembered.
Result<std::string> explain_by_settings(const CatalogOptions& options, const OpenCatalog& open,
                                        const CatalogTool& tool) {
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
  request.arguments = "{}";
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
                  const OpenCatalog& open, const CatalogTool& tool) {
  auto link = find_gateway(gateway);
  Result<std::string> answer = std::string();
  if (!link)
    answer = std::unexpected(std::move(link.error()));
  else if (*link)
    answer = ask_place(make_gateway_place(std::move(**link)), tool.data().id);
  else if (has_database(open.settings, options.data))
    answer = ask_place(open_local_place(options), tool.data().id);
  else
    return {explain_by_settings(options, open, tool), {}};
  if (answer) return {std::move(answer), {}};
  return {explain_by_settings(options, open, tool),
          "what is remembered is not looked at: " + answer.error().message};
}

}  // namespace

void print_tool_approval(const CatalogOptions& options, const GatewayChoice& gateway,
                         const OpenCatalog& open, const CatalogTool& tool,
                         const Terminal& terminal) {
  if (!tool.implementation) return;
  const Explained explained = explain(options, gateway, open, tool);
  const auto text = explained.explanation
                        ? describe_explanation(*explained.explanation, terminal)
                        : Result<std::string>(std::unexpected(explained.explanation.error()));
  terminal.print(fmt::format("\n{}\n", terminal.paint(Paint::Bold, "Approval of a call")));
  terminal.print(text ? *text : "  " + visible(text.error().message) + "\n");
  if (!explained.note.empty())
    terminal.print("  " + terminal.paint(Paint::Dim, explained.note) + "\n");
}

}  // namespace toolgate
