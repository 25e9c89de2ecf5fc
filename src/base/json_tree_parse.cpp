// The parser of JsonTree: one pass, no recursion, texts without escapes stay slices of the source.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <simdjson.h>

#include "base/json.h"
#include "base/json_tree.h"

namespace toolgate {

namespace {

using Kind = JsonNode::Kind;

// Objects up to this size look for duplicates as they grow, larger ones once at their end.
constexpr std::uint32_t kSmallObject = 32;

// A container that is still open.
struct Open {
  JsonNode* node = nullptr;
  std::uint64_t seen = 0;  // bits of the keys so far; a clear bit means a new key
};

std::uint64_t key_bit(std::string_view key) {
  if (key.empty()) return 1;
  const auto first = static_cast<unsigned char>(key.front());
  const auto last = static_cast<unsigned char>(key.back());
  return std::uint64_t{1} << ((key.size() * 7 + first * 3 + last * 5) & 63U);
}

// Bytes of `word` that are a quote, a backslash or a control character, as high bits.
std::uint64_t special_bytes(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighs = 0x8080808080808080U;
  const auto zeros = [](std::uint64_t w) { return (w - kOnes) & ~w & kHighs; };
  const std::uint64_t control = (word - kOnes * 0x20) & ~word & kHighs;
  return zeros(word ^ (kOnes * '"')) | zeros(word ^ (kOnes * '\\')) | control;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char* put_utf8(char* out, std::uint32_t code) {
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
  } else if (code < 0x800) {
    *out++ = static_cast<char>(0xC0U | code >> 6U);
    *out++ = static_cast<char>(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    *out++ = static_cast<char>(0xE0U | code >> 12U);
    *out++ = static_cast<char>(0x80U | (code >> 6U & 0x3FU));
    *out++ = static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    *out++ = static_cast<char>(0xF0U | code >> 18U);
    *out++ = static_cast<char>(0x80U | (code >> 12U & 0x3FU));
    *out++ = static_cast<char>(0x80U | (code >> 6U & 0x3FU));
    *out++ = static_cast<char>(0x80U | (code & 0x3FU));
  }
  return out;
}

class Parser {
 public:
  Parser(std::string_view text, const JsonTree::Limits& limits, Arena& arena)
      : begin_(text.data()),
        at_(begin_),
        end_(begin_ + text.size()),
        limits_(limits),
        arena_(arena) {}

  Result<JsonNode*> run();
  bool dropped_members() const { return dropped_members_; }
  std::uint32_t offset() const { return static_cast<std::uint32_t>(at_ - begin_); }

 private:
  bool refuse(const char* problem) {
    problem_ = problem;
    return false;
  }
  bool fail_here() {
    return refuse(at_ == end_ ? "the text ends too early" : "unexpected character");
  }

  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }
  bool read_document();
  bool read_key(std::string_view& key);
  bool read_value(std::string_view key);
  bool read_scalar(JsonNode& node);
  bool read_word(std::string_view word);
  bool read_number(JsonNode& node);
  bool read_string(std::string_view& out);
  bool unescape(const char* first, std::string_view& out);
  bool read_escape(char*& out);
  bool read_code_unit(std::uint32_t& unit);

  JsonNode& place(std::string_view key);
  JsonNode* find_duplicate(Open& container, std::string_view key);
  void close();

  const char* begin_;
  const char* at_;
  const char* end_;
  const JsonTree::Limits& limits_;
  Arena& arena_;
  boost::container::small_vector<Open, 24> open_;
  JsonNode* root_ = nullptr;
  const char* problem_ = nullptr;
  bool dropped_members_ = false;
};

Result<JsonNode*> Parser::run() {
  if (read_document()) return root_;
  const std::string_view text(begin_, static_cast<std::size_t>(end_ - begin_));
  const auto position = text_position(text, static_cast<std::size_t>(at_ - begin_));
  return fail(Errc::InvalidJson, "not valid JSON: {} at line {}, column {}", problem_,
              position.line, position.column);
}

bool Parser::read_document() {
  skip_blanks();
  if (!read_value({})) return false;
  while (!open_.empty()) {
    JsonNode& container = *open_.back().node;
    const bool object = container.is(Kind::Object);
    skip_blanks();
    if (at_ == end_) return fail_here();
    if (*at_ == (object ? '}' : ']')) {
      ++at_;
      close();
      continue;
    }
    if (container.size > 0) {
      if (*at_ != ',') return fail_here();
      ++at_;
      skip_blanks();
    }
    std::string_view key;
    if (object && !read_key(key)) return false;
    if (!read_value(key)) return false;
  }
  skip_blanks();
  if (at_ != end_) return refuse("something follows the value");
  return true;
}

bool Parser::read_key(std::string_view& key) {
  if (at_ == end_ || *at_ != '"') return fail_here();
  if (!read_string(key)) return false;
  skip_blanks();
  if (at_ == end_ || *at_ != ':') return fail_here();
  ++at_;
  skip_blanks();
  return true;
}

bool Parser::read_value(std::string_view key) {
  if (at_ == end_) return fail_here();
  JsonNode& node = place(key);
  if (*at_ != '{' && *at_ != '[') return read_scalar(node);
  if (open_.size() >= limits_.depth) return refuse("nested too deeply");
  node.kind = *at_ == '{' ? Kind::Object : Kind::Array;
  ++at_;
  open_.push_back({&node, 0});
  return true;
}

// The node for the next value, already in its place: a new one, or that of an equal key.
JsonNode& Parser::place(std::string_view key) {
  const auto offset = static_cast<std::uint32_t>(at_ - begin_);
  if (!open_.empty() && open_.back().node->is(Kind::Object)) {
    if (JsonNode* earlier = find_duplicate(open_.back(), key)) {
      dropped_members_ = true;
      JsonNode* const next = earlier->next;
      *earlier = JsonNode{};
      earlier->next = next;
      earlier->key = key;
      earlier->offset = offset;
      return *earlier;
    }
  }
  auto* node = arena_.make<JsonNode>();
  node->key = key;
  node->offset = offset;
  if (open_.empty()) {
    root_ = node;
    return *node;
  }
  JsonNode& container = *open_.back().node;
  (container.last == nullptr ? container.first : container.last->next) = node;
  container.last = node;
  ++container.size;
  return *node;
}

JsonNode* Parser::find_duplicate(Open& container, std::string_view key) {
  if (container.node->size >= kSmallObject) return nullptr;
  const std::uint64_t bit = key_bit(key);
  if ((container.seen & bit) == 0) {
    container.seen |= bit;
    return nullptr;
  }
  return container.node->find(key);
}

// The value of each repeated key moves to the key's first place. False when there was none.
bool drop_duplicates(JsonNode& object) {
  std::vector<JsonNode*> members;
  members.reserve(object.size);
  for (JsonNode* member = object.first; member; member = member->next) members.push_back(member);
  std::ranges::sort(members, {},
                    [](const JsonNode* node) { return std::pair(node->key, node->offset); });
  std::vector<JsonNode*> repeated;
  JsonNode* first = members.front();
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (members[i]->key != first->key) {
      first = members[i];
      continue;
    }
    JsonTree::replace(*first, *members[i]);
    first->offset = members[i]->offset;
    repeated.push_back(members[i]);
  }
  if (repeated.empty()) return false;
  std::ranges::sort(repeated);
  JsonNode* last = object.first;  // the first member is never a repetition
  for (JsonNode* member = object.first->next; member; member = member->next) {
    if (std::ranges::binary_search(repeated, member)) continue;
    last->next = member;
    last = member;
  }
  last->next = nullptr;
  object.last = last;
  object.size -= static_cast<std::uint32_t>(repeated.size());
  return true;
}

void Parser::close() {
  JsonNode& container = *open_.back().node;
  if (container.is(Kind::Object) && container.size >= kSmallObject)
    dropped_members_ |= drop_duplicates(container);
  open_.pop_back();
}

bool Parser::read_scalar(JsonNode& node) {
  switch (*at_) {
    case '"':
      node.kind = Kind::String;
      return read_string(node.text);
    case 't':
      node.kind = Kind::Bool;
      node.truth = true;
      return read_word("true");
    case 'f':
      node.kind = Kind::Bool;
      return read_word("false");
    case 'n':
      return read_word("null");
    default:
      node.kind = Kind::Number;
      return read_number(node);
  }
}

bool Parser::read_word(std::string_view word) {
  for (const char c : word) {
    if (at_ == end_ || *at_ != c) return fail_here();
    ++at_;
  }
  return true;
}

bool Parser::read_number(JsonNode& node) {
  const char* const first = at_;
  const auto digits = [&] {
    const char* const start = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return at_ != start;
  };
  if (*at_ == '-') ++at_;
  if (at_ != end_ && *at_ == '0') {
    ++at_;
  } else if (!digits()) {
    return fail_here();
  }
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    if (!digits()) return fail_here();
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!digits()) return fail_here();
  }
  node.text = {first, static_cast<std::size_t>(at_ - first)};
  return true;
}

bool Parser::read_string(std::string_view& out) {
  const char* const first = ++at_;
  while (end_ - at_ >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at_, 8);
    const std::uint64_t special = special_bytes(word);
    if (special == 0) {
      at_ += 8;
      continue;
    }
    static_assert(std::endian::native == std::endian::little);
    at_ += std::countr_zero(special) / 8;
    break;
  }
  for (; at_ != end_; ++at_) {
    if (*at_ == '"') {
      out = {first, static_cast<std::size_t>(at_ - first)};
      ++at_;
      return true;
    }
    if (*at_ == '\\') return unescape(first, out);
    if (static_cast<unsigned char>(*at_) < 0x20) return refuse("a control character in a string");
  }
  return fail_here();
}

// `at_` is at the first backslash. An escape is never shorter than what it stands for.
bool Parser::unescape(const char* first, std::string_view& out) {
  const char* close = at_;
  while (close != end_ && *close != '"') close += *close == '\\' && close + 1 != end_ ? 2 : 1;
  if (close == end_) {
    at_ = end_;
    return fail_here();
  }
  auto* const made =
      static_cast<char*>(arena_.allocate(static_cast<std::size_t>(close - first), 1));
  char* write = made;
  std::memcpy(write, first, static_cast<std::size_t>(at_ - first));
  write += at_ - first;
  while (*at_ != '"') {
    if (static_cast<unsigned char>(*at_) < 0x20) return refuse("a control character in a string");
    if (*at_ != '\\') {
      *write++ = *at_++;
      continue;
    }
    if (!read_escape(write)) return false;
  }
  ++at_;
  out = {made, static_cast<std::size_t>(write - made)};
  return true;
}

bool Parser::read_escape(char*& out) {
  static constexpr std::string_view kNames = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  ++at_;
  if (const auto i = kNames.find(*at_); i != kNames.npos) {
    *out++ = kMeanings[i];
    ++at_;
    return true;
  }
  std::uint32_t unit = 0;
  if (!read_code_unit(unit)) return false;
  if (unit >= 0xD800 && unit <= 0xDBFF && end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u') {
    const char* const before = at_;
    std::uint32_t low = 0;
    ++at_;
    if (!read_code_unit(low)) return false;
    if (low >= 0xDC00 && low <= 0xDFFF) {
      unit = 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
    } else {
      at_ = before;
    }
  }
  if (unit >= 0xD800 && unit <= 0xDFFF) unit = 0xFFFD;
  out = put_utf8(out, unit);
  return true;
}

bool Parser::read_code_unit(std::uint32_t& unit) {
  if (*at_ != 'u') return refuse("an unknown escape in a string");
  ++at_;
  for (int i = 0; i < 4; ++i, ++at_) {
    const int value = at_ == end_ ? -1 : hex_value(*at_);
    if (value < 0) return refuse("a broken \\u escape in a string");
    unit = unit * 16 + static_cast<std::uint32_t>(value);
  }
  return true;
}

}  // namespace

Result<JsonNode*> JsonTree::parse(std::string_view text, const Limits& limits) {
  fault_offset_ = JsonNode::kNowhere;
  if (text.size() > std::min<std::size_t>(limits.bytes, JsonNode::kNowhere - 1)) {
    return fail(Errc::TooLarge, "the JSON text of {} bytes is over the limit of {} bytes",
                text.size(), limits.bytes);
  }
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return fail(Errc::InvalidJson, "not valid JSON: the text is not valid UTF-8");
  }
  Parser parser(text, limits, arena_);
  auto root = parser.run();
  fault_offset_ = root ? JsonNode::kNowhere : parser.offset();
  dropped_members_ = parser.dropped_members();
  return root;
}

}  // namespace toolgate
