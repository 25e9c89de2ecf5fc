#include "cli/call_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/line_diff.h"
#include "cli/diff_view.h"
#include "cli/edit_preview.h"
#include "cli/json_document.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;
using Lines = std::vector<std::string>;

constexpr std::size_t kIndent = 2;
constexpr std::size_t kTitleColumns = 11;
constexpr std::size_t kWidestKey = 20;
constexpr std::size_t kLeastColumns = 20;
constexpr std::size_t kMostColumns = 120;  // longer lines are hard to read
constexpr std::string_view kBar = "│ ";    // beside text that may look like ours

Lines split_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t feed = std::min(text.find('\n'), text.size());
    lines.push_back(expand_tabs(text.substr(0, feed)));
    text.remove_prefix(std::min(feed + 1, text.size()));
  }
  return lines;
}

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return visible_text(out, false);
}

// JSON for people; a text that is none as it is.
std::string as_text(std::string_view json) {
  JsonTree tree;
  const auto root = tree.parse(json);
  if (!root) return std::string(json);
  if ((*root)->is(Kind::String)) return std::string((*root)->text);
  return (*root)->is(Kind::Null) ? std::string() : pretty_json(**root);
}

class CallPrinter {
 public:
  explicit CallPrinter(const Terminal& terminal)
      : terminal_(terminal), width_(std::min(terminal.width() - 1, kMostColumns)) {
    if (!terminal.is_terminal()) width_ = terminal.width();
  }

  void question(const WaitingCall& call) {
    // What the tool asked was about the call, with the arguments it had then.
    const bool is_result = call.is_about_result();
    const bool is_told = !is_result && !call.is_edited;
    const std::string title = is_result ? fmt::format("Use the result of '{}'?", call.name)
                              : is_told && !call.title.empty()
                                  ? call.title
                                  : fmt::format("Call '{}'?", call.name);
    for (const std::string& line : wrap_to_columns(visible(title), width_))
      out_ += terminal_.paint(Paint::Bold, line) + "\n";
    const auto block = find_diff_block(call.message);
    const std::string message = !is_told ? std::string()
                                : block  ? block->before + block->after
                                         : call.message;
    for (const std::string& line : wrap_to_columns(visible(expand(message)), width_))
      out_ += line + "\n";
    out_ += '\n';
  }

  void fact(std::string_view title, const std::string& value) {
    if (value.empty()) return;
    place(Lines{wrap(visible_text(value, false), columns_after(kTitleColumns))}, title);
  }

  void arguments(const WaitingCall& call, std::size_t most_lines) {
    JsonTree tree;
    const auto root = tree.parse(call.arguments.empty() ? std::string_view("{}")
                                                        : std::string_view(call.arguments));
    if (!root || !(*root)->is(Kind::Object)) {
      fact("arguments", call.arguments);
      return;
    }
    Lines diffs;
    Lines lines = with_diffs(call, **root, diffs);
    const std::size_t all = lines.size() + diffs.size();
    if (most_lines > 0 && all > most_lines) {
      lines.resize(std::min(lines.size(), most_lines));
      diffs.resize(std::min(diffs.size(), most_lines - lines.size()));
    }
    const std::size_t cut = all - lines.size() - diffs.size();
    place(lines, "arguments");
    if (!diffs.empty()) out_ += '\n';
    for (const std::string& line : diffs) out_ += std::string(kIndent, ' ') + line + "\n";
    if (cut > 0) say_cut(cut);
  }

  void result(const std::string& json, std::size_t most_lines) {
    const auto document = JsonDocument::parse(json.empty() ? "{}" : json);
    const JsonNode* content = document ? document->root().find("content") : nullptr;
    Lines lines;
    for (const JsonNode* part = content ? content->first : nullptr; part; part = part->next)
      add_part(lines, *part);
    if (lines.empty()) lines.push_back("(too long to be kept for this question)");
    const std::size_t all = lines.size();
    if (most_lines > 0) lines.resize(std::min(all, most_lines));
    place(lines, "result");
    if (all > lines.size()) say_cut(all - lines.size());
  }

  void changes(const WaitingCall& call) {
    if (call.changes.empty()) return;
    out_ += '\n';
    for (const std::string& line :
         wrap("! This tool is not what it was when it was approved, so the approval is gone:",
              width_))
      out_ += terminal_.paint(Paint::Yellow, line) + "\n";
    for (const DefinitionChange& change : call.changes) {
      Lines lines;
      // Of what runs there is only a hash.
      if (change.field == "implementation")
        lines.push_back("what it calls, or how, is another one");
      else
        add_diff(lines, as_text(change.before) + "\n", as_text(change.after) + "\n", false);
      out_ += fmt::format("{}{}\n", std::string(kIndent, ' '),
                          terminal_.paint(Paint::Bold, visible_text(change.field, false)));
      for (const std::string& line : lines) out_ += std::string(kIndent, ' ') + line + "\n";
    }
  }

  void disclaimer(const std::string& text) {
    if (text.empty()) return;
    out_ += '\n';
    for (const std::string& line : wrap_to_columns(visible(expand("! " + text)), width_))
      out_ += terminal_.paint(Paint::Yellow, line) + "\n";
  }

  std::string take() { return std::move(out_); }

 private:
  static std::string expand(std::string_view text) {
    return fmt::format("{}", fmt::join(split_lines(text), "\n"));
  }

  std::size_t columns_after(std::size_t used) const {
    return std::max(width_ - std::min(width_, kIndent + used), kLeastColumns);
  }

  static Lines wrap(std::string_view text, std::size_t columns) {
    Lines lines = wrap_to_columns(text, columns);
    if (lines.empty()) lines.emplace_back();
    return lines;
  }

  // The lines with a title to the left of the first.
  void place(const Lines& lines, std::string_view title) {
    std::string lead = terminal_.paint(Paint::Dim, pad_to_columns(title, kTitleColumns));
    for (const std::string& line : lines) {
      out_ += fmt::format("{}{}{}\n", std::string(kIndent, ' '), lead, line);
      lead = std::string(kTitleColumns, ' ');
    }
  }

  void say_cut(std::size_t lines) {
    out_ += std::string(kIndent, ' ') +
            terminal_.paint(Paint::Yellow, fmt::format("… {} more", counted(lines, "line"))) + "\n";
  }

  // Whether the question of run_in_terminal has the command in it.
  static bool is_told_by_terminal(const WaitingCall& call, const JsonNode& root) {
    const std::string command = text_of(root, "command");
    return !call.is_edited && !call.is_about_result() && call.source == "internal" &&
           call.name == "run_in_terminal" && !command.empty() && !command.contains('\n') &&
           call.message.contains("\n\n" + command + "\n\n");
  }

  // The arguments, but for those that a diff shows: the one of the question, where a tool of our
  // own made it, else what the arguments themselves tell.
  Lines with_diffs(const WaitingCall& call, const JsonNode& root, Lines& diffs) const {
    static const std::vector<std::string_view> kShownByTools{
        "content", "oldString", "newString", "replacements", "input", "code"};
    const auto block = call.is_edited ? std::nullopt : find_diff_block(call.message);
    if (block) {
      diffs = diff_view(block->diff, terminal_, columns_after(0));
      const bool tells_all = block->is_whole && call.source == "internal";
      return table_of(root, tells_all ? kShownByTools : std::vector<std::string_view>());
    }
    EditPreviews previews = preview_edits(root, call.workspace);
    if (is_told_by_terminal(call, root))
      previews.shown.insert(previews.shown.end(), {"command", "explanation"});
    Lines lines = table_of(root, previews.shown);
    if (!root.first) lines.push_back("(none)");
    for (const EditPreview& edit : previews.edits) add_edit(diffs, edit);
    return lines;
  }

  // Texts of several lines stand beside a bar; everything else is JSON.
  Lines value_lines(const JsonNode& value, std::size_t columns) const {
    const bool is_block = value.is(Kind::String) && value.text.contains('\n');
    if (value.is(Kind::String) && !is_block) return wrap(quoted(value.text), columns);
    const std::string text = is_block ? std::string(value.text) : pretty_json(value);
    Lines lines;
    for (const std::string& line : split_lines(visible_text(text)))
      for (const std::string& part : wrap(line, columns - (is_block ? 2 : 0)))
        lines.push_back(is_block ? terminal_.paint(Paint::Dim, kBar) + part : part);
    return lines;
  }

  Lines table_of(const JsonNode& object, const std::vector<std::string_view>& left_out) const {
    const auto is_shown = [&](const JsonNode& member) {
      return std::ranges::find(left_out, member.key) == left_out.end();
    };
    std::size_t key_columns = 0;
    for (const JsonNode* member = object.first; member; member = member->next)
      if (is_shown(*member))
        key_columns = std::max(key_columns, columns_of(visible_text(member->key, false)));
    key_columns = std::min(key_columns, kWidestKey) + 2;
    Lines lines;
    for (const JsonNode* member = object.first; member; member = member->next) {
      if (!is_shown(*member)) continue;
      const std::string name = visible_text(member->key, false);
      std::string lead = terminal_.paint(Paint::Cyan, pad_to_columns(name, key_columns - 2)) + "  ";
      // A long name stands above its value.
      if (columns_of(name) > kWidestKey) {
        for (const std::string& line : wrap(name, columns_after(kTitleColumns)))
          lines.push_back(terminal_.paint(Paint::Cyan, line));
        lead = std::string(key_columns, ' ');
      }
      for (const std::string& line :
           value_lines(*member, columns_after(kTitleColumns + key_columns))) {
        lines.push_back(lead + line);
        lead = std::string(key_columns, ' ');
      }
    }
    return lines;
  }

  void add_part(Lines& lines, const JsonNode& part) const {
    if (text_of(part, "type") != "text") {
      lines.push_back(fmt::format("({})", visible_text(text_of(part, "mimeType"), false)));
      return;
    }
    for (const std::string& line : split_lines(visible_text(text_of(part, "text"))))
      for (const std::string& piece : wrap(line, columns_after(kTitleColumns + 2)))
        lines.push_back(terminal_.paint(Paint::Dim, kBar) + piece);
  }

  void add_edit(Lines& lines, const EditPreview& edit) const {
    std::string head = terminal_.paint(Paint::Bold, visible_text(edit.file, false));
    if (!edit.note.empty()) head += "  " + terminal_.paint(Paint::Yellow, "(" + edit.note + ")");
    lines.push_back(head);
    add_diff(lines, edit.before, edit.after);
  }

  void add_diff(Lines& lines, const std::string& before, const std::string& after,
                bool with_places = true) const {
    const auto hunks = diff_lines(before, after);
    if (hunks.empty()) lines.push_back(terminal_.paint(Paint::Dim, "(nothing changes)"));
    for (const DiffHunk& hunk : hunks) {
      if (with_places)
        lines.push_back(terminal_.paint(
            Paint::Cyan, fmt::format("@@ -{},{} +{},{} @@", hunk.old_start, hunk.old_count,
                                     hunk.new_start, hunk.new_count)));
      for (const DiffLine& line : hunk.lines) add_diff_line(lines, line);
    }
  }

  void add_diff_line(Lines& lines, const DiffLine& line) const {
    const bool added = line.kind == DiffLine::Kind::Added;
    const bool same = line.kind == DiffLine::Kind::Same;
    const Paint paint = same ? Paint::Plain : added ? Paint::Green : Paint::Red;
    std::string_view sign = same ? " " : added ? "+" : "-";
    const std::string text = expand_tabs(visible_text(line.text));
    for (const std::string& part : wrap(text, columns_after(1))) {
      lines.push_back(terminal_.paint(paint, std::string(sign) + part));
      sign = same ? " " : added ? "⁺" : "⁻";
    }
    if (!line.ended) lines.push_back(terminal_.paint(Paint::Dim, "\\ no line feed at the end"));
  }

  const Terminal& terminal_;
  std::size_t width_;
  std::string out_;
};

}  // namespace

std::string describe_call(const WaitingCall& call, const Terminal& terminal,
                          std::size_t most_lines) {
  CallPrinter printer(terminal);
  printer.question(call);
  printer.fact("tool", call.name);
  printer.fact("source", call.source);
  printer.fact("caller", call.caller);
  printer.fact("session", call.session_id);
  printer.arguments(call, most_lines);
  if (call.is_about_result()) printer.result(call.result, most_lines);
  printer.changes(call);
  printer.disclaimer(call.disclaimer);
  return printer.take();
}

std::string arguments_on_one_line(std::string_view json) {
  JsonTree tree;
  const auto root = tree.parse(json);
  if (!root || !(*root)->is(Kind::Object)) return visible_text(on_one_line(json), false);
  std::string out;
  for (const JsonNode* member = (*root)->first; member; member = member->next)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", member->key, write_json(*member));
  return visible_text(out, false);
}

}  // namespace toolgate
