#include "builtin/all.h"

#include "builtin/read_result.h"

namespace toolgate {
namespace {

struct Builtin {
  ToolData (*data)();
  std::shared_ptr<Tool> (*make)(const BuiltinSurroundings& around);
};

constexpr Builtin kBuiltin[] = {
    {read_result_data, make_read_result},
};

}  // namespace

Result<std::vector<Registration>> declare_builtin_tools(Registry& registry) {
  std::vector<Registration> registrations;
  for (const Builtin& each : kBuiltin) {
    auto added = registry.add_data(each.data());
    if (!added) return std::unexpected(added.error());
    registrations.push_back(std::move(*added));
  }
  return registrations;
}

Result<std::vector<Registration>> implement_builtin_tools(Registry& registry,
                                                          const BuiltinSurroundings& around) {
  std::vector<Registration> registrations;
  for (const Builtin& each : kBuiltin) {
    auto added = registry.add_implementation(each.data().id, each.make(around));
    if (!added) return std::unexpected(added.error());
    registrations.push_back(std::move(*added));
  }
  return registrations;
}

}  // namespace toolgate
