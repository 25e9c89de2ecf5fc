// See leaf.h.
#include "schema/leaf.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace toolgate {

namespace {

// Up to here every pair is compared; above, equal items are found by their hashes.
constexpr std::uint32_t kFewItems = 8;

bool has_equal_items(const JsonNode& array) {
  for (const JsonNode* a = array.first; a; a = a->next) {
    for (const JsonNode* b = a->next; b; b = b->next) {
      if (equal(*a, *b)) return true;
    }
  }
  return false;
}

// The steps that looking at every byte of a value takes. Of large objects the members get sorted.
std::uint64_t weight_of(const JsonNode& value) {
  constexpr std::uint32_t kManyMembers = 16;
  std::uint64_t weight = value.text.size() / 16;
  std::uint64_t keys = 0;
  for (const JsonNode* child = value.first; child; child = child->next) {
    keys += child->key.size() / 16;
    weight += 1 + weight_of(*child);
  }
  if (value.size > kManyMembers) keys = (keys + value.size) * std::bit_width(value.size);
  return weight + keys;
}

struct Hashed {
  std::uint64_t hash = 0;
  std::size_t index = 0;
  const JsonNode* item = nullptr;
};

}  // namespace

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1 : 0;
  return count;
}

bool is_longer(std::string_view text, std::uint32_t limit) {
  return text.size() > limit && count_characters(text) > limit;
}

bool is_shorter(std::string_view text, std::uint32_t limit) {
  if (text.size() < limit) return true;
  return text.size() / 4 < limit && count_characters(text) < limit;
}

bool number_fits(Op op, const JsonNumber& value, const JsonNumber& limit) {
  switch (op) {
    case Op::Maximum:
      return compare(value, limit) <= 0;
    case Op::Minimum:
      return compare(value, limit) >= 0;
    case Op::ExclusiveMaximum:
      return compare(value, limit) < 0;
    case Op::ExclusiveMinimum:
      return compare(value, limit) > 0;
    default:
      return is_multiple(value, limit);
  }
}

std::uint64_t number_steps(Op op, const JsonNumber& value, const JsonNumber& limit) {
  if (value.small && limit.small) return 0;
  const std::uint64_t digits = value.text.size() + limit.text.size();
  // Division goes through the divisor up to nine times for each digit.
  return op == Op::MultipleOf ? digits * (1 + limit.text.size() / 4) : digits / 8;
}

bool equal_within(CheckBudget& budget, const JsonNode& a, const JsonNode& b) {
  if (a.kind != b.kind || a.size != b.size) return false;
  if (a.is(JsonNode::Kind::String)) {
    return a.text.size() == b.text.size() && budget.spend_bytes(a.text.size()) && a.text == b.text;
  }
  return budget.spend(weight_of(a) + weight_of(b)) && equal(a, b);
}

bool enum_holds(CheckBudget& budget, const EnumRule& rule, const JsonNode& value) {
  if (rule.only_strings) {
    if (!value.is(JsonNode::Kind::String)) return false;
    if (!rule.strings.empty()) {
      return budget.spend_bytes(value.text.size()) &&
             rule.strings.find(value.text) != KeyTable::kMissing;
    }
  }
  if (!budget.spend(rule.list->size / 16)) return false;
  for (const JsonNode* each = rule.list->first; each && !budget.stopped(); each = each->next) {
    if (equal_within(budget, *each, value)) return true;
  }
  return false;
}

bool format_fits(CheckBudget& budget, Format format, std::string_view text) {
  return budget.spend(format_steps(format, text)) && matches_format(format, text);
}

std::optional<std::pair<std::size_t, std::size_t>> find_equal_items(CheckBudget& budget,
                                                                    const JsonNode& array) {
  if (array.size < 2) return std::nullopt;
  // Every item is compared with up to seven others, or hashed and sorted.
  if (!budget.spend(4 * weight_of(array))) return std::nullopt;
  if (array.size <= kFewItems && !has_equal_items(array)) return std::nullopt;
  std::vector<Hashed> items;
  items.reserve(array.size);
  for (const JsonNode* item = array.first; item; item = item->next) {
    items.push_back({hash_value(*item), items.size(), item});
  }
  std::ranges::sort(items, [](const Hashed& a, const Hashed& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.index < b.index;
  });
  std::optional<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (found && items[i].index < found->first) continue;
    for (std::size_t j = i; j-- > 0 && items[j].hash == items[i].hash;) {
      if (!equal(*items[i].item, *items[j].item)) continue;
      found = std::pair(items[i].index, items[j].index);
      break;
    }
  }
  return found;
}

}  // namespace toolgate
