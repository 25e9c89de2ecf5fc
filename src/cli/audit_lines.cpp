#include "cli/audit_lines.h"

#include <fmt/format.h>

#include "cli/call_view.h"
#include "cli/json_document.h"
#include "cli/moments.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::size_t kKindColumns = 10;
constexpr std::size_t kToolColumns = 20;
constexpr std::size_t kActorColumns = 10;

std::string shown(const JsonNode& node, std::string_view key) {
  return visible_text(on_one_line(text_of(node, key)), false);
}

// With a separator before it, where there is something.
std::string after(std::string_view separator, const std::string& text) {
  return text.empty() ? text : std::string(separator) + text;
}

std::string decision_words(const JsonNode& data) {
  const std::string kind = text_of(data, "decision");
  const std::string scope = text_of(data, "scope");
  const std::string because = after(": ", shown(data, "rule"));
  if (kind == "UserAction")
    return scope == "session" || scope == "workspace" ? "allowed in this " + scope
                                                      : "allowed " + scope;
  if (kind == "LmServicePerTool") return fmt::format("allowed, remembered ({})", scope);
  if (kind == "Setting" || kind == "ConfirmationNotNeeded") return "allowed" + because;
  const std::string why = after(": ", shown(data, "message"));
  if (kind == "Timeout") return "nobody decided in time";
  return (kind == "Skipped" ? "skipped" : "denied") + why;
}

Paint paint_of(const JsonNode& entry) {
  const std::string kind = text_of(entry, "kind");
  const JsonNode* data = entry.find("data");
  if (kind == "unknown") return Paint::Red;
  if (kind == "ended" || kind == "ran")
    return data && data->find("error") ? Paint::Red : Paint::Plain;
  if (kind == "remembered" || kind == "revoked") return Paint::Yellow;
  if (kind == "undo" && data) {
    const std::string outcome = text_of(*data, "outcome");
    return outcome == "begun" ? Paint::Plain : outcome == "done" ? Paint::Yellow : Paint::Red;
  }
  if (kind != "decided" || !data) return Paint::Plain;
  const std::string decision = text_of(*data, "decision");
  const bool runs = decision != "Denied" && decision != "Skipped" && decision != "Timeout";
  return runs ? Paint::Green : Paint::Red;
}

std::string ending_words(const JsonNode& data) {
  const std::string error = shown(data, "error");
  std::string words = error.empty() ? "" : "failed: " + error;
  if (data.find("durationMs"))
    words += after(words.empty() ? "" : ", ", duration_words(number_of(data, "durationMs")));
  if (error.empty() && data.find("bytes"))
    words += ", " + counted(static_cast<std::size_t>(number_of(data, "bytes")), "byte");
  return words;
}

std::string undo_words(const JsonNode& data) {
  const std::string edit = shown(data, "edit");
  const std::string outcome = text_of(data, "outcome");
  if (outcome == "refused" || outcome == "failed")
    return fmt::format("{}, {} stays: {}", outcome, edit, shown(data, "problem"));
  std::string names;
  const JsonNode* files = data.find("files");
  for (const JsonNode* file = files ? files->first : nullptr; file; file = file->next)
    names += (names.empty() ? "" : ", ") + visible_text(on_one_line(file->text), false);
  if (data.find("more_files")) names += fmt::format(" and {} more", number_of(data, "more_files"));
  return fmt::format("{}{}, {}{}: {}", outcome, truth_of(data, "force") ? " by force" : "", edit,
                     after(" by ", shown(data, "undone_by")), names);
}

}  // namespace

std::string details_of(const JsonNode& entry) {
  const JsonNode* data = entry.find("data");
  if (!data) return {};
  const std::string kind = text_of(entry, "kind");
  if (kind == "proposed")
    return (truth_of(*data, "edited") ? "edited: " : "") +
           arguments_on_one_line(json_of(*data, "arguments"));
  if (kind == "decided") return decision_words(*data);
  if (kind == "ended") return ending_words(*data);
  if (kind == "ran")
    return fmt::format("{}, {}: {}", decision_words(*data), ending_words(*data),
                       arguments_on_one_line(json_of(*data, "arguments")));
  if (kind == "remembered")
    return fmt::format("{}, {}{}", text_of(*data, "target"), text_of(*data, "scope"),
                       text_of(*data, "side") == "results" ? ", results" : "");
  if (kind == "revoked")
    return fmt::format("{}, {}: {}", text_of(*data, "target"), text_of(*data, "scope"),
                       shown(*data, "why"));
  if (kind == "undo") return undo_words(*data);
  if (kind == "unknown") return "the gateway stopped while it ran";
  return {};
}

std::string audit_line(const JsonNode& entry, const Terminal& terminal) {
  const std::string time = local_time(number_of(entry, "at"));
  const std::string kind = shown(entry, "kind");
  const std::string tool = shown(entry, "tool_id");
  const std::string actor = shown(entry, "actor");
  const std::string details = details_of(entry);
  if (!terminal.is_terminal())
    return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", time, kind, tool, actor,
                       shown(entry, "invocation_id"), shown(entry, "session_id"), details);
  const std::string tool_cell = pad_to_columns(tool, kToolColumns);
  const std::string actor_cell = pad_to_columns(actor, kActorColumns);
  const std::size_t used =
      time.size() + 2 + kKindColumns + 2 + columns_of(tool_cell) + 2 + columns_of(actor_cell) + 2;
  const std::size_t left = terminal.width() - std::min(terminal.width(), used);
  return fmt::format("{}  {}  {}  {}  {}\n", terminal.paint(Paint::Dim, time),
                     terminal.paint(paint_of(entry), pad_to_columns(kind, kKindColumns)),
                     terminal.paint(Paint::Bold, tool_cell), actor_cell,
                     terminal.paint(paint_of(entry), cut_to_columns(details, left)));
}

}  // namespace toolgate
