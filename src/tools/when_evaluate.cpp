// Whether a clause holds: JavaScript's operators over the context values.
#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"
#include "tools/when_node.h"
#include "tools/when_values.h"

namespace toolgate {
namespace {

constexpr std::string_view kFileScheme = "file:///";

// Whether two texts differ in nothing but upper and lower case, of any script.
bool equal_in_any_case(std::string_view a, std::string_view b) {
  if (equal_ignoring_case(a, b)) return true;
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(a, is_ascii) || !is_valid_utf8(a)) return false;
  std::string escaped = "^";
  for (const char c : a) {
    if (is_ascii(c) && std::string_view("\\^$.|?*+()[]{}/").contains(c)) escaped += '\\';
    escaped += c;
  }
  const auto regex = make_when_regex(escaped + "$", "i");
  return regex && (*regex)->matches(b);
}

bool contains(const json::array& list, const json::value& item) {
  for (const json::value& each : list)
    if (strictly_equals(each, item)) return true;
  return false;
}

bool is_file(const json::string& text) {
  return std::string_view(text).starts_with(kFileScheme);
}

bool contains_file(const json::array& list, std::string_view file) {
  for (const json::value& each : list)
    if (each.is_string() && equal_in_any_case(file, each.get_string())) return true;
  return false;
}

const json::value* find_key(const WhenNode& node, const ContextKeys& context) {
  return context.find(node.key, node.key_hash);
}

bool is_in(const WhenNode& node, const ContextKeys& context) {
  const json::value* source = context.find(node.value);
  const json::value* item = find_key(node, context);
  if (source == nullptr || item == nullptr) return false;
  const json::string* text = item->if_string();
  const bool as_file = node.ignores_case && text != nullptr && is_file(*text);
  if (const json::array* list = source->if_array())
    return contains(*list, *item) || (as_file && contains_file(*list, *text));
  const json::object* object = source->if_object();
  if (object == nullptr || text == nullptr) return false;
  if (object->contains(*text)) return true;
  if (!as_file) return false;
  for (const auto& member : *object)
    if (equal_in_any_case(*text, member.key())) return true;
  return false;
}

bool is_within_bound(const WhenNode& node, const ContextKeys& context) {
  if (!node.numeric) return false;
  const double number = leading_number(find_key(node, context));
  switch (node.kind) {
    case WhenKind::Greater:
      return number > node.number;
    case WhenKind::GreaterEquals:
      return number >= node.number;
    case WhenKind::Smaller:
      return number < node.number;
    default:
      return number <= node.number;
  }
}

bool is_matched(const WhenNode& node, const ContextKeys& context) {
  std::string scratch;
  const std::string_view text = javascript_string(find_key(node, context), scratch);
  return node.regex->matches(text);
}

bool evaluate(const WhenNode& node, const ContextKeys& context) {
  switch (node.kind) {
    case WhenKind::False:
      return false;
    case WhenKind::True:
      return true;
    case WhenKind::Defined:
      return is_truthy(find_key(node, context));
    case WhenKind::Not:
      return !is_truthy(find_key(node, context));
    case WhenKind::Equals:
      return loosely_equals(find_key(node, context), node.value);
    case WhenKind::NotEquals:
      return !loosely_equals(find_key(node, context), node.value);
    case WhenKind::And:
      for (const WhenNode* term : node.terms)
        if (!evaluate(*term, context)) return false;
      return true;
    case WhenKind::Or:
      for (const WhenNode* term : node.terms)
        if (evaluate(*term, context)) return true;
      return false;
    case WhenKind::Regex:
      return is_matched(node, context);
    case WhenKind::NotRegex:
      return !is_matched(node, context);
    case WhenKind::In:
      return is_in(node, context);
    case WhenKind::NotIn:
      return !is_in(node, context);
    case WhenKind::Complement:
      return !evaluate(*node.terms[0], context);
    default:
      return is_within_bound(node, context);
  }
}

}  // namespace

bool WhenClause::holds(const ContextKeys& context) const {
  return evaluate(*root_, context);
}

}  // namespace toolgate
