// Repairs that need to know JSON and text but nothing of chat.
#include "wire/json_mending.h"

#include <algorithm>
#include <cmath>

#include "base/utf8.h"
#include "wire/text_carry.h"

namespace toolgate {
namespace {

void mend_object(json::object& object) {
  const bool keys_valid =
      std::ranges::all_of(object, [](const auto& member) { return is_valid_utf8(member.key()); });
  if (!keys_valid) {
    json::object mended;
    for (auto& member : object) mended[mend_text(member.key())] = std::move(member.value());
    object = std::move(mended);
  }
  for (auto& member : object) mend_strings(member.value());
}

}  // namespace

Result<LooseJson> parse_loose_json(std::string_view text) {
  if (auto value = parse_json_any_utf8(text))
    return LooseJson{*std::move(value), is_valid_utf8(text)};
  auto value = parse_json_any_utf8(unescape_lone_surrogates(text));
  if (!value) return std::unexpected(value.error());
  return LooseJson{*std::move(value), false};
}

void mend_strings(json::value& value) {
  if (json::string* text = value.if_string()) {
    if (!is_valid_utf8(*text)) *text = mend_text(*text);
  } else if (json::array* array = value.if_array()) {
    for (json::value& item : *array) mend_strings(item);
  } else if (json::object* object = value.if_object()) {
    mend_object(*object);
  }
}

std::string text_of(const json::value* value) {
  if (value == nullptr || value->is_null()) return {};
  if (const json::string* text = value->if_string()) return std::string(*text);
  return write_json(*value);
}

std::string content_text(const json::value& content) {
  const json::array* parts = content.if_array();
  if (parts == nullptr) return text_of(&content);
  std::string text;
  for (const json::value& part : *parts) {
    if (const json::string* plain = part.if_string()) text += *plain;
    if (const json::value* inner = find(part, "text")) text += text_of(inner);
  }
  return text;
}

std::optional<std::int64_t> natural_number(const json::value* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_int64() && value->get_int64() >= 0) return value->get_int64();
  constexpr double kMaxExact = 9e15;
  if (value->is_double()) {
    const double number = value->get_double();
    if (number >= 0 && number < kMaxExact && std::trunc(number) == number)
      return static_cast<std::int64_t>(number);
  }
  return std::nullopt;
}

std::string_view string_in(const json::object& object, std::string_view key) {
  const json::value* member = object.if_contains(key);
  if (member == nullptr || !member->is_string()) return {};
  return member->get_string();
}

}  // namespace toolgate
