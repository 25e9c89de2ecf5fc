#include "builtin/all.h"

#include "builtin/read_result.h"

namespace toolgate {

Result<std::vector<Registration>> add_builtin_tools(Registry& registry,
                                                    const BuiltinSurroundings& around) {
  struct Builtin {
    ToolData data;
    std::shared_ptr<Tool> tool;
  };
  Builtin tools[] = {
      {read_result_data(), make_read_result(around.ledger, around.results)},
  };
  std::vector<Registration> registrations;
  for (Builtin& each : tools) {
    auto added = registry.add(std::move(each.data), std::move(each.tool));
    if (!added) return std::unexpected(added.error());
    registrations.push_back(std::move(*added));
  }
  return registrations;
}

}  // namespace toolgate
