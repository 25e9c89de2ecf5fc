// One pass over the text, which builds nothing; escapes are looked at when all else is right.
#include "wire/answer_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "wire/json_reader.h"
#include "wire/key_set.h"
#include "wire/tool_call_deltas.h"

namespace toolgate {
namespace {

using Kind = JsonReader::Kind;
template <std::size_t kCount>
using Names = std::array<std::string_view, kCount>;

constexpr std::size_t kMostNested = 1024;

// Of each kind of object the keys that matter, the necessary ones first.
constexpr Names<8> kAnswerKeys{"choices", "usage", "id",       "object",
                               "created", "model", "toolgate", "error"};
constexpr Names<3> kUsageKeys{"prompt_tokens", "completion_tokens", "total_tokens"};
constexpr Names<4> kChoiceKeys{"index", "message", "finish_reason", "logprobs"};
constexpr Names<5> kMessageKeys{"role", "content", "tool_calls", "refusal", "function_call"};
constexpr Names<3> kCallKeys{"id", "type", "function"};
constexpr Names<2> kFunctionKeys{"name", "arguments"};

class AnswerChecker {
 public:
  AnswerChecker(std::string_view body, bool wants_names) : reader_(body, kMostNested) {
    facts_.wants_names = wants_names;
  }

  bool check() { return check_answer() && reader_.at_end(); }
  bool lacks_nulls() const { return lacks_nulls_; }
  AnswerFacts take_facts() { return std::move(facts_); }

 private:
  bool check_answer();
  bool check_answer_member(std::size_t key);
  bool check_usage();
  bool check_choices();
  bool check_choice(std::int64_t position);
  bool check_message();
  bool check_message_member(std::size_t key);
  bool check_calls();
  bool check_call();
  bool check_function();
  bool fits_finish(std::string_view reason) const;

  bool enter_object();
  bool take_name(std::string& name);
  bool is_some_text();
  bool is_text(std::string_view wanted);
  bool read_count(std::int64_t& count);

  JsonReader reader_;
  AnswerFacts facts_;
  bool lacks_nulls_ = false;
  bool has_calls_ = false;        // of the choice being looked at
  std::vector<std::string> ids_;  // likewise, of its calls
};

bool AnswerChecker::enter_object() {
  if (reader_.kind() != Kind::Object) return false;
  reader_.enter();
  return true;
}

bool AnswerChecker::is_some_text() {
  const std::size_t begin = reader_.offset();
  return reader_.kind() == Kind::String && reader_.skip() && reader_.end_offset() - begin > 2;
}

bool AnswerChecker::is_text(std::string_view wanted) {
  return reader_.kind() == Kind::String && reader_.read_string() == wanted;
}

bool AnswerChecker::take_name(std::string& name) {
  if (!facts_.wants_names) return is_some_text();
  if (reader_.kind() != Kind::String) return false;
  name = reader_.read_string();
  return !name.empty();
}

bool AnswerChecker::read_count(std::int64_t& count) {
  if (reader_.kind() != Kind::Number) return false;
  const std::string_view token = reader_.read_token();
  const char* const end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, count);
  return read.ec == std::errc() && read.ptr == end && count >= 0;
}

bool AnswerChecker::check_answer() {
  constexpr std::size_t kNecessary = 6;
  if (!enter_object()) return false;
  KeySet keys;
  std::size_t key = 0;
  while (reader_.next_member<kAnswerKeys>(key))
    if ((key < kNecessary && !keys.add(key)) || !check_answer_member(key)) return false;
  return keys.has_first(kNecessary);
}

bool AnswerChecker::check_answer_member(std::size_t key) {
  std::int64_t created = 0;
  switch (key) {
    case 0:
      return check_choices();
    case 1:
      return check_usage();
    case 2:
      return take_name(facts_.id);
    case 3:
      return is_text("chat.completion");
    case 4:
      return read_count(created);
    case 5:
      return take_name(facts_.model);
    case 6:
      return false;  // `toolgate`, which we say
    case 7:
      return reader_.kind() == Kind::Null && reader_.skip();  // `error`
    default:
      return reader_.skip();
  }
}

bool AnswerChecker::check_usage() {
  if (!enter_object()) return false;
  KeySet keys;
  std::array<std::int64_t, kUsageKeys.size()> counts{};
  std::size_t key = 0;
  while (reader_.next_member<kUsageKeys>(key)) {
    const bool is_fine =
        key < counts.size() ? keys.add(key) && read_count(counts.at(key)) : reader_.skip();
    if (!is_fine) return false;
  }
  facts_.input_tokens = counts[0];
  facts_.output_tokens = counts[1];
  return keys.has_first(counts.size());
}

bool AnswerChecker::check_choices() {
  if (reader_.kind() != Kind::Array) return false;
  std::int64_t position = 0;
  reader_.enter();
  while (reader_.next_element())
    if (!check_choice(position++)) return false;
  return position > 0;
}

bool AnswerChecker::check_choice(std::int64_t position) {
  if (!enter_object()) return false;
  KeySet keys;
  std::string reason;
  std::size_t key = 0;
  while (reader_.next_member<kChoiceKeys>(key)) {
    if (key < 3 && !keys.add(key)) return false;
    std::int64_t index = 0;
    bool is_fine = true;
    if (key == 0) {
      is_fine = read_count(index) && index == position;
    } else if (key == 1) {
      is_fine = check_message();
    } else if (key == 2) {
      is_fine = reader_.kind() == Kind::String;
      if (is_fine) reason = reader_.read_string();
    } else {
      if (key == 3) keys.add(key);
      is_fine = reader_.skip();
    }
    if (!is_fine) return false;
  }
  lacks_nulls_ |= !keys.has(3);
  facts_.add_reason(reason);
  return keys.has_first(3) && fits_finish(reason);
}

bool AnswerChecker::fits_finish(std::string_view reason) const {
  return reason == (has_calls_ ? "tool_calls" : "stop") || reason == "length" ||
         reason == "content_filter";
}

bool AnswerChecker::check_message() {
  if (!enter_object()) return false;
  KeySet keys;
  has_calls_ = false;
  std::size_t key = 0;
  while (reader_.next_member<kMessageKeys>(key)) {
    if (key < 3 && !keys.add(key)) return false;
    if (key == 3) keys.add(key);
    if (!check_message_member(key)) return false;
  }
  lacks_nulls_ |= !keys.has(3);
  return keys.has_first(2);
}

bool AnswerChecker::check_message_member(std::size_t key) {
  const Kind kind = reader_.kind();
  switch (key) {
    case 0:
      return is_text("assistant");
    case 1:
      return (kind == Kind::Null || kind == Kind::String) && reader_.skip();
    case 2:
      return check_calls();
    case 4:
      return false;  // of the old kind: repaired where it is null, finished differently where not
    default:
      return reader_.skip();
  }
}

bool AnswerChecker::check_calls() {
  if (reader_.kind() != Kind::Array) return false;
  ids_.clear();
  reader_.enter();
  while (reader_.next_element())
    if (ids_.size() == ToolCallJoiner::kMaxCalls || !check_call()) return false;
  has_calls_ = !ids_.empty();
  return true;
}

bool AnswerChecker::check_call() {
  if (!enter_object()) return false;
  KeySet keys;
  std::size_t key = 0;
  while (reader_.next_member<kCallKeys>(key)) {
    if (key < kCallKeys.size() && !keys.add(key)) return false;
    bool is_fine = true;
    if (key == 0) {
      const std::string id(reader_.kind() == Kind::String ? reader_.read_string() : "");
      is_fine = !id.empty() && std::ranges::find(ids_, id) == ids_.end();
      ids_.push_back(id);
    } else if (key == 1) {
      is_fine = is_text("function");
    } else {
      is_fine = key == 2 ? check_function() : reader_.skip();
    }
    if (!is_fine) return false;
  }
  return keys.has_first(kCallKeys.size());
}

bool AnswerChecker::check_function() {
  if (!enter_object()) return false;
  KeySet keys;
  std::size_t key = 0;
  while (reader_.next_member<kFunctionKeys>(key)) {
    const bool is_fine =
        key < kFunctionKeys.size() ? keys.add(key) && is_some_text() : reader_.skip();
    if (!is_fine) return false;
  }
  return keys.has_first(kFunctionKeys.size());
}

}  // namespace

AnswerCheck check_answer(std::string_view body, AnswerFacts* facts) {
  AnswerChecker checker(body, facts && facts->wants_names);
  if (!checker.check() || !has_valid_escapes(body)) return AnswerCheck::Damaged;
  if (facts) *facts = checker.take_facts();
  return checker.lacks_nulls() ? AnswerCheck::LacksNulls : AnswerCheck::Complete;
}

}  // namespace toolgate
