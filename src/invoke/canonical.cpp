#include "invoke/canonical.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/json_number.h"
#include "base/json_tree.h"

namespace toolgate {
namespace {

constexpr double kFirstInexactInteger = 9007199254740992;  // 2^53

// Significant digits without zeros at either end, and where the point stands: 0.digits × 10^point.
struct Digits {
  std::string digits;
  std::int64_t point = 0;
};

// Nothing where the exponent is too long to count with.
std::optional<Digits> digits_of(std::string_view unsigned_number) {
  Digits out;
  const auto e = std::min(unsigned_number.find_first_of("eE"), unsigned_number.size());
  const std::string_view mantissa = unsigned_number.substr(0, e);
  const auto dot = std::min(mantissa.find('.'), mantissa.size());
  out.digits = mantissa.substr(0, dot);
  out.point = static_cast<std::int64_t>(dot);
  if (dot < mantissa.size()) out.digits += mantissa.substr(dot + 1);

  const auto zeros = std::min(out.digits.find_first_not_of('0'), out.digits.size());
  out.digits.erase(0, zeros);
  out.point -= static_cast<std::int64_t>(zeros);
  out.digits.resize(out.digits.find_last_not_of('0') + 1);
  if (out.digits.empty()) return out;

  std::string_view exponent = unsigned_number.substr(std::min(e + 1, unsigned_number.size()));
  const bool down = exponent.starts_with('-');
  if (down || exponent.starts_with('+')) exponent.remove_prefix(1);
  if (exponent.size() > 15) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : exponent) value = value * 10 + (c - '0');
  out.point += down ? -value : value;
  return out;
}

// Laid out as JavaScript does, but with every digit that was written.
std::string exact_text(std::string_view number) {
  const bool negative = number.starts_with('-');
  const auto parts = digits_of(number.substr(negative ? 1 : 0));
  if (!parts) return std::string(number);
  auto [digits, point] = *parts;
  if (digits.empty()) return "0";
  const auto count = static_cast<std::int64_t>(digits.size());
  std::string out = negative ? "-" : "";
  if (count <= point && point <= 21) {
    out += digits + std::string(static_cast<std::size_t>(point - count), '0');
  } else if (0 < point && point <= 21) {
    out += digits.insert(static_cast<std::size_t>(point), ".");
  } else if (-6 < point && point <= 0) {
    out += "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  } else {
    if (count > 1) digits.insert(1, ".");
    out += fmt::format("{}e{:+}", digits, point - 1);
  }
  return out;
}

// RFC 8785 writes the nearest double, so 9007199254740993 would become …992. A tool may read it
// exactly: two numbers that are not the same must not hash alike. Beyond the integers that a double
// can count, and where it would be infinite or nothing, all digits stay; elsewhere the text is
// RFC 8785's.
void append_number(std::string& out, std::string_view number) {
  const double value = to_double(number);
  const bool vanished = value == 0 && exact_text(number) != "0";
  if (vanished || !(std::abs(value) < kFirstInexactInteger))
    out += exact_text(number);
  else
    out += javascript_text(value);
}

// The escapes of JSON.stringify and no others.
void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    constexpr std::string_view kNamed = "\b\t\n\f\r\"\\";
    constexpr std::string_view kLetters = "btnfr\"\\";
    if (const auto named = kNamed.find(c); named != kNamed.npos) {
      out += '\\';
      out += kLetters[named];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

// UTF-8 sorts like UTF-16 but for characters beyond U+FFFF, whose units lie below U+E000.
unsigned utf16_rank(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return value == 0xEE || value == 0xEF ? value + 0x10U : value;
}

bool is_before_in_utf16(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(a, b, {}, utf16_rank, utf16_rank);
}

enum class Members { Sorted, AsWritten };

void append_value(std::string& out, const JsonNode& node, Members order);

void append_members(std::string& out, const JsonNode& object, Members order) {
  std::vector<const JsonNode*> members;
  members.reserve(object.size);
  for (const JsonNode* member = object.first; member != nullptr; member = member->next)
    members.push_back(member);
  if (order == Members::Sorted)
    std::ranges::sort(members, is_before_in_utf16,
                      [](const JsonNode* member) { return member->key; });
  out += '{';
  for (const JsonNode* member : members) {
    if (member != members.front()) out += ',';
    append_string(out, member->key);
    out += ':';
    append_value(out, *member, order);
  }
  out += '}';
}

void append_items(std::string& out, const JsonNode& array, Members order) {
  out += '[';
  for (const JsonNode* item = array.first; item != nullptr; item = item->next) {
    if (item != array.first) out += ',';
    append_value(out, *item, order);
  }
  out += ']';
}

void append_value(std::string& out, const JsonNode& node, Members order) {
  switch (node.kind) {
    case JsonNode::Kind::Null:
      out += "null";
      return;
    case JsonNode::Kind::Bool:
      out += node.truth ? "true" : "false";
      return;
    case JsonNode::Kind::Number:
      append_number(out, node.text);
      return;
    case JsonNode::Kind::String:
      append_string(out, node.text);
      return;
    case JsonNode::Kind::Array:
      append_items(out, node, order);
      return;
    case JsonNode::Kind::Object:
      append_members(out, node, order);
      return;
  }
}

// The unit of the escape \uXXXX at `at`, or 0.
unsigned escaped_unit(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return 0;
  unsigned unit = 0;
  for (const char c : text.substr(at + 2, 4)) {
    const auto digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    unit = unit * 16 + static_cast<unsigned>(digit);
  }
  return unit;
}

// In valid JSON. Trees read every such half as U+FFFD, so different ones would look alike.
bool has_half_character(std::string_view json) {
  for (auto at = json.find('\\'); at < json.size(); at = json.find('\\', at)) {
    const unsigned unit = escaped_unit(json, at);
    if (unit < 0xD800 || unit > 0xDFFF) {
      at += 2;
      continue;
    }
    const unsigned second = escaped_unit(json, at + 6);
    if (unit > 0xDBFF || second < 0xDC00 || second > 0xDFFF) return true;
    at += 12;
  }
  return false;
}

}  // namespace

Result<std::string> canonical_json(std::string_view json) {
  JsonTree tree;
  const auto root = tree.parse(json);
  if (!root) return std::unexpected(root.error());
  if (has_half_character(json))
    return fail(Errc::InvalidJson,
                "a text in it has half of a character: one \\u escape of a surrogate pair without "
                "the other");
  std::string out;
  out.reserve(json.size());
  append_value(out, **root, Members::Sorted);
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  // Looked up once, and not in each call, as EVP_sha256() would.
  static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
      EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_DigestInit_ex2(context.get(), algorithm, nullptr);
  EVP_DigestUpdate(context.get(), bytes.data(), bytes.size());
  EVP_DigestFinal_ex(context.get(), digest.data(), &size);
  std::string out(std::size_t{2} * size, '0');
  for (unsigned i = 0; i < size; ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out[2 * i] = kDigits[digest[i] >> 4U];
    out[2 * i + 1] = kDigits[digest[i] & 15U];
  }
  return out;
}

std::string definition_text(const ToolData& tool) {
  std::string out;
  const auto add = [&out](std::string_view name, std::string_view text) {
    out += out.empty() ? '{' : ',';
    append_string(out, name);
    out += ':';
    append_string(out, text);
  };
  // In canonical order.
  add("displayName", tool.display_name);
  add("id", tool.id);
  if (!tool.implementation.empty()) add("implementation", tool.implementation);
  if (const auto schema = canonical_json(tool.input_schema); schema)
    out += ",\"inputSchema\":" + *schema;
  else
    add("inputSchema", tool.input_schema);
  add("modelDescription", tool.model_description);
  add("source", tool.source.key());
  add("toolReferenceName", tool.reference_name);
  add("userDescription", tool.user_description);
  out += '}';
  return out;
}

void append_with_length(std::string& out, std::string_view text) {
  out += std::to_string(text.size());
  out += ':';
  out += text;
}

std::string with_lengths(std::initializer_list<std::string_view> texts) {
  constexpr std::size_t kLengthBytes = 21;
  std::size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size() + kLengthBytes;
  std::string out;
  out.reserve(bytes);
  for (const std::string_view text : texts) append_with_length(out, text);
  return out;
}

std::string binding_hash(std::string_view tool_id, std::string_view definition_hash,
                         std::string_view canonical_arguments, std::string_view caller) {
  return sha256_hex(with_lengths({tool_id, definition_hash, canonical_arguments, caller}));
}

std::string arguments_key(std::string_view tool_id, std::string_view canonical_arguments) {
  return sha256_hex(with_lengths({tool_id, canonical_arguments}));
}

std::string meaning_key(std::string_view tool_id, std::string_view approval_key) {
  if (approval_key.empty()) return {};
  return sha256_hex(with_lengths({tool_id, "approval_key", approval_key}));
}

std::string combination_key(std::string_view tool_id, std::string_view parameters_json) {
  std::string text = fmt::format("{}:", tool_id);
  JsonTree tree;
  if (const auto root = tree.parse(parameters_json); root)
    append_value(text, **root, Members::AsWritten);
  else
    text += parameters_json;
  return fmt::format("{}:combination:{}", tool_id, sha256_hex(text));
}

}  // namespace toolgate
