#include "builtin/all.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "builtin/get_errors.h"
#include "builtin/list_code_usages.h"
#include "builtin/list_dir.h"
#include "builtin/read_result.h"
#include "builtin/search_workspace_symbols.h"

namespace toolgate {
namespace {

struct Builtin {
  ToolData (*data)();
  std::shared_ptr<Tool> (*make)(const BuiltinSurroundings& around);
  std::string_view set;  // empty: the gateway's own, always there
};

constexpr Builtin kBuiltin[] = {
    {read_result_data, make_read_result, ""},
    {list_dir_data, make_list_dir, "search"},
    {get_errors_data, make_get_errors, "read"},
    {search_workspace_symbols_data, make_search_workspace_symbols, "search"},
    {list_code_usages_data, make_list_code_usages, "search"},
};

struct BuiltinSet {
  std::string_view name;
  std::string_view description;
  std::string_view icon;
};

constexpr std::array kSets{
    BuiltinSet{"read", "Read files, images and problems in the workspace", "$(eye)"},
    BuiltinSet{"search", "Search files, text and symbols in the workspace", "$(search)"},
    BuiltinSet{"edit", "Create and change files in the workspace", "$(pencil)"},
    BuiltinSet{"execute", "Run commands, tasks and tests", "$(terminal)"},
    BuiltinSet{"web", "Fetch pages from the web", "$(globe)"},
    BuiltinSet{"agent", "What an agent needs for itself", "$(agent)"},
};

bool is_wanted(const Builtin& each, bool for_workspace) {
  return for_workspace || each.set.empty();
}

ToolSetData set_of(const BuiltinSet& set) {
  ToolSetData data;
  data.id = data.reference_name = set.name;
  data.description = set.description;
  data.icon = set.icon;
  data.needs_member = true;
  for (const Builtin& each : kBuiltin)
    if (each.set == set.name) data.members.push_back({ToolSetMember::By::ToolId, each.data().id});
  return data;
}

// Keeps what was added; the error, if it was not.
Result<void> take(Result<Registration> added, std::vector<Registration>& into) {
  if (!added) return std::unexpected(std::move(added.error()));
  into.push_back(std::move(*added));
  return {};
}

}  // namespace

Result<std::vector<Registration>> declare_builtin_tools(Registry& registry, bool for_workspace) {
  std::vector<Registration> registrations;
  for (const Builtin& each : kBuiltin)
    if (is_wanted(each, for_workspace))
      if (auto taken = take(registry.add_data(each.data()), registrations); !taken)
        return std::unexpected(taken.error());
  if (!for_workspace) return registrations;
  for (const BuiltinSet& set : kSets)
    if (auto taken = take(registry.add_set(set_of(set)), registrations); !taken)
      return std::unexpected(taken.error());
  return registrations;
}

Result<std::vector<Registration>> implement_builtin_tools(Registry& registry, bool for_workspace,
                                                          const BuiltinSurroundings& around) {
  std::vector<Registration> registrations;
  for (const Builtin& each : kBuiltin)
    if (is_wanted(each, for_workspace))
      if (auto taken =
              take(registry.add_implementation(each.data().id, each.make(around)), registrations);
          !taken)
        return std::unexpected(taken.error());
  return registrations;
}

}  // namespace toolgate
