// A complete answer is checked with simdjson and keeps its bytes; anything else goes through
// answer_repair. The two conversions run the stream normaliser.
#include "wire/openai_answer.h"

#include <algorithm>
#include <vector>

#include <simdjson.h>

#include "base/utf8.h"
#include "wire/answer_repair.h"
#include "wire/json_mending.h"
#include "wire/json_padding.h"
#include "wire/sse.h"
#include "wire/tool_call_deltas.h"

namespace toolgate {
namespace {

namespace dom = simdjson::dom;

ErrorBody broken(std::string message) {
  return make_error_body(Error{Errc::UpstreamBroken, std::move(message), {}});
}

ErrorBody not_json(std::string_view body) {
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return broken("the upstream's answer is empty");
  return broken("the upstream's answer is not JSON: " + mend_utf8(body.substr(0, 200)));
}

bool looks_like_events(std::string_view body) {
  const std::size_t begin = body.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (begin == std::string_view::npos) return false;
  body.remove_prefix(begin);
  return body.starts_with("data:") || body.starts_with("event:") || body.starts_with(':');
}

// How often each key stands in an object; only keys that are there once are trusted.
template <class... Keys>
bool each_once(dom::object object, Keys... keys) {
  const auto count = [&](std::string_view wanted) {
    return std::ranges::count_if(object, [&](auto member) { return member.key == wanted; });
  };
  return ((count(keys) == 1) && ...);
}

bool has_text(dom::object object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS && !text.empty();
}

bool has_exactly(dom::object object, std::string_view key, std::string_view wanted) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS && text == wanted;
}

bool has_count(dom::object object, std::string_view key) {
  std::int64_t count = 0;
  return object[key].get(count) == simdjson::SUCCESS && count >= 0;
}

bool is_complete_call(dom::element value, std::vector<std::string_view>& ids) {
  dom::object call;
  dom::object function;
  if (value.get(call) != simdjson::SUCCESS || !each_once(call, "id", "type", "function"))
    return false;
  if (call["function"].get(function) != simdjson::SUCCESS ||
      !each_once(function, "name", "arguments"))
    return false;
  std::string_view id;
  if (call["id"].get(id) != simdjson::SUCCESS || id.empty()) return false;
  if (std::ranges::find(ids, id) != ids.end()) return false;
  ids.push_back(id);
  return has_exactly(call, "type", "function") && has_text(function, "name") &&
         has_text(function, "arguments");
}

bool is_complete_message(dom::object message, bool& has_calls) {
  if (!each_once(message, "role", "content") || !has_exactly(message, "role", "assistant"))
    return false;
  const dom::element content = message["content"];
  if (!content.is_null() && !content.is_string()) return false;
  has_calls = false;
  dom::element calls;
  if (message["tool_calls"].get(calls) != simdjson::SUCCESS) return true;
  dom::array list;
  if (calls.get(list) != simdjson::SUCCESS || !each_once(message, "tool_calls")) return false;
  if (list.size() > ToolCallJoiner::kMaxCalls) return false;
  std::vector<std::string_view> ids;
  has_calls = list.size() > 0;
  return std::ranges::all_of(list, [&](dom::element call) { return is_complete_call(call, ids); });
}

bool is_complete_choice(dom::element value, std::uint64_t position) {
  dom::object choice;
  dom::object message;
  if (value.get(choice) != simdjson::SUCCESS ||
      !each_once(choice, "index", "message", "finish_reason"))
    return false;
  std::uint64_t index = 0;
  if (choice["index"].get(index) != simdjson::SUCCESS || index != position) return false;
  bool has_calls = false;
  if (choice["message"].get(message) != simdjson::SUCCESS ||
      !is_complete_message(message, has_calls))
    return false;
  std::string_view reason;
  if (choice["finish_reason"].get(reason) != simdjson::SUCCESS) return false;
  if (has_calls) return reason == "tool_calls" || reason == "length" || reason == "content_filter";
  return reason == "stop" || reason == "length" || reason == "content_filter";
}

// Everything but `logprobs` and `refusal`, which insert_nulls can add.
bool is_complete_answer(dom::element value) {
  dom::object answer;
  dom::object usage;
  dom::array choices;
  if (value.get(answer) != simdjson::SUCCESS ||
      !each_once(answer, "id", "object", "created", "model", "choices", "usage"))
    return false;
  for (const auto [key, member] : answer)
    if (key == "toolgate" || (key == "error" && !member.is_null())) return false;
  if (!has_text(answer, "id") || !has_text(answer, "model") || !has_count(answer, "created") ||
      !has_exactly(answer, "object", "chat.completion"))
    return false;
  if (answer["usage"].get(usage) != simdjson::SUCCESS || !has_count(usage, "prompt_tokens") ||
      !has_count(usage, "completion_tokens") || !has_count(usage, "total_tokens"))
    return false;
  if (answer["choices"].get(choices) != simdjson::SUCCESS || choices.size() == 0) return false;
  std::uint64_t position = 0;
  return std::ranges::all_of(
      choices, [&](dom::element choice) { return is_complete_choice(choice, position++); });
}

struct Insertion {
  std::size_t offset;
  std::string_view text;
};

// Where the missing `logprobs` and `refusal` go. The document was checked before; a key written
// with escapes is not found here and makes the caller repair the answer.
bool find_missing_nulls(const std::string& body, std::vector<Insertion>& out) {
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  const simdjson::padded_string_view padded(body.data(), body.size(), body.capacity());
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return false;
  const auto offset_of = [&](std::string_view raw) {
    return static_cast<std::size_t>(raw.data() - body.data()) + 1;
  };
  simdjson::ondemand::array choices;
  if (document["choices"].get_array().get(choices) != simdjson::SUCCESS) return false;
  for (auto element : choices) {
    simdjson::ondemand::object choice;
    simdjson::ondemand::object message;
    std::string_view raw_choice;
    std::string_view raw_message;
    if (element.get_object().get(choice) != simdjson::SUCCESS ||
        choice.raw_json().get(raw_choice) != simdjson::SUCCESS || choice.reset().error())
      return false;
    if (choice["logprobs"].error()) out.push_back({offset_of(raw_choice), R"("logprobs":null,)"});
    if (choice["message"].get_object().get(message) != simdjson::SUCCESS ||
        message.raw_json().get(raw_message) != simdjson::SUCCESS || message.reset().error())
      return false;
    if (message["refusal"].error()) out.push_back({offset_of(raw_message), R"("refusal":null,)"});
  }
  return true;
}

// The body with what is inserted, and the report before its last brace.
std::string splice(std::string_view body, const std::vector<Insertion>& insertions,
                   const TurnReport& report) {
  const std::size_t end = body.rfind('}');
  std::string out;
  out.reserve(body.size() + insertions.size() * 20 + 128);
  std::size_t written = 0;
  for (const Insertion& insertion : insertions) {
    out += body.substr(written, insertion.offset - written);
    out += insertion.text;
    written = insertion.offset;
  }
  out += body.substr(written, end - written);
  out += R"(,"toolgate":)";
  append_turn_report(out, report);
  out += '}';
  return out;
}

ErrorBody explain_missing_choices(const json::value& document) {
  return broken(fmt::format("the upstream's answer has no choices: {}",
                            mend_utf8(write_json(document).substr(0, 200))));
}

// The value, unless it is an error or no answer at all.
std::expected<json::value, ErrorBody> read_answer(std::string_view body) {
  auto document = parse_loose_json(body);
  if (!document) return std::unexpected(not_json(body));
  mend_strings(document->value);
  if (auto error = find_error_in_answer(document->value)) return std::unexpected(*error);
  const json::value* choices = find(document->value, "choices");
  if (choices == nullptr || !choices->is_array() || choices->get_array().empty())
    return std::unexpected(explain_missing_choices(document->value));
  return std::move(document->value);
}

}  // namespace

AnswerResult normalize_answer(std::string body, StreamOptions options) {
  if (looks_like_events(body)) return assemble_answer(body, std::move(options));
  body.reserve(body.size() + kJsonPadding);
  dom::parser parser;
  dom::element document;
  const bool readable =
      parser.parse(body.data(), body.size(), false).get(document) == simdjson::SUCCESS;
  if (readable && is_complete_answer(document)) {
    std::vector<Insertion> insertions;
    if (find_missing_nulls(body, insertions)) return splice(body, insertions, options.report);
  }
  auto answer = read_answer(body);
  if (!answer) return std::unexpected(answer.error());
  return repair_answer(std::move(answer->get_object()), std::move(options));
}

std::expected<void, ErrorBody> stream_answer(std::string_view body, StreamOptions options,
                                             std::string& out) {
  if (auto answer = read_answer(body); !answer) return std::unexpected(answer.error());
  std::string padded(body);
  padded.reserve(body.size() + kJsonPadding);
  ChatStreamNormalizer normalizer(std::move(options));
  std::string events;
  normalizer.add(padded, events);
  if (normalizer.finish(StreamEnd::Clean, events) == StreamState::Failed)
    return std::unexpected(normalizer.error());
  out += events;
  return {};
}

AnswerResult assemble_answer(std::string_view sse_body, StreamOptions options) {
  options.include_usage = true;
  ChatStreamNormalizer normalizer(std::move(options));
  SseReader upstream;
  std::string events;
  upstream.feed(sse_body);
  for (bool ended = false; !ended;) {
    auto event = upstream.next();
    if (event && !*event) {
      ended = true;
      event = upstream.finish();
    }
    if (!event) return std::unexpected(make_error_body(event.error()));
    if (*event) normalizer.add((*event)->data, events);
  }
  if (normalizer.finish(StreamEnd::Clean, events) == StreamState::Failed)
    return std::unexpected(normalizer.error());
  return join_chunks(events);
}

}  // namespace toolgate
