#include "agent/shape_tools.h"

#include <fmt/format.h>

namespace toolgate {
namespace {

constexpr std::size_t kMostFixesTold = 256;

// "/function/parameters/properties/a" as people write it: "function.parameters.properties.a".
std::string dotted(std::string_view pointer) {
  std::string out;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      out += '.';
    } else if (pointer[i] == '~' && i + 1 < pointer.size()) {
      out += pointer[++i] == '1' ? '/' : '~';
    } else {
      out += pointer[i];
    }
  }
  return out;
}

std::unexpected<Error> refuse(const ChatTool& tool, std::size_t number, const ToolFault& fault) {
  std::string field = fmt::format("tools[{}]{}", number, dotted(fault.path));
  return fail_at(field, Errc::InvalidRequest,
                 "{}: the schema of the tool '{}' cannot be used: {}{}{}", field, tool.name,
                 fault.reason, fault.advice.empty() ? "" : "; ", fault.advice);
}

void tell(const NormalizedTool& tool, TurnReport& report) {
  for (const SchemaFix& fix : tool.fixes)
    if (report.fixes.size() < kMostFixesTold) report.fixes.push_back({tool.name, fix.message});
}

}  // namespace

Result<void> shape_tools(ChatRequest& request, SchemaChanges changes, NormalizedTools& cache,
                         TurnReport& report) {
  for (std::size_t i = 0; i < request.tools.size(); ++i) {
    ChatTool& tool = request.tools[i];
    auto shaped = cache.get(tool.raw, changes);
    if (!shaped) return std::unexpected(shaped.error());
    if ((*shaped)->fault) return refuse(tool, i, *(*shaped)->fault);
    if ((*shaped)->text == tool.raw) continue;
    tool.shaped = std::shared_ptr<const std::string>(*shaped, &(*shaped)->text);
    tell(**shaped, report);
  }
  return {};
}

}  // namespace toolgate
