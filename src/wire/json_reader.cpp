// simdjson's first stage gives the offsets of all tokens; the rest walks over them with a stack of
// open brackets instead of recursion.
#include "wire/json_reader.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <simdjson.h>

#include "base/json.h"

namespace toolgate {

struct JsonReader::Index {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
};

namespace {

// The index takes 4 bytes per token; one made for a very large text is not kept.
constexpr std::size_t kLargestKept = std::size_t{4} << 20;
constexpr std::size_t kSmallest = std::size_t{64} << 10;

// In steps, so that a conversation that grows does not allocate with every turn.
std::size_t capacity_for(std::size_t size) {
  return size > kLargestKept ? size : std::bit_ceil(std::max(size, kSmallest));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  text.remove_prefix(count);
  return count > 0;
}

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.starts_with('0')) {
    text.remove_prefix(1);
  } else if (!take_digits(text)) {
    return false;
  }
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

const char* describe(simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR:
      return "the text is not valid UTF-8";
    case simdjson::UNCLOSED_STRING:
      return "a string is not closed";
    case simdjson::UNESCAPED_CHARS:
      return "a string holds a control character that is not escaped";
    case simdjson::EMPTY:
      return "the text is empty";
    case simdjson::CAPACITY:
      return "the text is too long";
    default:
      return "the text is not JSON";
  }
}

}  // namespace

std::unique_ptr<JsonReader::Index>& JsonReader::spare_index() {
  static thread_local std::unique_ptr<Index> spare;
  return spare;
}

JsonReader::JsonReader(std::string_view text, std::size_t max_depth)
    : text_(text), index_(std::move(spare_index())), max_depth_(max_depth) {
  if (!index_) index_ = std::make_unique<Index>();
  open_.reserve(16);
  auto& parser = index_->parser;
  auto error = simdjson::SUCCESS;
  const std::size_t capacity = capacity_for(text.size());
  if (!parser) {
    error = simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, 1,
                                                                                    parser);
  } else if (parser->capacity() < capacity) {
    error = parser->set_capacity(capacity);
  }
  if (!error) {
    error = parser->stage1(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                           simdjson::stage1_mode::regular);
  }
  if (error) {
    fault_ = describe(error);
    return;
  }
  tokens_ = parser->structural_indexes.get();
  count_ = parser->n_structural_indexes;
}

JsonReader::~JsonReader() {
  if (index_->parser && index_->parser->capacity() <= kLargestKept)
    spare_index() = std::move(index_);
}

bool JsonReader::fail_here(const char* reason) {
  if (!fault_) {
    fault_ = at_ < count_ ? reason : "the text ends too early";
    fault_offset_ = offset();
  }
  at_ = count_;
  return false;
}

void JsonReader::enter() {
  if (open_.size() >= max_depth_) {
    fail_here("the text is nested too deeply");
    return;
  }
  open_.push_back(token());
  ++at_;
}

// Passes a scalar or enters a container.
bool JsonReader::step() {
  switch (kind()) {
    case Kind::Object:
    case Kind::Array:
      enter();
      return !failed();
    case Kind::String:
      break;
    case Kind::Number:
      if (!is_number(scalar())) return fail_here("a number is malformed");
      break;
    case Kind::Bool:
      if (scalar() != "true" && scalar() != "false") return fail_here("a value is malformed");
      break;
    case Kind::Null:
      if (scalar() != "null") return fail_here("a value is malformed");
      break;
    case Kind::Bad:
      return fail_here("a value is missing");
  }
  ++at_;
  return true;
}

// The same checks as step() and next_key(), in one loop with everything at hand: most of a request
// is passed over here. That strings are closed is known from the first stage.
bool JsonReader::skip() {
  if (failed()) return false;
  const std::size_t floor = open_.size();
  const char* const text = text_.data();
  const auto at = [&] { return at_ < count_ ? text[tokens_[at_]] : '\0'; };
  while (true) {
    const char first = at();
    if (first == '{' || first == '[') {
      enter();
      if (failed()) return false;
      if (at() == first + 2) {
        leave();
      } else {
        if (first == '{' && !pass_key()) return false;
        continue;
      }
    } else if (first == '"') {
      ++at_;
    } else if (!step()) {
      return false;
    }
    // A value has been passed: what closes behind it, and what comes next.
    while (open_.size() > floor && at() == open_.back() + 2) leave();
    if (open_.size() == floor) return true;
    if (at() != ',')
      return fail_here(open_.back() == '{' ? "',' or '}' is missing" : "',' or ']' is missing");
    ++at_;
    if (open_.back() == '{' && !pass_key()) return false;
  }
}

// A name nobody asks for, and its colon.
bool JsonReader::pass_key() {
  if (token() != '"') return fail_here("a member's name in quotes is missing");
  ++at_;
  if (token() != ':') return fail_here("':' is missing");
  ++at_;
  return true;
}

std::string_view JsonReader::read_string() {
  std::string_view out;
  if (failed()) return {};
  if (kind() != Kind::String) {
    fail_here("a string is missing");
    return {};
  }
  if (!unescape(scalar(), string_buffer_, out)) return {};
  ++at_;
  return out;
}

std::string_view JsonReader::read_token() {
  if (failed() || at_ == count_) return {};
  const std::string_view text = scalar();
  return step() ? text : std::string_view();
}

bool JsonReader::at_end() {
  if (failed()) return false;
  return at_ == count_ || fail_here("something follows after the end");
}

std::string_view JsonReader::key() {
  std::string_view out;
  return unescape(key_raw_, key_buffer_, out) ? out : std::string_view();
}

std::size_t JsonReader::escaped_among(std::string_view raw, std::string& buffer,
                                      std::span<const std::string_view> names) {
  std::string_view text;
  if (!unescape(raw, buffer, text)) return names.size();
  return static_cast<std::size_t>(std::ranges::find(names, text) - names.begin());
}

bool JsonReader::unescape(std::string_view raw, std::string& buffer, std::string_view& out) {
  out = raw.substr(1, raw.size() - 2);
  if (out.find('\\') == out.npos) return true;
  const auto parsed = parse_json(raw);
  if (!parsed || !parsed->is_string()) return fail_here("a string holds a wrong escape");
  const auto& text = parsed->get_string();
  buffer.assign(text.data(), text.size());
  out = buffer;
  return true;
}

}  // namespace toolgate
