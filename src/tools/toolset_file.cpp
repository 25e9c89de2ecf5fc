// Reading tool-set files; tools/toolset_file_write.cpp writes them.
#include "tools/toolset_file.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "base/json.h"
#include "base/utf8.h"
#include "tools/jsonc_outline.h"

namespace toolgate {
namespace {

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == text.npos;
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

// The number that follows `word` in the parser's message.
std::size_t number_after(std::string_view message, std::string_view word) {
  std::size_t number = 1;
  if (const auto at = message.rfind(word); at != message.npos)
    std::from_chars(message.data() + at + word.size(), message.data() + message.size(), number);
  return number;
}

// For messages: a file may hold names of any length.
std::string_view shortened(std::string_view name) {
  constexpr std::size_t kShown = 64;
  name = name.substr(0, kShown);
  return name.substr(0, name.size() - incomplete_utf8_tail(name));
}

class Reader {
 public:
  Reader(std::string_view file, std::string_view text, const ToolSetFileLimits& limits)
      : file_(file), text_(text), limits_(limits) {}

  ToolSetFile read() {
    if (text_.size() > limits_.bytes) {
      report(0, "the file is larger than {} bytes and is not read", limits_.bytes);
      return std::move(result_);
    }
    const auto parsed = parse_jsonc(text_);
    text_ = without_bom(text_);
    const std::size_t start = skip_jsonc_blank(text_, 0);
    if (start < text_.size()) read_text(parsed, start);
    return std::move(result_);
  }

 private:
  void read_text(const Result<json::value>& parsed, std::size_t start) {
    if (!parsed) {
      const std::string& message = parsed.error().message;
      add_fault({number_after(message, " line "), number_after(message, " column "), message});
    } else if (!parsed->is_object()) {
      report(start, "a tool-set file is an object: {{\"name\": {{\"tools\": […]}}}}");
    } else {
      read_sets(outline_jsonc(text_, start));
    }
  }

  void read_sets(const JsoncOutline& outline) {
    std::unordered_map<std::string, std::size_t> places;
    for (const JsoncChild& child : outline.children) {
      if (result_.sets.size() == limits_.sets) {
        report(child.key, "there are more than {} tool sets; the rest is not read", limits_.sets);
        return;
      }
      auto set = read_set(child);
      if (!set) continue;
      const auto [place, is_new] = places.try_emplace(set->reference_name, result_.sets.size());
      if (is_new) {
        result_.sets.push_back(std::move(*set));
        continue;
      }
      report(child.key, "the tool set '{}' is there twice; this one counts", set->reference_name);
      result_.sets[place->second] = std::move(*set);
    }
  }

  std::optional<ToolSetData> read_set(const JsoncChild& child) {
    ToolSetData set;
    set.reference_name = jsonc_string(text_, child.key).value_or("");
    if (!is_usable_name(child.key, "tool set", set.reference_name)) return std::nullopt;
    if (at(child.value) != '{') {
      report(child.value, "the tool set '{}' must be an object", set.reference_name);
      return std::nullopt;
    }
    set.id = fmt::format("user/{}/{}", file_, set.reference_name);
    set.source = {.kind = ToolSource::Kind::User,
                  .id = std::string(file_),
                  .server = {},
                  .label = std::string(last_part(file_)),
                  .instructions = {}};
    set.needs_member = true;
    if (!read_fields(set, child)) return std::nullopt;
    return set;
  }

  // Of equal names the last one counts.
  bool read_fields(ToolSetData& set, const JsoncChild& child) {
    std::optional<std::size_t> tools;
    for (const JsoncChild& field : outline_jsonc(text_, child.value).children) {
      const std::string name = jsonc_string(text_, field.key).value_or("");
      if (name == "tools")
        tools = field.value;
      else if (name == "description")
        read_text_field(set, name, field, set.description);
      else if (name == "icon")
        read_text_field(set, name, field, set.icon);
      else
        report(field.key,
               "the tool set '{}' has '{}', which means nothing: only tools, description"
               " and icon do",
               set.reference_name, shortened(name));
    }
    if (tools) return read_tools(set, *tools);
    report(child.key, "the tool set '{}' has no \"tools\"", set.reference_name);
    return false;
  }

  void read_text_field(const ToolSetData& set, std::string_view name, const JsoncChild& field,
                       std::string& out) {
    if (auto text = jsonc_string(text_, field.value))
      out = std::move(*text);
    else
      report(field.value, "\"{}\" of the tool set '{}' must be a string", name, set.reference_name);
  }

  bool read_tools(ToolSetData& set, std::size_t offset) {
    if (at(offset) != '[') {
      report(offset, "\"tools\" of the tool set '{}' must be a list of names", set.reference_name);
      return false;
    }
    const JsoncOutline list = outline_jsonc(text_, offset);
    for (const JsoncChild& item : list.children) {
      if (set.members.size() == limits_.tools_per_set) {
        report(item.value, "the tool set '{}' has more than {} tools; the rest is left out",
               set.reference_name, limits_.tools_per_set);
        break;
      }
      read_tool(set, item.value);
    }
    if (set.members.empty())
      report(offset, "the tool set '{}' names no tool and is left out", set.reference_name);
    return !set.members.empty();
  }

  void read_tool(ToolSetData& set, std::size_t offset) {
    auto name = jsonc_string(text_, offset);
    if (!name)
      report(offset, "a tool of the tool set '{}' must be a string", set.reference_name);
    else if (is_usable_name(offset, "tool", *name))
      set.members.push_back({ToolSetMember::By::AnyName, std::move(*name)});
  }

  bool is_usable_name(std::size_t offset, std::string_view what, std::string_view name) {
    if (is_blank(name))
      report(offset, "the name of a {} is empty", what);
    else if (name.size() > limits_.name_bytes)
      report(offset, "the name of a {} has more than {} bytes", what, limits_.name_bytes);
    else
      return true;
    return false;
  }

  char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }

  template <class... Args>
  void report(std::size_t offset, fmt::format_string<Args...> format, Args&&... args) {
    if (result_.faults.size() > limits_.faults) return;
    const TextPosition place = text_position(text_, offset);
    add_fault({place.line, place.column, fmt::format(format, std::forward<Args>(args)...)});
  }

  void add_fault(ToolSetFileFault fault) {
    if (result_.faults.size() == limits_.faults) fault.message = "there are more faults like these";
    result_.faults.push_back(std::move(fault));
  }

  std::string_view file_;
  std::string_view text_;
  const ToolSetFileLimits& limits_;
  ToolSetFile result_;
};

}  // namespace

ToolSetFile read_tool_set_file(std::string_view file, std::string_view text,
                               const ToolSetFileLimits& limits) {
  return Reader(file, text, limits).read();
}

}  // namespace toolgate
