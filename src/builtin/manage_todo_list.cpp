#include "builtin/manage_todo_list.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "builtin/todo_lists.h"
#include "builtin/tool_input.h"
#include "invoke/visible_text.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

using Status = TodoItem::Status;

constexpr std::size_t kMostItems = 100;
constexpr std::size_t kMostTitleBytes = 500;
constexpr std::size_t kMostDescriptionBytes = 4'000;

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "operation": {"type": "string", "enum": ["read", "write"], "description": "write: replace the list by todoList. read: see the list."},
    "todoList": {
      "type": "array",
      "description": "All items, the unchanged ones too. Needed to write.",
      "items": {
        "type": "object",
        "properties": {
          "id": {"type": "number", "description": "Unique in the list: 1, 2, 3 …"},
          "title": {"type": "string", "description": "What is to be done, in three to seven words."},
          "description": {"type": "string", "description": "Files, requirements and how to know that it is done."},
          "status": {"type": "string", "enum": ["not-started", "in-progress", "completed"], "description": "How far it is."}
        },
        "required": ["id", "title", "status"]
      }
    }
  },
  "required": ["operation"]
})";

constexpr std::array<std::string_view, 3> kStatusNames{"not-started", "in-progress", "completed"};
constexpr std::array<std::string_view, 3> kMarks{"[ ]", "[-]", "[x]"};

std::size_t index_of(Status status) {
  return static_cast<std::size_t>(status);
}

std::size_t count(const TodoList& list, Status status) {
  return static_cast<std::size_t>(std::ranges::count(list, status, &TodoItem::status));
}

// One list per conversation of one caller.
std::string conversation_of(const ToolCall& call) {
  return call.caller + '\n' + call.session_id;
}

// `item` is one that the schema allows.
Result<TodoItem> read_item(const json::value& item, std::size_t number) {
  const auto text = [&item](std::string_view name) {
    const json::value* found = find(item, name);
    return found ? std::string(found->get_string()) : std::string();
  };
  const std::string where = fmt::format("todoList[{}]", number - 1);
  const auto refuse = [&](std::string_view why) {
    return fail_at(where, Errc::InvalidRequest, "item {} ({}) {}", number, where, why);
  };
  const double id = find(item, "id")->to_number<double>();
  if (id != std::floor(id) || std::abs(id) > 1e9) return refuse("needs a whole number as its id");
  TodoItem read{.id = static_cast<std::int64_t>(id),
                .title = visible_text(text("title"), false),
                .description = visible_text(text("description"))};
  if (read.title.empty()) return refuse("has an empty title");
  if (read.title.size() > kMostTitleBytes)
    return refuse(fmt::format("has a title of over {} bytes", kMostTitleBytes));
  if (read.description.size() > kMostDescriptionBytes)
    return refuse(fmt::format("has a description of over {} bytes", kMostDescriptionBytes));
  const auto* status = std::ranges::find(kStatusNames, text("status"));
  read.status = static_cast<Status>(status - kStatusNames.begin());
  return read;
}

Result<TodoList> read_list(const json::value* given) {
  if (!given || !given->is_array())
    return fail_at("todoList", Errc::InvalidRequest,
                   "to write, todoList must hold all items of the list");
  const json::array& items = given->get_array();
  if (items.size() > kMostItems)
    return fail_at("todoList", Errc::InvalidRequest, "todoList has {} items; {} are allowed",
                   items.size(), kMostItems);
  TodoList list;
  std::set<std::int64_t> ids;
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto item = read_item(items[i], i + 1);
    if (!item) return std::unexpected(std::move(item.error()));
    if (!ids.insert(item->id).second)
      return fail_at(fmt::format("todoList[{}]", i), Errc::InvalidRequest,
                     "item {} (todoList[{}]) has the id {} of an item before it", i + 1, i,
                     item->id);
    list.push_back(std::move(*item));
  }
  return list;
}

std::string describe(const TodoList& list) {
  std::string text = "# Todo list\n\n";
  for (const TodoItem& item : list) {
    text += fmt::format("- {} {}. {}\n", kMarks[index_of(item.status)], item.id, item.title);
    std::string_view rest = item.description;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      text += fmt::format("  {}\n", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return text;
}

// What a model forgets most often.
std::string warning_of(const TodoList& list) {
  const std::size_t under_way = count(list, Status::InProgress);
  const bool is_done = count(list, Status::Completed) == list.size();
  if (list.empty() || is_done || under_way == 1) return {};
  if (under_way == 0)
    return "\nWarning: no item is in-progress. Mark the one you work on before you begin with "
           "it.\n";
  return fmt::format(
      "\nWarning: {} items are in-progress. Work on one at a time, and mark each as completed as "
      "soon as it is.\n",
      under_way);
}

std::string progress_of(const TodoList& list) {
  if (list.empty()) return "Emptied the todo list";
  const std::size_t done = count(list, Status::Completed);
  const auto current = std::ranges::find(list, Status::InProgress, &TodoItem::status);
  if (current == list.end()) return fmt::format("Todo list: {} of {} done", done, list.size());
  return fmt::format("Todo list: {} of {} done, now “{}”", done, list.size(), current->title);
}

std::string write_details(const TodoList& list) {
  json::array items;
  for (const TodoItem& item : list)
    items.push_back(json::object{{"id", item.id},
                                 {"title", item.title},
                                 {"description", item.description},
                                 {"status", kStatusNames[index_of(item.status)]}});
  return write_json(json::object{{"todoList", std::move(items)}});
}

class ManageTodoList final : public Tool {
 public:
  explicit ManageTodoList(Workbench& workbench) : lists_(workbench.todo_lists()) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel&) override {
    const ToolInput input(call.input);
    co_return input.text("operation") == "read" ? read(call) : write(call, input);
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const ToolInput input(call.input);
    PreparedCall prepared{.not_needed_reason = "it only changes the model's own list"};
    const bool is_read = input.text("operation") == "read";
    prepared.invocation_message = is_read ? "Reading the todo list" : "Updating the todo list";
    prepared.past_tense_message = is_read ? "Read the todo list" : "Updated the todo list";
    if (is_read) co_return prepared;
    if (auto list = read_list(input.find("todoList")); !list)
      co_return std::unexpected(std::move(list.error()));
    co_return prepared;
  }

 private:
  Result<ToolResult> read(const ToolCall& call) const {
    const auto list = lists_.find(conversation_of(call));
    if (!list)
      return text_result("There is no todo list yet. Use the operation write to make one.");
    ToolResult result = text_result(describe(*list));
    result.details = write_details(*list);
    return result;
  }

  Result<ToolResult> write(const ToolCall& call, const ToolInput& input) {
    auto list = read_list(input.find("todoList"));
    if (!list) return std::unexpected(std::move(list.error()));
    ToolResult result = text_result(list->empty() ? "The todo list is empty now."
                                                  : describe(*list) + warning_of(*list));
    result.message = progress_of(*list);
    result.details = write_details(*list);
    lists_.keep(conversation_of(call), std::move(*list));
    return result;
  }

  TodoLists& lists_;
};

}  // namespace

ToolData manage_todo_list_data() {
  return {.id = "manage_todo_list",
          .reference_name = "todo",
          .legacy_full_names = {"todos"},
          .display_name = "Manage Todo List",
          .user_description = "Plan the steps of a task and keep track of them",
          .model_description =
              "Keeps a list of the steps of the current task. Use it for work of several steps: "
              "write the list before you begin, mark one item as in-progress before you work on "
              "it, and as completed right after. Writing replaces the whole list. Not for a "
              "single simple step.",
          .input_schema = std::string(kSchema),
          .icon = "$(checklist)"};
}

std::shared_ptr<Tool> make_manage_todo_list(const BuiltinSurroundings& around) {
  return std::make_shared<ManageTodoList>(around.workbench);
}

}  // namespace toolgate
