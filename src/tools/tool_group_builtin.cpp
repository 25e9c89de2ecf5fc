// The categories of built-in tools, and how they are grouped when that is asked for
// (tool_groups.h).
#include <algorithm>
#include <unordered_map>

#include "tools/tool_groups.h"

namespace toolgate {
namespace {

constexpr std::string_view kCore = "Core";

const std::unordered_map<std::string_view, std::string_view>& categories() {
  static const std::unordered_map<std::string_view, std::string_view> table = [] {
    constexpr std::string_view kJupyter = "Jupyter Notebook Tools";
    constexpr std::string_view kWeb = "Web Interaction";
    constexpr std::string_view kEditor = "VS Code Interaction";
    constexpr std::string_view kTesting = "Testing";
    constexpr std::string_view kRedundant = "Redundant but Specific";
    return std::unordered_map<std::string_view, std::string_view>{
        {"create_new_jupyter_notebook", kJupyter},
        {"edit_notebook_file", kJupyter},
        {"run_notebook_cell", kJupyter},
        {"copilot_getNotebookSummary", kJupyter},
        {"read_notebook_cell_output", kJupyter},
        {"fetch_webpage", kWeb},
        {"github_repo", kWeb},
        {"search_workspace_symbols", kEditor},
        {"get_errors", kEditor},
        {"get_vscode_api", kEditor},
        {"get_changed_files", kEditor},
        {"create_new_workspace", kEditor},
        {"install_extension", kEditor},
        {"get_project_setup_info", kEditor},
        {"create_and_run_task", kEditor},
        {"run_vscode_command", kEditor},
        {"get_search_view_results", kEditor},
        {"terminal_selection", kEditor},
        {"terminal_last_command", kEditor},
        {"vscode_get_confirmation", kEditor},
        {"vscode_get_confirmation_with_options", kEditor},
        {"vscode_get_terminal_confirmation", kEditor},
        {"vscode_askQuestions", kEditor},
        {"switch_agent", kEditor},
        {"memory", kEditor},
        {"test_failure", kTesting},
        {"test_search", kTesting},
        {"runTests", kTesting},
        {"tool_replay", kRedundant},
        {"semantic_search", kCore},
        {"grep_search", kCore},
        {"read_file", kCore},
        {"view_image", kCore},
        {"create_file", kCore},
        {"apply_patch", kCore},
        {"replace_string_in_file", kCore},
        {"insert_edit_into_file", kCore},
        {"run_in_terminal", kCore},
        {"list_dir", kCore},
        {"get_terminal_output", kCore},
        {"manage_todo_list", kCore},
        {"multi_replace_string_in_file", kCore},
        {"file_search", kCore},
        {"create_directory", kCore},
        {"read_project_structure", kCore},
        {"runSubagent", kCore},
        {"search_subagent", kCore},
        {"execution_subagent", kCore},
        {"run_task", kCore},
        {"get_task_output", kCore},
        {"edit_files", kCore},
        {"tool_search", kCore},
        {"resolve_memory_file_uri", kCore},
    };
  }();
  return table;
}

}  // namespace

std::string_view builtin_category(std::string_view tool_name) {
  const auto found = categories().find(tool_name);
  return found == categories().end() ? std::string_view() : found->second;
}

std::vector<BuiltinEntry> group_builtin_tools(std::span<const std::string_view> names) {
  std::vector<BuiltinEntry> groups;
  std::vector<BuiltinEntry> core;
  std::vector<BuiltinEntry> others;
  const bool too_few = names.size() <= 2;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    const std::string_view category = builtin_category(names[i]);
    if (too_few || category.empty()) {
      others.push_back({{}, {i}});
    } else if (category == kCore) {
      core.push_back({{}, {i}});
    } else {
      auto group = std::ranges::find(groups, category, &BuiltinEntry::category);
      if (group == groups.end()) group = groups.insert(groups.end(), {category, {}});
      group->tools.push_back(i);
    }
  }
  for (BuiltinEntry& group : groups)
    if (group.tools.size() == 1) group.category = {};
  std::ranges::move(core, std::back_inserter(groups));
  std::ranges::move(others, std::back_inserter(groups));
  return groups;
}

}  // namespace toolgate
