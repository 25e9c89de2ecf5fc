// Writing tool-set files: a new one, a set added or replaced, a set taken out. What the file's
// owner wrote around it stays.
#include <algorithm>
#include <ranges>

#include "base/json.h"
#include "tools/jsonc_outline.h"
#include "tools/toolset_file.h"

namespace toolgate {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

void append_tabs(std::string& out, std::size_t count) {
  out.append(count, '\t');
}

// Indented with tabs, as editors write such files.
void append_indented(std::string& out, const json::value& value, std::size_t depth) {
  const auto append_children = [&](const auto& children, std::string_view ends, auto append_one) {
    out += ends[0];
    std::string_view separator = "\n";
    for (const auto& child : children) {
      out += separator;
      append_tabs(out, depth + 1);
      append_one(child);
      separator = ",\n";
    }
    if (!children.empty()) {
      out += '\n';
      append_tabs(out, depth);
    }
    out += ends[1];
  };
  if (const json::object* object = value.if_object()) {
    append_children(*object, "{}", [&](const json::key_value_pair& member) {
      append_json_string(out, member.key());
      out += ": ";
      append_indented(out, member.value(), depth + 1);
    });
  } else if (const json::array* array = value.if_array()) {
    append_children(*array, "[]",
                    [&](const json::value& item) { append_indented(out, item, depth + 1); });
  } else {
    append_json(out, value);
  }
}

// The value of a set, within a file's object.
void append_entry(std::string& out, const ToolSetEntry& entry) {
  out += "{\n\t\t\"tools\": [\n";
  for (std::size_t i = 0; i < entry.tools.size(); ++i) {
    out += i == 0 ? "\t\t\t" : ",\n\t\t\t";
    append_json_string(out, entry.tools[i]);
  }
  out += "\n\t\t],\n\t\t\"description\": ";
  append_json_string(out, entry.description);
  out += ",\n\t\t\"icon\": ";
  append_json_string(out, entry.icon);
  out += "\n\t}";
}

std::string member_text(const ToolSetEntry& entry) {
  std::string out = "\t";
  append_json_string(out, entry.name);
  out += ": ";
  append_entry(out, entry);
  return out;
}

bool is_named(std::string_view text, const JsoncChild& child, std::string_view name) {
  return jsonc_string(text, child.key) == name;
}

std::string with_member(std::string_view text, const JsoncOutline& outline,
                        const ToolSetEntry& entry) {
  std::string out(text.substr(0, outline.close));
  if (!outline.children.empty() && !outline.children.back().comma)
    out.insert(outline.children.back().value_end, ",");
  out.resize(out.find_last_not_of(kBlank) + 1);
  out += '\n';
  out += member_text(entry);
  out += '\n';
  return out += text.substr(outline.close);
}

struct Range {
  std::size_t begin;
  std::size_t end;
};

// A member with the comments above it and the one behind it on its line, but not the one that
// stands behind the member before.
Range lines_of(std::string_view text, const JsoncOutline& outline, std::size_t index) {
  const JsoncChild& child = outline.children[index];
  Range range{outline.open + 1, child.comma ? *child.comma + 1 : child.value_end};
  if (index > 0) {
    const JsoncChild& before = outline.children[index - 1];
    range.begin = before.comma ? *before.comma + 1 : before.value_end;
  }
  if (const auto line_end = text.find('\n', range.begin); line_end < child.key)
    range.begin = line_end;
  const auto rest = text.substr(range.end, text.find('\n', range.end) - range.end);
  const auto behind = rest.find_first_not_of(" \t");
  if (behind != rest.npos && rest.substr(behind).starts_with("//")) range.end += rest.size();
  return range;
}

std::string without_members(std::string_view text, std::string_view name) {
  const JsoncOutline outline = outline_jsonc(text, 0);
  std::string out(text);
  for (std::size_t i = outline.children.size(); i-- > 0;) {
    if (!is_named(text, outline.children[i], name)) continue;
    const auto [begin, end] = lines_of(text, outline, i);
    out.erase(begin, end - begin);
  }
  return out;
}

std::size_t count_named(std::string_view text, const JsoncOutline& outline, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      outline.children, [&](const JsoncChild& child) { return is_named(text, child, name); }));
}

// Of two sets with one name parsing keeps one: to write the file anew would lose the other.
std::unexpected<Error> refuse_twins() {
  return fail(Errc::InvalidRequest,
              "the file has two tool sets of one name; rename or remove one of them first");
}

}  // namespace

std::string new_tool_set_file(const ToolSetEntry& entry) {
  return "{\n" + member_text(entry) + "\n}";
}

Result<std::string> write_tool_set(std::string_view file, const ToolSetEntry& entry) {
  const std::string_view text = without_bom(file);
  if (skip_jsonc_blank(text, 0) == text.size()) {
    std::string out(text.substr(0, text.find_last_not_of(kBlank) + 1));
    if (!out.empty()) out += '\n';
    return out + new_tool_set_file(entry);
  }
  const auto parsed = parse_jsonc(file);
  if (!parsed) return std::unexpected(parsed.error());
  if (!parsed->is_object())
    return fail(Errc::InvalidRequest, "a tool-set file must be an object of tool sets");
  const JsoncOutline outline = outline_jsonc(text, 0);
  if (count_named(text, outline, entry.name) > 1) return refuse_twins();
  const auto found = std::ranges::find_if(
      outline.children, [&](const JsoncChild& child) { return is_named(text, child, entry.name); });
  if (found == outline.children.end()) return with_member(text, outline, entry);
  std::string out(text.substr(0, found->value));
  append_entry(out, entry);
  return out += text.substr(found->value_end);
}

Result<std::optional<DeletedToolSet>> delete_tool_set(std::string_view file,
                                                      std::string_view name) {
  const std::string_view text = without_bom(file);
  auto parsed = parse_jsonc(file);
  if (!parsed) return std::unexpected(parsed.error());
  json::object* sets = parsed->if_object();
  if (sets == nullptr || !sets->contains(name)) return std::nullopt;
  const JsoncOutline outline = outline_jsonc(text, 0);
  if (outline.children.size() - count_named(text, outline, name) != sets->size() - 1)
    return refuse_twins();
  sets->stable_erase(name);
  DeletedToolSet result{{}, sets->empty()};
  if (!result.is_empty && has_comment(text)) {
    result.text = without_members(text, name);
    const auto again = parse_jsonc(result.text);
    if (again && *again == *parsed) return result;
    result.text.clear();
  }
  append_indented(result.text, *parsed, 0);
  return result;
}

}  // namespace toolgate
