#include "schema/normalize.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/json_number.h"
#include "schema/classic_words.h"
#include "schema/normalize_report.h"
#include "schema/schema_walk.h"
#include "schema/tool_metaschema.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kMaxDescription = 1024;             // UTF-16 units
constexpr std::size_t kKeptBytes = 65536;                 // of memory between calls
constexpr std::size_t kListBytes = std::size_t{4} << 20;  // of all reports of a list
constexpr std::uint32_t kFewNames = 16;
constexpr std::string_view kParameters = "/function/parameters";

constexpr std::array<std::string_view, 7> kRootCombinators{"oneOf", "anyOf", "allOf", "not",
                                                           "if",    "then",  "else"};

// Names that every object has in the original's language.
constexpr std::array<std::string_view, 12> kInherited{
    "constructor",      "__defineGetter__", "__defineSetter__", "hasOwnProperty",
    "__lookupGetter__", "__lookupSetter__", "isPrototypeOf",    "propertyIsEnumerable",
    "toString",         "valueOf",          "__proto__",        "toLocaleString"};

// The 20 keywords that gpt-4 refuses, by length.
bool is_dropped(std::string_view keyword) {
  const auto is_one_of = [keyword](auto... names) { return ((keyword == names) || ...); };
  switch (keyword.size()) {
    case 6:
      return keyword == "format";
    case 7:
      return is_one_of("default", "minimum", "maximum", "pattern");
    case 8:
      return is_one_of("minItems", "maxItems", "contains");
    case 9:
      return is_one_of("minLength", "maxLength");
    case 10:
      return keyword == "multipleOf";
    case 11:
      return is_one_of("uniqueItems", "minContains", "maxContains");
    case 13:
      return is_one_of("propertyNames", "minProperties", "maxProperties");
    case 16:
      return keyword == "unevaluatedItems";
    case 17:
      return keyword == "patternProperties";
    case 21:
      return keyword == "unevaluatedProperties";
    default:
      return false;
  }
}

bool is_text(const JsonNode* node, std::string_view text) {
  return node != nullptr && node->is(Kind::String) && node->text == text;
}

// What the original's language takes as no value.
bool is_falsy(const JsonNode* node) {
  if (node == nullptr) return true;
  switch (node->kind) {
    case Kind::Null:
      return true;
    case Kind::Bool:
      return !node->truth;
    case Kind::Number:
      return to_double(node->text) == 0;
    case Kind::String:
      return node->text.empty();
    default:
      return false;
  }
}

// The first `units` UTF-16 units of `text`; a pair that does not fit is left out, or stands as
// U+FFFD where the half is to be shown. Returns `text` when it is short enough.
std::string_view cut_units(std::string_view text, std::size_t units, bool show_half,
                           std::string& storage) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t width = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    const std::size_t cost = width == 4 ? 2 : 1;
    if (count + cost > units) {
      storage = text.substr(0, i);
      if (show_half && count < units) storage += "\xEF\xBF\xBD";
      return storage;
    }
    count += cost;
    i += width;
  }
  return text;
}

// Finds each of `wanted` names among the members. Many are sorted: a hash of strangers' names could
// be made to collide.
class MemberNames {
 public:
  MemberNames(const JsonNode& object, std::uint32_t wanted) : object_(object) {
    if (wanted <= kFewNames || object.size <= kFewNames) return;
    sorted_.reserve(object.size);
    for (const JsonNode* member = object.first; member != nullptr; member = member->next)
      sorted_.push_back(member->key);
    std::ranges::sort(sorted_);
  }

  bool has(std::string_view name) const {
    if (sorted_.empty()) return object_.find(name) != nullptr;
    return std::ranges::binary_search(sorted_, name);
  }

 private:
  const JsonNode& object_;
  std::vector<std::string_view> sorted_;
};

template <class Goes>
void remove_members(JsonNode& object, const Goes& goes) {
  object.last = nullptr;
  for (JsonNode** link = &object.first; *link != nullptr;) {
    if (goes(**link)) {
      *link = (*link)->next;
      --object.size;
      continue;
    }
    object.last = *link;
    link = &(*link)->next;
  }
}

// A thread's own, for its memory; empty between calls.
class ScratchTree {
 public:
  ~ScratchTree() { tree().clear(); }
  JsonTree& operator*() { return tree(); }
  JsonTree* operator->() { return &tree(); }

 private:
  static JsonTree& tree() {
    thread_local JsonTree tree;
    return tree;
  }
};

SchemaNodes& scratch_nodes() {
  thread_local SchemaNodes nodes;
  return nodes;
}

// Changes one tool in place and reports.
class ToolShaper {
 public:
  ToolShaper(JsonTree& tree, const NormalizeOptions& options, NormalizedTool& report)
      : tree_(tree),
        options_(options),
        report_(report),
        room_{options.max_told, options.max_told_bytes},
        nodes_(scratch_nodes()) {}
  ~ToolShaper() { nodes_.clear(); }
  ToolShaper(const ToolShaper&) = delete;
  ToolShaper& operator=(const ToolShaper&) = delete;

  // False when the tool has a fault.
  bool shape(JsonNode& tool) {
    const JsonNode* type = tool.find("type");
    JsonNode* function = tool.find("function");
    const bool is_other_kind = type != nullptr && !is_text(type, "function");
    if (function != nullptr)
      if (const JsonNode* name = function->find("name"); name != nullptr && name->is(Kind::String))
        report_.name = shorten(name->text);
    if (is_other_kind && tool.is(Kind::Object)) return true;
    if (function == nullptr || !function->is(Kind::Object)) return refuse_shape();
    mend_parameters(*function);
    mend_description(*function);
    JsonNode* parameters = function->find("parameters");
    return parameters == nullptr || shape_schema(*parameters);
  }

 private:
  bool refuse_shape() {
    return refuse({NormalizeRule::ValidSchema, "/function", "tool has no function",
                   "it is no function tool: its member 'function' is missing or no object",
                   R"(write it as {"type":"function","function":{"name":…,"parameters":{…}}})"});
  }

  bool refuse(ToolFault fault) {
    const std::size_t longest = room_.is_full() ? kLongestName : kLongestText;
    for (std::string* text : {&fault.path, &fault.cause, &fault.reason, &fault.advice})
      if (text->size() > longest) *text = shorten(*text, longest);
    report_.fault = std::move(fault);
    return false;
  }

  void fix(NormalizeRule rule, std::string_view path, std::string_view message) {
    if (is_left_out()) return;
    add_fix({rule, std::string(path), std::string(message)});
  }

  // Of a member at `place`. Words are made only where there is room for them.
  template <class... Values>
  void fix(NormalizeRule rule, const SchemaNode& place, std::string_view member,
           fmt::format_string<const Values&...> words, const Values&... values) {
    if (is_left_out()) return;
    std::string path = nodes_.pointer(kParameters, place);
    path += '/';
    path += member;
    add_fix({rule, std::move(path), fmt::format(words, values...)});
  }

  bool is_left_out() {
    if (room_.is_full()) ++report_.fixes_left_out;
    return room_.is_full();
  }

  void add_fix(SchemaFix fix) {
    room_.take(sizeof fix + report_.name.size() + fix.path.size() + fix.message.size());
    report_.fixes.push_back(std::move(fix));
  }

  void mend_parameters(JsonNode& function) {
    JsonNode* parameters = function.find("parameters");
    if (parameters == nullptr) return;
    if (is_falsy(parameters) || !is_text(parameters->find("type"), "object")) {
      JsonNode* empty = tree_.make(Kind::Object);
      tree_.set(*empty, "type", tree_.make_string("object"));
      tree_.set(*empty, "properties", tree_.make(Kind::Object));
      JsonTree::replace(*parameters, *empty);
      fix(NormalizeRule::RootObject, kParameters, "schema must be an object if present");
    }
    if (is_falsy(parameters->find("properties"))) {
      tree_.set(*parameters, "properties", tree_.make(Kind::Object));
      fix(NormalizeRule::RootProperties, "/function/parameters/properties",
          "schema must have a properties object");
    }
  }

  void mend_description(JsonNode& function) {
    if (!is_falsy(function.find("description"))) return;
    tree_.set(function, "description", tree_.make_string("No description provided"));
    fix(NormalizeRule::Description, "/function/description", "schema description may not be empty");
  }

  bool shape_schema(JsonNode& schema) {
    if (!is_schema(schema)) return false;
    nodes_.collect(schema);
    if (!arrays_have_items()) return false;
    if (wants(kCutDescriptions)) cut_descriptions();
    if (wants(kDropKeywords)) drop_keywords();
    if (wants(kDropRootCombinators)) drop_root_combinators(schema);
    if (wants(kDropUnknownRequired)) drop_unknown_required();
    if (wants(kTuplesToAnyOf)) change_tuples();
    if (wants(kNullableFlag)) change_null_types();
    return true;
  }

  bool wants(SchemaChanges change) const { return (options_.changes & change) != 0; }

  // Every node that is still there, in order.
  template <class Visit>
  void each_node(const Visit& visit) {
    for (SchemaNode& place : nodes_.all())
      if (!place.gone) visit(*place.node, place);
  }

  bool is_schema(JsonNode& schema) {
    if (const auto valid = is_valid(tool_metaschema(), schema); valid && *valid) return true;
    auto checked = check(tool_metaschema(), schema, tree_, {.coerce = true, .first_only = true});
    if (!checked) return refuse_schema("", checked.error().message, checked.error().message);
    if (checked->valid()) {
      for (const Repair& repair : checked->repairs) tell_coerced(repair);
      report_.coerced_left_out += checked->repairs_left_out;
      return true;
    }
    std::string cause;
    for (const Fault& fault : checked->faults)
      cause += fmt::format("{}{} {}", cause.empty() ? "" : "\n", shorten_pointer(fault.path),
                           classic_words(fault, &tool_metaschema_root()));
    const Fault& last = checked->faults.back();
    return refuse_schema(last.path, "tool parameters do not match JSON schema: " + cause,
                         main_message(checked->faults));
  }

  void tell_coerced(const Repair& repair) {
    if (room_.is_full()) {
      ++report_.coerced_left_out;
      return;
    }
    const Repair& told = report_.coerced.emplace_back(
        Repair{std::string(kParameters) + shorten_pointer(repair.path), shorten(repair.from),
               shorten(repair.to), repair.reason});
    room_.take(sizeof told + told.path.size() + told.from.size() + told.to.size() +
               told.reason.size());
  }

  // Of a failed choice the first branch tells more than "must match a schema in anyOf".
  static std::string main_message(const std::vector<Fault>& faults) {
    const Fault& first = faults.front();
    if (first.keyword == "enum" && first.path.ends_with("/type"))
      return "the type must be array, boolean, integer, null, number, object, string, or a list of "
             "these without repetition";
    return first.message;
  }

  bool refuse_schema(const std::string& path, std::string cause, const std::string& message) {
    const std::string place = std::string(kParameters) + shorten_pointer(path);
    return refuse(
        {NormalizeRule::ValidSchema, place, std::move(cause),
         fmt::format("its parameters are no valid JSON Schema at {}: {}", place, message),
         fmt::format("correct {} in the server or extension that provides the tool", place)});
  }

  bool arrays_have_items() {
    for (const SchemaNode& place : nodes_.all()) {
      const JsonNode& node = *place.node;
      if (!is_text(node.find("type"), "array") || !is_falsy(node.find("items"))) continue;
      const std::string path = shorten(nodes_.pointer(kParameters, place), kLongestPath);
      return refuse({NormalizeRule::ArrayItems, path, "tool parameters array type must have items",
                     fmt::format("the array at {} does not say what its items are", path),
                     R"(add "items" there, for instance {"type":"string"}, or true for anything)"});
    }
    return true;
  }

  void cut_descriptions() {
    each_node([this](JsonNode& node, const SchemaNode& place) {
      JsonNode* description = node.find("description");
      if (description == nullptr || description->text.size() <= kMaxDescription) return;
      std::string storage;
      const auto cut = cut_units(description->text, kMaxDescription, options_.classic, storage);
      if (storage.empty()) return;
      JsonTree::replace(*description, *tree_.make_string(cut));
      fix(NormalizeRule::DescriptionLength, place, "description",
          "object description is too long (truncated to {} chars)", kMaxDescription);
    });
  }

  void drop_keywords() {
    for (SchemaNode& place : nodes_.all()) {
      const bool dropped_above = place.keyword == WalkedKeyword::PatternProperties ||
                                 place.keyword == WalkedKeyword::Contains;
      place.gone = dropped_above || nodes_.all()[place.parent].gone;
      if (place.gone) continue;
      remove_members(*place.node, [&](const JsonNode& member) {
        if (!is_dropped(member.key)) return false;
        fix(NormalizeRule::Keywords, place, member.key,
            "object has unsupported schema keyword '{}'", member.key);
        return true;
      });
    }
  }

  void drop_root_combinators(JsonNode& schema) {
    bool dropped = false;
    for (const std::string_view keyword : kRootCombinators) {
      if (!JsonTree::remove(schema, keyword)) continue;
      dropped = true;
      fix(NormalizeRule::RootCombinators, SchemaNode{}, keyword,
          "object has unsupported top-level schema keyword '{}'", keyword);
    }
    if (dropped) nodes_.collect(schema);
  }

  bool is_known(const MemberNames& properties, std::string_view name) const {
    if (properties.has(name)) return true;
    return options_.classic && std::ranges::find(kInherited, name) != kInherited.end();
  }

  void drop_unknown_required() {
    each_node([this](JsonNode& node, const SchemaNode& place) {
      JsonNode* required = node.find("required");
      if (required == nullptr || !is_text(node.find("type"), "object")) return;
      const JsonNode* properties = node.find("properties");
      if (properties == nullptr) return;
      const MemberNames names(*properties, required->size);
      for (const JsonNode* name = required->first; name != nullptr; name = name->next)
        if (!is_known(names, name->text)) return keep_known(*required, names, place);
    });
  }

  void keep_known(JsonNode& required, const MemberNames& properties, const SchemaNode& place) {
    JsonNode* kept = tree_.make(Kind::Array);
    for (const JsonNode* name = required.first; name != nullptr; name = name->next) {
      if (is_known(properties, name->text)) {
        tree_.append(*kept, tree_.clone(*name));
        continue;
      }
      fix(NormalizeRule::Required, place, "required",
          "object has required property '{}' that is not defined", shorten(name->text));
    }
    JsonTree::replace(required, *kept);
  }

  void change_tuples() {
    each_node([this](JsonNode& node, SchemaNode& place) {
      JsonNode* items = node.find("items");
      if (items == nullptr || !items->is(Kind::Array) || !is_text(node.find("type"), "array"))
        return;
      JsonNode* choices = tree_.make(Kind::Array);
      JsonTree::replace(*choices, *items);
      JsonNode* choice = tree_.make(Kind::Object);
      tree_.set(*choice, "anyOf", choices);
      JsonTree::replace(*items, *choice);
      place.items_in_any_of = true;
      fix(NormalizeRule::Tuples, place, "items",
          "array schema has items as an array, which is not supported in Draft 2020-12");
    });
  }

  void change_null_types() {
    each_node([this](JsonNode& node, const SchemaNode& place) {
      JsonNode* types = node.find("type");
      if (types == nullptr || !types->is(Kind::Array)) return;
      JsonNode* others = tree_.make(Kind::Array);
      for (const JsonNode* type = types->first; type != nullptr; type = type->next)
        if (type->text != "null") tree_.append(*others, tree_.clone(*type));
      if (others->size == types->size || others->size == 0) return;
      if (others->size == 1) {
        JsonTree::replace(*types, *others->first);
        tree_.set(node, "nullable", tree_.make_bool(true));
        fix(NormalizeRule::Nullable, place, "type",
            "converted nullable type array to OpenAPI nullable keyword for Gemini compatibility");
      } else {
        JsonTree::replace(*types, *others);
        fix(NormalizeRule::Nullable, place, "type",
            "removed null from multi-type union for Gemini compatibility; this makes the field "
            "non-nullable and may cause validation errors for callers that pass null");
      }
    });
  }

  JsonTree& tree_;
  const NormalizeOptions& options_;
  NormalizedTool& report_;
  ReportRoom room_;
  SchemaNodes& nodes_;
};

// `source` is the tool's own text where there is one: it stands where nothing was changed.
NormalizedTool shape_to_text(JsonTree& tree, JsonNode& tool, std::string_view source,
                             const NormalizeOptions& options) {
  NormalizedTool report;
  if (!ToolShaper(tree, options, report).shape(tool)) return report;
  if (!source.empty() && !report.changed()) {
    report.text = source;
  } else {
    thread_local std::string buffer;
    buffer.clear();
    append_json(buffer, tool);
    report.text = buffer.size() > kKeptBytes ? std::exchange(buffer, {}) : buffer;
  }
  return report;
}

}  // namespace

std::string NormalizedTool::classic_error() const {
  if (!fault) return {};
  return fmt::format(
      "Failed to validate tool {}: Error: {}. Please open an issue for the MCP server or extension "
      "which provides this tool",
      name, fault->cause);
}

std::size_t NormalizedTool::report_bytes() const {
  std::size_t bytes = sizeof *this + name.size();
  bytes += fixes.capacity() * sizeof(SchemaFix) + coerced.capacity() * sizeof(Repair);
  for (const SchemaFix& fix : fixes) bytes += fix.path.size() + fix.message.size();
  for (const Repair& each : coerced)
    bytes += each.path.size() + each.from.size() + each.to.size() + each.reason.size();
  if (fault)
    bytes += fault->path.size() + fault->cause.size() + fault->reason.size() + fault->advice.size();
  return bytes;
}

JsonNode* normalize_tool(JsonTree& tree, const JsonNode& tool, const NormalizeOptions& options,
                         NormalizedTool& report) {
  JsonNode* copy = tree.clone(tool);
  return ToolShaper(tree, options, report).shape(*copy) ? copy : nullptr;
}

NormalizedTool normalize_tool(const JsonNode& tool, const NormalizeOptions& options) {
  ScratchTree tree;
  return shape_to_text(*tree, *tree->clone(tool), {}, options);
}

Result<NormalizedTool> normalize_tool(std::string_view tool_text, const NormalizeOptions& options) {
  ScratchTree tree;
  auto tool = tree->parse(tool_text);
  if (!tool) return std::unexpected(tool.error());
  return shape_to_text(*tree, **tool, tool_text, options);
}

std::string NormalizedList::text() const {
  std::string out = "[";
  for (const auto& tool : tools) {
    if (tool->fault) continue;
    if (out.size() > 1) out += ',';
    out += tool->text;
  }
  return out + "]";
}

Result<NormalizedList> normalize_tools(const JsonNode* list, const NormalizeOptions& options,
                                       BadTools bad_tools) {
  NormalizedList result;
  result.absent =
      list == nullptr || list->is(Kind::Null) || (list->is(Kind::Array) && list->size == 0);
  if (result.absent) return result;
  if (!list->is(Kind::Array))
    return fail_at("tools", Errc::InvalidRequest, "the tools must be a list of function tools");
  if (list->size > kMaxListedTools)
    return fail_at("tools", Errc::InvalidRequest, "at most {} tools can be normalised at once",
                   kMaxListedTools);
  NormalizeOptions each = options;
  std::size_t bytes_left = kListBytes;
  for (const JsonNode* tool = list->first; tool != nullptr; tool = tool->next) {
    each.max_told_bytes = std::min(options.max_told_bytes, bytes_left);
    result.tools.push_back(std::make_shared<const NormalizedTool>(normalize_tool(*tool, each)));
    bytes_left -=
        std::min(bytes_left, result.tools.back()->report_bytes() - sizeof(NormalizedTool));
    if (bad_tools == BadTools::Quarantine || !result.tools.back()->fault) continue;
    result.error = result.tools.back()->classic_error();
    break;
  }
  return result;
}

}  // namespace toolgate
