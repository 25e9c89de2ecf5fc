#include "schema/repair.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "schema/classic_words.h"
#include "schema/flattened_keys.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;

constexpr int kMaxRounds = 64;  // each opens one level of nested JSON texts
constexpr std::size_t kMaxListed = 20;
constexpr std::string_view kOpenedReason = "the text held the JSON value that is due";

std::string classic_message(std::string_view inside) {
  return fmt::format("ERROR: Your input to the tool was invalid ({})", inside);
}

// How the original's language turns a list into a text: its items joined by commas.
void append_joined(std::string& out, const JsonNode& value) {
  switch (value.kind) {
    case Kind::Null:
      return;
    case Kind::Bool:
      out += value.truth ? "true" : "false";
      return;
    case Kind::Number:
    case Kind::String:
      out += value.text;
      return;
    case Kind::Object:
      out += "[object Object]";
      return;
    case Kind::Array:
      for (const JsonNode* item = value.first; item != nullptr; item = item->next) {
        if (item != value.first) out += ',';
        append_joined(out, *item);
      }
  }
}

// The text that may hold the value that is due: a string, or the string that stands alone in a
// list.
std::optional<std::string_view> text_within(const JsonNode& value) {
  const JsonNode* at = &value;
  while (at->is(Kind::Array) && at->size == 1) at = at->first;
  if (!at->is(Kind::String)) return std::nullopt;
  return at->text;
}

// Values of an opened text stand where the text stood.
void move_to(JsonNode& node, std::uint32_t offset) {
  node.offset = offset;
  for (JsonNode* child = node.first; child != nullptr; child = child->next) move_to(*child, offset);
}

// The fault with the value that is there, where that is short.
std::string explain(const Fault& fault) {
  constexpr std::size_t kMaxShown = 60;
  const bool is_choice = fault.keyword == "anyOf" || fault.keyword == "oneOf";
  if (fault.node == nullptr || is_choice) return fault.sentence;
  if (fault.node->is(Kind::Object) || fault.node->is(Kind::Array)) return fault.sentence;
  if (fault.node->text.size() > kMaxShown) return fault.sentence;
  const std::string value = write_json(*fault.node);
  if (value.size() > kMaxShown) return fault.sentence;
  return fmt::format("{} (is {})", fault.sentence, value);
}

class InputChecker {
 public:
  InputChecker(std::string_view text, const Schema* schema, const RepairOptions& options)
      : text_(text), schema_(schema), options_(options) {}

  bool rebuilt_keys() const { return rebuilt_keys_; }

  InputCheck run() {
    if (!parse()) return std::move(result_);
    if (schema_ == nullptr)
      accept();
    else
      check_rounds();
    return std::move(result_);
  }

 private:
  bool parse() {
    if (text_.empty()) {
      result_.absent = true;
      root_ = tree_.make(Kind::Object);
      if (!options_.classic) note("", "", "{}", "the input was empty");
      return true;
    }
    auto parsed = tree_.parse(text_);
    if (!parsed) {
      refuse_text(parsed.error().message);
      return false;
    }
    root_ = *parsed;
    if (tree_.dropped_members() && !options_.classic)
      note("", "", "", "of members with the same name only the last one counts");
    if (!root_->is(Kind::Null)) return true;
    JsonTree::replace(*root_, *tree_.make(Kind::Object));
    note("", "null", "{}", "the input was null");
    return true;
  }

  void refuse_text(const std::string& reason) {
    result_.input = text_;
    result_.faults.push_back({"", "json", reason, tree_.fault_offset()});
    result_.message = "ERROR: Your input to the tool could not be read: " + reason;
    result_.classic = classic_message("SyntaxError: " + reason);
  }

  void note(std::string path, std::string from, std::string to, std::string_view reason) {
    result_.repairs.push_back(
        {std::move(path), std::move(from), std::move(to), std::string(reason)});
  }

  void accept() {
    result_.valid = true;
    // The original cannot put a coerced value in the place of the whole input.
    const bool stays = options_.classic && root_->first == nullptr && !root_->is(Kind::Object);
    if (result_.repairs.empty() || stays)
      result_.input = text_;
    else
      result_.input = write_json(*root_);
  }

  void check_rounds() {
    for (int round = 0;; ++round) {
      rebuild_keys();
      if (!options_.classic) {
        // What is valid needs no coercion, which might follow a branch that does not count.
        const auto valid = is_valid(*schema_, *root_, steps_left_);
        if (!valid) return refuse_limit(valid.error());
        if (*valid) return accept();
      }
      auto report =
          check(*schema_, *root_, tree_,
                {.coerce = true, .first_only = options_.classic, .max_steps = steps_left_});
      if (!report) return refuse_limit(report.error());
      for (Repair& repair : report->repairs) result_.repairs.push_back(std::move(repair));
      result_.repairs_left_out += report->repairs_left_out;
      steps_left_ -= std::min(steps_left_, report->steps);
      if (report->valid()) return accept();
      const bool opened = round < kMaxRounds &&
                          (options_.classic ? open_classic(report->faults) : open(report->faults));
      if (!opened) return refuse(*report);
    }
  }

  void rebuild_keys() {
    if (options_.classic || !options_.rebuild_keys || options_.schema_root == nullptr) return;
    const std::size_t before = result_.repairs.size();
    rebuild_flattened_keys(tree_, *root_, *options_.schema_root, result_.repairs);
    rebuilt_keys_ |= result_.repairs.size() > before;
  }

  // Opens what every branch of the schema together would take as an object or a list.
  bool open(const std::vector<Fault>& faults) {
    std::vector<std::pair<JsonNode*, const Fault*>> seen;
    bool opened = false;
    for (const Fault& fault : faults) {
      if (!wants_container(fault) || fault.path.empty() || fault.node == nullptr) continue;
      const bool known =
          std::ranges::any_of(seen, [&](const auto& one) { return one.first == fault.node; });
      if (known) continue;
      seen.emplace_back(fault.node, &fault);
      TypeSet expected = 0;
      for (const Fault& other : faults)
        if (other.node == fault.node && wants_container(other)) expected |= other.expected;
      opened |= open_node(*fault.node, expected, fault.path);
    }
    return opened;
  }

  static bool wants_container(const Fault& fault) {
    return (fault.expected & (kObjectType | kArrayType)) != 0;
  }

  bool open_node(JsonNode& node, TypeSet expected, const std::string& path) {
    const auto text = text_within(node);
    if (!text) return false;
    const auto value = tree_.parse(*text);
    if (!value) return false;
    const TypeSet type = types_of(**value) & (kObjectType | kArrayType);
    if ((type & expected) == 0) return false;
    put(node, **value, path);
    return true;
  }

  void put(JsonNode& node, JsonNode& value, const std::string& path) {
    note(path, write_json(node), write_json(value), kOpenedReason);
    move_to(value, node.offset);
    JsonTree::replace(node, value);
  }

  // The original's way: by path, which it does not unescape, one fault after the other, and a
  // list where a text would be is joined first.
  bool open_classic(const std::vector<Fault>& faults) {
    if (!root_->is(Kind::Object) && !root_->is(Kind::Array)) return false;
    if (result_.absent) return false;
    bool opened = false;
    for (const Fault& fault : faults) {
      const bool one_type = fault.expected == kObjectType || fault.expected == kArrayType;
      if (!one_type || fault.path.empty()) continue;
      JsonNode* node = find_unescaped(fault.path);
      if (node == nullptr || !(node->is(Kind::String) || node->is(Kind::Array))) continue;
      std::string joined;
      append_joined(joined, *node);
      const auto value = tree_.parse(tree_.keep(joined));
      if (!value || !((*value)->is(Kind::Object) || (*value)->is(Kind::Array))) continue;
      put(*node, **value, fault.path);
      opened = true;
    }
    return opened;
  }

  JsonNode* find_unescaped(std::string_view path) {
    JsonNode* at = root_;
    while (!path.empty() && at != nullptr) {
      path.remove_prefix(1);
      const std::string_view step = path.substr(0, path.find('/'));
      path.remove_prefix(step.size());
      if (at->is(Kind::Array)) {
        std::size_t index = 0;
        JsonNode* item = at->first;
        for (; item != nullptr && fmt::format_int(index).str() != step; ++index) item = item->next;
        at = item;
      } else {
        at = at->find(step);
      }
    }
    return at;
  }

  void refuse_limit(const Error& error) {
    result_.input = text_;
    result_.faults.push_back({"", "limit", error.message, JsonNode::kNowhere});
    result_.message =
        fmt::format("ERROR: Your input to the tool could not be checked: {}", error.message);
    result_.classic = classic_message(error.message);
  }

  void refuse(const CheckReport& report) {
    result_.input = text_;
    result_.faults_left_out = report.left_out;
    std::string classic;
    for (const Fault& fault : report.faults) {
      classic += (classic.empty() ? "" : ", ") + classic_words(fault, options_.schema_root);
      InputFault listed{fault.path, std::string(fault.keyword), explain(fault),
                        fault.node == nullptr ? JsonNode::kNowhere : fault.node->offset};
      const bool known = std::ranges::any_of(result_.faults, [&](const InputFault& other) {
        return other.path == listed.path && other.message == listed.message;
      });
      if (!known) result_.faults.push_back(std::move(listed));
    }
    if (options_.classic) {
      result_.classic = classic_message(classic);
      result_.message = result_.classic;
      return;
    }
    RepairOptions as_original = options_;
    as_original.classic = true;
    InputCheck original = InputChecker(text_, schema_, as_original).run();
    result_.classic = std::move(original.classic);
    result_.message = list_faults();
    if (original.valid) result_ = std::move(original);  // nothing it accepts is refused
  }

  std::string list_faults() const {
    std::string out = "ERROR: Your input to the tool was invalid:";
    std::size_t listed = 0;
    for (const InputFault& fault : result_.faults) {
      if (listed++ == kMaxListed) break;
      out +=
          fmt::format("\n- {}: {}", fault.path.empty() ? "the input" : fault.path, fault.message);
    }
    const std::size_t more = result_.faults.size() - std::min(result_.faults.size(), kMaxListed) +
                             result_.faults_left_out;
    if (more > 0) out += fmt::format("\n- and {} more", more);
    return out;
  }

  std::string_view text_;
  const Schema* schema_;
  const RepairOptions& options_;
  JsonTree tree_;
  JsonNode* root_ = nullptr;
  bool rebuilt_keys_ = false;
  std::uint64_t steps_left_ = options_.max_steps;  // of all rounds together
  InputCheck result_;
};

bool is_name_char(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

}  // namespace

InputCheck check_input(std::string_view text, const Schema* schema, const RepairOptions& options) {
  InputChecker checker(text, schema, options);
  InputCheck result = checker.run();
  if (result.valid || !checker.rebuilt_keys()) return result;
  // What is valid as it was written is not made invalid.
  RepairOptions as_written = options;
  as_written.rebuild_keys = false;
  InputCheck unchanged = InputChecker(text, schema, as_written).run();
  return unchanged.valid ? unchanged : result;
}

std::string unknown_tool_message(std::string_view name) {
  return fmt::format("ERROR: The tool \"{}\" does not exist", name);
}

std::string clean_tool_name(std::string_view name) {
  std::string out;
  for (const char each : name) {
    const auto c = static_cast<unsigned char>(each);
    if (c < 0x80)
      out += is_name_char(c) ? each : '_';
    else if (c >= 0xF0)
      out += "__";  // a surrogate pair
    else if (c >= 0xC0)
      out += '_';
  }
  return out;
}

}  // namespace toolgate
