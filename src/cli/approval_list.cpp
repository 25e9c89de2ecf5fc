#include "cli/approval_list.h"

#include <vector>

#include "cli/json_document.h"
#include "cli/moments.h"
#include "cli/table.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::size_t kShortId = 12;
constexpr std::size_t kWidestWhat = 40;  // on a terminal

std::string shown(const JsonNode& node, std::string_view key) {
  return visible_text(on_one_line(text_of(node, key)), false);
}

// "the tool send_mail", "all tools of mcp:a:b", "send_mail with {…}"
std::string what_is_allowed(const JsonNode& approval) {
  const std::string target = text_of(approval, "target");
  std::string what = target == "server" ? "all tools of " + shown(approval, "label")
                     : target == "arguments"
                         ? shown(approval, "tool") + " with " + shown(approval, "label")
                         : shown(approval, "tool");
  if (text_of(approval, "side") == "results") what = "results of " + what;
  return what;
}

std::string where_it_counts(const JsonNode& approval) {
  std::string scope = text_of(approval, "scope");
  if (scope == "session") return "in session " + shown(approval, "session_id");
  if (scope == "workspace") return "in " + with_tilde(shown(approval, "workspace"));
  return scope;
}

std::string for_whom(const JsonNode& approval) {
  const std::string caller = shown(approval, "caller");
  return caller.empty() ? "anyone" : caller;
}

void print_lines(const JsonNode& list, const Terminal& terminal) {
  Table table(terminal);
  for (const JsonNode* one = list.first; one; one = one->next) {
    const std::int64_t ends = number_of(*one, "expires_at");
    table.add({{shown(*one, "id")},
               {text_of(*one, "scope")},
               {text_of(*one, "target")},
               {what_is_allowed(*one)},
               {for_whom(*one)},
               {shown(*one, "by")},
               {local_time(number_of(*one, "created_at"))},
               {local_time(number_of(*one, "last_used_at"))},
               {ends == 0 ? "" : local_time(ends)}});
  }
  table.print();
}

void print_table(const JsonNode& list, const Terminal& terminal) {
  const std::int64_t now = wall_clock();
  Table table(terminal);
  for (const JsonNode* one = list.first; one; one = one->next) {
    const std::string by = shown(*one, "by");
    std::string facts =
        fmt::format("by {} {}", by, how_long_ago(number_of(*one, "created_at"), now));
    if (for_whom(*one) != by) facts += ", for " + for_whom(*one);
    const std::int64_t used = number_of(*one, "last_used_at");
    if (used > number_of(*one, "created_at")) facts += ", used " + how_long_ago(used, now);
    if (const std::int64_t ends = number_of(*one, "expires_at"); ends != 0)
      facts += fmt::format(", ends in {}", time_until(ends, now));
    table.add({{shown(*one, "id").substr(0, kShortId), Paint::Cyan},
               {cut_to_columns(what_is_allowed(*one), kWidestWhat), Paint::Bold},
               {where_it_counts(*one)},
               {facts, Paint::Dim}});
  }
  table.print();
  terminal.print(fmt::format(
      "\n{}\n", terminal.paint(Paint::Bold, counted(list.size, "approval") + " remembered")));
}

}  // namespace

void print_approvals(const JsonNode& list, const Terminal& terminal) {
  if (!terminal.is_terminal())
    print_lines(list, terminal);
  else if (list.size == 0)
    terminal.print("Nothing is allowed for longer than one call.\n");
  else
    print_table(list, terminal);
}

std::string describe_approval(const JsonNode& approval) {
  return fmt::format("{}, {}", what_is_allowed(approval), where_it_counts(approval));
}

Result<std::string> find_approval(std::string approvals, const std::string& given) {
  const auto document = JsonDocument::parse(std::move(approvals));
  const JsonNode* list = document ? document->root().find("data") : nullptr;
  std::vector<std::string> found;
  for (const JsonNode* one = list ? list->first : nullptr; one; one = one->next) {
    std::string id = text_of(*one, "id");
    if (id == given) return id;
    if (id.starts_with(given) || id.starts_with("apr_" + given)) found.push_back(std::move(id));
  }
  if (found.size() == 1) return found.front();
  if (found.empty())
    return fail(Errc::NotFound, "there is no approval '{}'; 'toolgate approvals' lists them",
                given);
  return fail(Errc::InvalidRequest, "'{}' begins the names of {} approvals: {}", given,
              found.size(), fmt::join(found, ", "));
}

}  // namespace toolgate
