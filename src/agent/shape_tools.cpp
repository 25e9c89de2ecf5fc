#include "agent/shape_tools.h"

#include <fmt/format.h>

#include "async/offload.h"
#include "base/json_pointer.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostFixesTold = 256;
constexpr std::size_t kMostShapedOnLoop = 16 << 10;

// "/function/parameters/properties/a" as people write it: "function.parameters.properties.a".
std::string dotted(std::string_view pointer) {
  std::string out;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    out += '.' + unescape_pointer_step(token);
    pointer.remove_prefix(token.size());
  }
  return out;
}

std::unexpected<Error> refuse(const ChatTool& tool, std::size_t number, const ToolFault& fault) {
  std::string field = fmt::format("tools[{}]{}", number, dotted(fault.path));
  return fail_at(field, Errc::InvalidRequest,
                 "{}: the schema of the tool '{}' cannot be used: {}{}{}", field, tool.name,
                 fault.reason, fault.advice.empty() ? "" : "; ", fault.advice);
}

bool is_sent(const ChatRequest& request, const ChatTool& tool) {
  if (request.tool_mode == ToolMode::None) return false;
  return request.tool_mode != ToolMode::Named || tool.name == request.tool_choice_name;
}

// How many changes were too many to tell. Values of a wrong type are no fixes in the words of the
// original, but they are changes too.
std::size_t tell(const NormalizedTool& tool, TurnReport& report) {
  std::size_t told = 0;
  for (const SchemaFix& fix : tool.fixes) {
    if (report.fixes.size() == kMostFixesTold) break;
    report.fixes.push_back({tool.name, fix.message});
    ++told;
  }
  if (!tool.coerced.empty())
    report.warnings.push_back(fmt::format(
        "tool '{}': {} value{} of a wrong type in its schema corrected, first {} to {} at {}",
        tool.name, tool.coerced.size(), tool.coerced.size() == 1 ? " was" : "s were",
        tool.coerced[0].from, tool.coerced[0].to, tool.coerced[0].path));
  return tool.fixes.size() - told + tool.fixes_left_out;
}

using Shaped = Result<std::shared_ptr<const NormalizedTool>>;

// A long tool is shaped beside the loop.
Task<Shaped> shape_unknown(std::string_view text, SchemaChanges changes, NormalizedTools& cache,
                           const Cancel& cancel) {
  if (text.size() <= kMostShapedOnLoop) co_return cache.get(text, changes);
  auto made = co_await offload(
      [=] { return normalize_tool(text, NormalizeOptions{.changes = changes}); }, cancel);
  if (!made) co_return std::unexpected(made.error());
  auto tool = std::make_shared<const NormalizedTool>(std::move(*made));
  cache.put(text, changes, tool);
  co_return tool;
}

}  // namespace

Task<Result<void>> shape_tools(ChatRequest& request, SchemaChanges changes, NormalizedTools& cache,
                               TurnReport& report, const Cancel& cancel) {
  std::size_t untold = 0;
  for (std::size_t i = 0; i < request.tools.size(); ++i) {
    ChatTool& tool = request.tools[i];
    // Nearly all tools of nearly all requests are known, and need no coroutine.
    auto known = cache.find(tool.raw, changes);
    const Shaped shaped =
        known ? Shaped(std::move(known)) : co_await shape_unknown(tool.raw, changes, cache, cancel);
    if (!shaped)
      co_return fail_at(fmt::format("tools[{}]", i), shaped.error().code, "tools[{}]: {}", i,
                        shaped.error().message);
    if ((*shaped)->fault) co_return refuse(tool, i, *(*shaped)->fault);
    if ((*shaped)->text == tool.raw) continue;
    tool.shaped = std::shared_ptr<const std::string>(*shaped, &(*shaped)->text);
    if (is_sent(request, tool)) untold += tell(**shaped, report);
  }
  if (untold > 0)
    report.warnings.push_back(fmt::format("{} more changes to tools are not listed", untold));
  co_return Result<void>{};
}

}  // namespace toolgate
