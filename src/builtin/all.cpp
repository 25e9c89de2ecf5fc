#include "builtin/all.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "builtin/apply_patch.h"
#include "builtin/create_directory.h"
#include "builtin/create_file.h"
#include "builtin/fetch_webpage.h"
#include "builtin/file_search.h"
#include "builtin/get_changed_files.h"
#include "builtin/get_errors.h"
#include "builtin/get_task_output.h"
#include "builtin/get_terminal_output.h"
#include "builtin/grep_search.h"
#include "builtin/insert_edit_into_file.h"
#include "builtin/kill_terminal.h"
#include "builtin/list_code_usages.h"
#include "builtin/list_dir.h"
#include "builtin/manage_todo_list.h"
#include "builtin/multi_replace_string_in_file.h"
#include "builtin/read_file.h"
#include "builtin/read_project_structure.h"
#include "builtin/read_result.h"
#include "builtin/rename.h"
#include "builtin/replace_string_in_file.h"
#include "builtin/run_in_terminal.h"
#include "builtin/run_task.h"
#include "builtin/search_workspace_symbols.h"
#include "builtin/send_to_terminal.h"
#include "builtin/terminal_last_command.h"
#include "builtin/test_failure.h"
#include "builtin/view_image.h"

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
    {file_search_data, make_file_search, "search"},
    {grep_search_data, make_grep_search, "search"},
    {get_changed_files_data, make_get_changed_files, "search"},
    {read_file_data, make_read_file, "read"},
    {view_image_data, make_view_image, "read"},
    {read_project_structure_data, make_read_project_structure, "read"},
    {fetch_webpage_data, make_fetch_webpage, "web"},
    {manage_todo_list_data, make_manage_todo_list, "agent"},
    {create_file_data, make_create_file, "edit"},
    {create_directory_data, make_create_directory, "edit"},
    {replace_string_in_file_data, make_replace_string_in_file, "edit"},
    {multi_replace_string_in_file_data, make_multi_replace_string_in_file, "edit"},
    {apply_patch_data, make_apply_patch, "edit"},
    {insert_edit_into_file_data, make_insert_edit_into_file, "edit"},
    {rename_data, make_rename, "edit"},
    {run_in_terminal_data, make_run_in_terminal, "execute"},
    {get_terminal_output_data, make_get_terminal_output, "execute"},
    {send_to_terminal_data, make_send_to_terminal, "execute"},
    {kill_terminal_data, make_kill_terminal, "execute"},
    {terminal_last_command_data, make_terminal_last_command, "execute"},
    {run_task_data, make_run_task, "execute"},
    {get_task_output_data, make_get_task_output, "execute"},
    {test_failure_data, make_test_failure, "execute"},
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
