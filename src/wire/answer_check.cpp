// One pass over a fully validated document, like chunk_check.
#include "wire/answer_check.h"

#include <algorithm>
#include <vector>

#include "wire/dom_reading.h"
#include "wire/tool_call_deltas.h"

namespace toolgate {
namespace {

namespace dom = simdjson::dom;

bool is_count(dom::element value) {
  std::int64_t count = 0;
  return value.get(count) == simdjson::SUCCESS && count >= 0;
}

class AnswerChecker {
 public:
  explicit AnswerChecker(AnswerFacts* facts) : facts_(facts) {}

  bool check(dom::element value);
  bool lacks_nulls() const { return lacks_nulls_; }

 private:
  void take_name(dom::element value, std::string AnswerFacts::* name);
  bool check_usage(dom::element value);
  bool check_choices(dom::element value);
  bool check_choice(dom::element value, std::uint64_t position);
  bool check_message(dom::element value);
  bool check_calls(dom::element value);
  bool check_call(dom::element value);
  bool check_function(dom::element value);
  bool fits_finish(std::string_view reason) const;

  AnswerFacts* facts_;  // null: nobody asks
  bool lacks_nulls_ = false;
  bool has_calls_ = false;             // of the choice being looked at
  std::vector<std::string_view> ids_;  // likewise, of its calls
};

bool AnswerChecker::check(dom::element value) {
  dom::object answer;
  if (value.get(answer) != simdjson::SUCCESS) return false;
  KeySet keys;
  for (const auto [key, member] : answer) {
    if (key == "choices") {
      if (!keys.add(0) || !check_choices(member)) return false;
    } else if (key == "usage") {
      if (!keys.add(1) || !check_usage(member)) return false;
    } else if (key == "id") {
      if (!keys.add(2) || !is_some_text(member)) return false;
      take_name(member, &AnswerFacts::id);
    } else if (key == "object") {
      if (!keys.add(3) || !is_text(member, "chat.completion")) return false;
    } else if (key == "created") {
      if (!keys.add(4) || !is_count(member)) return false;
    } else if (key == "model") {
      if (!keys.add(5) || !is_some_text(member)) return false;
      take_name(member, &AnswerFacts::model);
    } else if (key == "toolgate" || (key == "error" && !member.is_null())) {
      return false;
    }
  }
  return keys.has_first(6);
}

void AnswerChecker::take_name(dom::element value, std::string AnswerFacts::* name) {
  std::string_view text;
  if (facts_ && facts_->wants_names && read_text(value, text)) facts_->*name = text;
}

bool AnswerChecker::check_usage(dom::element value) {
  dom::object usage;
  if (value.get(usage) != simdjson::SUCCESS) return false;
  KeySet keys;
  for (const auto [key, member] : usage) {
    const unsigned bit = key == "prompt_tokens"       ? 0
                         : key == "completion_tokens" ? 1
                         : key == "total_tokens"      ? 2
                                                      : 3;
    if (bit < 3 && (!keys.add(bit) || !is_count(member))) return false;
    if (facts_ && bit < 2)
      (bit == 0 ? facts_->input_tokens : facts_->output_tokens) = member.get_int64().value_unsafe();
  }
  return keys.has_first(3);
}

bool AnswerChecker::check_choices(dom::element value) {
  dom::array choices;
  if (value.get(choices) != simdjson::SUCCESS || choices.size() == 0) return false;
  std::uint64_t position = 0;
  for (const dom::element choice : choices)
    if (!check_choice(choice, position++)) return false;
  return true;
}

bool AnswerChecker::check_choice(dom::element value, std::uint64_t position) {
  dom::object choice;
  if (value.get(choice) != simdjson::SUCCESS) return false;
  KeySet keys;
  std::string_view reason;
  for (const auto [key, member] : choice) {
    if (key == "index") {
      std::uint64_t index = 0;
      if (!keys.add(0) || member.get(index) != simdjson::SUCCESS || index != position) return false;
    } else if (key == "message") {
      if (!keys.add(1) || !check_message(member)) return false;
    } else if (key == "finish_reason") {
      if (!keys.add(2) || !read_text(member, reason)) return false;
    } else if (key == "logprobs") {
      keys.add(3);
    }
  }
  lacks_nulls_ |= !keys.has(3);
  if (facts_) facts_->add_reason(reason);
  return keys.has_first(3) && fits_finish(reason);
}

bool AnswerChecker::fits_finish(std::string_view reason) const {
  return reason == (has_calls_ ? "tool_calls" : "stop") || reason == "length" ||
         reason == "content_filter";
}

bool AnswerChecker::check_message(dom::element value) {
  dom::object message;
  if (value.get(message) != simdjson::SUCCESS) return false;
  KeySet keys;
  has_calls_ = false;
  for (const auto [key, member] : message) {
    if (key == "role") {
      if (!keys.add(0) || !is_text(member, "assistant")) return false;
    } else if (key == "content") {
      if (!keys.add(1) || !(member.is_null() || member.is_string())) return false;
    } else if (key == "tool_calls") {
      if (!keys.add(2) || !check_calls(member)) return false;
    } else if (key == "refusal") {
      keys.add(3);
    } else if (key == "function_call") {
      return false;  // of the old kind: repaired where it is null, finished differently where not
    }
  }
  lacks_nulls_ |= !keys.has(3);
  return keys.has_first(2);
}

bool AnswerChecker::check_calls(dom::element value) {
  dom::array calls;
  if (value.get(calls) != simdjson::SUCCESS || calls.size() > ToolCallJoiner::kMaxCalls)
    return false;
  ids_.clear();
  for (const dom::element call : calls)
    if (!check_call(call)) return false;
  has_calls_ = !ids_.empty();
  return true;
}

bool AnswerChecker::check_call(dom::element value) {
  dom::object call;
  if (value.get(call) != simdjson::SUCCESS) return false;
  KeySet keys;
  for (const auto [key, member] : call) {
    if (key == "id") {
      std::string_view id;
      if (!keys.add(0) || !read_text(member, id) || id.empty()) return false;
      if (std::ranges::find(ids_, id) != ids_.end()) return false;
      ids_.push_back(id);
    } else if (key == "type") {
      if (!keys.add(1) || !is_text(member, "function")) return false;
    } else if (key == "function") {
      if (!keys.add(2) || !check_function(member)) return false;
    }
  }
  return keys.has_first(3);
}

bool AnswerChecker::check_function(dom::element value) {
  dom::object function;
  if (value.get(function) != simdjson::SUCCESS) return false;
  KeySet keys;
  for (const auto [key, member] : function) {
    if (key == "name" || key == "arguments")
      if (!keys.add(key == "name" ? 0 : 1) || !is_some_text(member)) return false;
  }
  return keys.has_first(2);
}

}  // namespace

AnswerCheck check_answer(std::string_view body, AnswerFacts* facts) {
  dom::element document;
  if (thread_parser(body.size()).parse(body.data(), body.size(), false).get(document) !=
      simdjson::SUCCESS)
    return AnswerCheck::Damaged;
  AnswerChecker checker(facts);
  if (!checker.check(document)) return AnswerCheck::Damaged;
  return checker.lacks_nulls() ? AnswerCheck::LacksNulls : AnswerCheck::Complete;
}

}  // namespace toolgate
