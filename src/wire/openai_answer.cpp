// A complete answer is checked with simdjson and keeps its bytes; anything else goes through
// answer_repair. The two conversions run the stream normaliser.
#include "wire/openai_answer.h"

#include <vector>

#include <simdjson.h>

#include "base/utf8.h"
#include "wire/answer_check.h"
#include "wire/answer_repair.h"
#include "wire/json_mending.h"
#include "wire/json_padding.h"
#include "wire/sse.h"

namespace toolgate {
namespace {

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
std::string splice(std::string body, const std::vector<Insertion>& insertions,
                   const TurnReport& report) {
  body.resize(body.rfind('}'));
  for (auto insertion = insertions.rbegin(); insertion != insertions.rend(); ++insertion)
    body.insert(insertion->offset, insertion->text);
  body += R"(,"toolgate":)";
  append_turn_report(body, report);
  body += '}';
  return body;
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
  const AnswerCheck check = check_answer(body, options.facts);
  std::vector<Insertion> insertions;
  if (check == AnswerCheck::Complete ||
      (check == AnswerCheck::LacksNulls && find_missing_nulls(body, insertions)))
    return splice(std::move(body), insertions, options.report);
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
