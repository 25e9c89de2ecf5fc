#include "schema/flattened_keys.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "schema/schema_pointer.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kMaxSteps = 32;
constexpr std::size_t kMaxItems = 1000;
constexpr std::size_t kMaxKeys = 256;  // flattened ones in one object
constexpr int kMaxReferences = 16;

struct Step {
  std::string_view name;               // digits for an item
  std::optional<std::size_t> index{};  // what `name` is as a number
};
using Steps = std::vector<Step>;

std::optional<std::size_t> index_of(std::string_view text) {
  std::size_t index = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (fault != std::errc{} || end != text.data() + text.size() || index >= kMaxItems)
    return std::nullopt;
  return index;
}

bool looks_flattened(std::string_view key) {
  return key.find_first_of(".[") != key.npos;
}

bool has_flattened_key(const JsonNode& node) {
  for (const JsonNode* child = node.first; child != nullptr; child = child->next) {
    if (node.is(Kind::Object) && looks_flattened(child->key)) return true;
    if (has_flattened_key(*child)) return true;
  }
  return false;
}

// Takes "[0]" off the front of `rest`.
std::optional<Step> take_item(std::string_view& rest) {
  const auto end = rest.find(']');
  if (end == rest.npos) return std::nullopt;
  const std::string_view digits = rest.substr(1, end - 1);
  const auto index = index_of(digits);
  if (!index) return std::nullopt;
  rest.remove_prefix(end + 1);
  return Step{digits, index};
}

// "a[0].b" as its steps; nothing for a key of another form.
std::optional<Steps> parse_steps(std::string_view key) {
  Steps steps;
  std::string_view rest = key;
  while (!rest.empty() || steps.empty()) {
    if (steps.size() == kMaxSteps) return std::nullopt;
    if (rest.starts_with('[') && !steps.empty()) {
      const auto item = take_item(rest);
      if (!item) return std::nullopt;
      steps.push_back(*item);
      continue;
    }
    if (!steps.empty()) {
      if (!rest.starts_with('.')) return std::nullopt;
      rest.remove_prefix(1);
    }
    const std::string_view name = rest.substr(0, rest.find_first_of(".["));
    if (name.empty()) return std::nullopt;
    steps.push_back(Step{name, index_of(name)});
    rest.remove_prefix(name.size());
  }
  if (steps.size() < 2) return std::nullopt;
  return steps;
}

bool is_filled_object(const JsonNode* node) {
  return node != nullptr && node->is(Kind::Object) && node->size > 0;
}

class Rebuilder {
 public:
  Rebuilder(JsonTree& tree, const JsonNode& schema_root, std::vector<Repair>& repairs)
      : tree_(tree), schema_root_(schema_root), repairs_(repairs) {}

  void rebuild(JsonNode& value, const JsonNode* schema, const std::string& path) {
    schema = resolve(schema);
    if (schema == nullptr) return;
    if (value.is(Kind::Object)) {
      if (keys_are_closed(*schema)) rebuild_object(value, *schema, path);
      rebuild_members(value, *schema, path);
    } else if (value.is(Kind::Array)) {
      rebuild_items(value, *schema, path);
    }
  }

 private:
  struct Entry {
    JsonNode* member;
    Steps steps;
  };

  const JsonNode* resolve(const JsonNode* schema) const {
    for (int i = 0; schema != nullptr && i < kMaxReferences; ++i) {
      const JsonNode* reference = schema->find("$ref");
      if (reference == nullptr || !reference->is(Kind::String)) return schema;
      schema = find_in_schema(schema_root_, reference->text);
    }
    return nullptr;
  }

  // Whether a key that `properties` does not list cannot be meant as it stands.
  static bool keys_are_closed(const JsonNode& schema) {
    const JsonNode* additional = schema.find("additionalProperties");
    if (additional != nullptr && !(additional->is(Kind::Bool) && !additional->truth)) return false;
    if (is_filled_object(schema.find("patternProperties"))) return false;
    for (const std::string_view other : {"allOf", "anyOf", "oneOf", "if", "$dynamicRef"})
      if (schema.find(other) != nullptr) return false;
    return is_filled_object(schema.find("properties"));
  }

  void rebuild_members(JsonNode& object, const JsonNode& schema, const std::string& path) {
    const JsonNode* properties = schema.find("properties");
    if (properties == nullptr) return;
    for (JsonNode* member = object.first; member != nullptr; member = member->next) {
      if (member->first == nullptr) continue;
      std::string member_path = path;
      append_pointer_step(member_path, member->key);
      rebuild(*member, properties->find(member->key), member_path);
    }
  }

  void rebuild_items(JsonNode& array, const JsonNode& schema, const std::string& path) {
    std::size_t index = 0;
    for (JsonNode* item = array.first; item != nullptr; item = item->next, ++index)
      if (item->first != nullptr)
        rebuild(*item, item_schema(schema, index), fmt::format("{}/{}", path, index));
  }

  static const JsonNode* item_schema(const JsonNode& schema, std::size_t index) {
    for (const std::string_view keyword : {"prefixItems", "items"}) {
      const JsonNode* items = schema.find(keyword);
      if (items == nullptr) continue;
      if (items->is(Kind::Object)) return items;
      if (!items->is(Kind::Array)) continue;
      const JsonNode* item = items->first;
      for (std::size_t i = 0; item != nullptr && i < index; ++i) item = item->next;
      if (item != nullptr) return item;
    }
    return nullptr;
  }

  // Whether the schema declares every step; digits after a name are an item where a list is due.
  bool settle(Steps& steps, const JsonNode& schema) const {
    const JsonNode* at = &schema;
    for (Step& step : steps) {
      if (at == nullptr) return false;
      const JsonNode* properties = at->find("properties");
      const JsonNode* named = properties == nullptr ? nullptr : properties->find(step.name);
      if (named != nullptr) {
        step.index.reset();
        at = resolve(named);
      } else if (step.index) {
        at = resolve(item_schema(*at, *step.index));
      } else {
        return false;
      }
    }
    return at != nullptr;
  }

  void rebuild_object(JsonNode& object, const JsonNode& schema, const std::string& path) {
    std::vector<Entry> entries;
    std::size_t candidates = 0;
    const JsonNode* properties = schema.find("properties");
    for (JsonNode* member = object.first; member != nullptr; member = member->next) {
      if (!looks_flattened(member->key) || properties->find(member->key) != nullptr) continue;
      if (++candidates > kMaxKeys) return;
      auto steps = parse_steps(member->key);
      if (steps && settle(*steps, schema)) entries.push_back({member, std::move(*steps)});
    }
    while (!entries.empty()) {
      const std::string_view name = entries.front().steps.front().name;
      std::vector<Entry> group, rest;
      for (Entry& entry : entries)
        (entry.steps.front().name == name ? group : rest).push_back(std::move(entry));
      rebuild_group(object, name, group, path);
      entries = std::move(rest);
    }
  }

  // All keys that begin with one name, or none of them.
  void rebuild_group(JsonNode& object, std::string_view name, const std::vector<Entry>& group,
                     const std::string& path) {
    JsonNode* present = object.find(name);
    JsonNode* value = present != nullptr
                          ? tree_.clone(*present)
                          : tree_.make(group.front().steps[1].index ? Kind::Array : Kind::Object);
    if (!place_all(*value, group)) return;
    report(group, path);
    if (present != nullptr) {
      JsonTree::replace(*present, *value);
    } else {
      JsonNode* first = group.front().member;
      first->key = tree_.keep(name);
      JsonTree::replace(*first, *value);
    }
    for (const Entry& entry : group)
      if (looks_flattened(entry.member->key))
        JsonTree::remove(object, std::string(entry.member->key));
  }

  // Items may come in any order, so what does not fit yet is tried again.
  bool place_all(JsonNode& value, const std::vector<Entry>& group) {
    std::vector<const Entry*> open;
    open.reserve(group.size());
    for (const Entry& entry : group) open.push_back(&entry);
    while (!open.empty()) {
      const std::size_t before = open.size();
      std::erase_if(open, [&](const Entry* entry) { return place(value, *entry); });
      if (open.size() == before) return false;
    }
    return true;
  }

  bool place(JsonNode& value, const Entry& entry) {
    JsonNode* at = &value;
    for (std::size_t i = 1; i < entry.steps.size(); ++i) {
      const bool is_last = i + 1 == entry.steps.size();
      const Step& step = entry.steps[i];
      if (!at->is(step.index ? Kind::Array : Kind::Object)) return false;
      JsonNode* next = step.index ? item_at(*at, *step.index) : at->find(step.name);
      if (next != nullptr && is_last) return false;
      if (next == nullptr) {
        if (step.index && *step.index != at->size) return false;
        next = is_last ? tree_.clone(*entry.member)
                       : tree_.make(entry.steps[i + 1].index ? Kind::Array : Kind::Object);
        next->offset = entry.member->offset;
        if (step.index)
          tree_.append(*at, next);
        else
          tree_.set(*at, step.name, next);
      }
      at = next;
    }
    return true;
  }

  static JsonNode* item_at(JsonNode& array, std::size_t index) {
    if (index >= array.size) return nullptr;
    JsonNode* item = array.first;
    for (std::size_t i = 0; i < index; ++i) item = item->next;
    return item;
  }

  void report(const std::vector<Entry>& group, const std::string& path) {
    for (const Entry& entry : group) {
      Repair repair;
      repair.path = path;
      for (const Step& step : entry.steps) append_pointer_step(repair.path, step.name);
      repair.to = write_json(*entry.member);
      repair.from = "{";
      append_json_string(repair.from, entry.member->key);
      repair.from += ":" + repair.to + "}";
      repair.reason = fmt::format("the flattened key '{}' was rebuilt", entry.member->key);
      repairs_.push_back(std::move(repair));
    }
  }

  JsonTree& tree_;
  const JsonNode& schema_root_;
  std::vector<Repair>& repairs_;
};

}  // namespace

void rebuild_flattened_keys(JsonTree& tree, JsonNode& input, const JsonNode& schema_root,
                            std::vector<Repair>& repairs) {
  if (has_flattened_key(input))
    Rebuilder(tree, schema_root, repairs).rebuild(input, &schema_root, "");
}

}  // namespace toolgate
