// Whatever an upstream streams, the client gets canonical chunks and [DONE], or an error. The first
// byte of the input holds flags, each line is one event; a record separator (0x1E) is a line end in
// it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "wire/json_padding.h"
#include "wire/openai_answer.h"
#include "wire/openai_stream.h"
#include "wire/sse.h"

namespace {

using namespace toolgate;

void require(bool holds, std::string_view rule, std::string_view where) {
  if (holds) return;
  std::fprintf(stderr, "broken rule: %.*s\nin: %.*s\n", static_cast<int>(rule.size()), rule.data(),
               static_cast<int>(where.size()), where.data());
  std::abort();
}

bool is_text(const json::object& object, std::string_view key) {
  const json::value* member = object.if_contains(key);
  return member != nullptr && member->is_string() && !member->get_string().empty();
}

struct SeenCall {
  std::string id;
  bool has_arguments = false;
};

struct SeenChoice {
  std::vector<SeenCall> calls;
  bool finished = false;
};

class Client {
 public:
  void take(std::string_view data) {
    require(!done_, "nothing follows [DONE]", data);
    if (data == "[DONE]") {
      done_ = true;
      return;
    }
    const auto chunk = parse_json(data);
    require(chunk && chunk->is_object(), "every event is a JSON object", data);
    const json::object& object = chunk->get_object();
    require(is_text(object, "id") && is_text(object, "model") && is_text(object, "object"),
            "chunks have id, object and model", data);
    require(id_.empty() || id_ == object.at("id").get_string(), "the id stays the same", data);
    id_ = object.at("id").get_string();
    require(object.contains("created") && object.at("created").is_int64(), "created is a number",
            data);
    require(object.contains("choices") && object.at("choices").is_array(), "choices is a list",
            data);
    require(!has_report_, "the report is on the last chunk", data);
    has_report_ = object.contains("toolgate");
    for (const json::value& choice : object.at("choices").get_array()) take_choice(choice, data);
  }

  void end(std::string_view out) const {
    require(done_ && has_report_ && !choices_.empty(), "a whole answer ends properly", out);
    for (const auto& [index, choice] : choices_) {
      require(choice.finished, "every choice has a finish_reason", out);
      for (const SeenCall& call : choice.calls)
        require(call.has_arguments, "every call has arguments", out);
    }
  }

  bool done() const { return done_; }

 private:
  void take_choice(const json::value& value, std::string_view data) {
    const json::object& choice = value.as_object();
    require(choice.contains("index") && choice.at("index").is_int64(), "choices have an index",
            data);
    const json::value* delta = choice.if_contains("delta");
    require(delta != nullptr && delta->is_object(), "choices have a delta", data);
    const std::int64_t index = choice.at("index").get_int64();
    if (!choices_.contains(index))
      require(is_text(delta->get_object(), "role"), "the first delta has a role", data);
    SeenChoice& seen = choices_[index];
    require(!seen.finished, "nothing follows the finish chunk", data);
    if (const json::value* calls = delta->get_object().if_contains("tool_calls"))
      for (const json::value& call : calls->as_array()) take_call(call.as_object(), seen, data);
    require(choice.contains("finish_reason"), "choices have a finish_reason", data);
    seen.finished = !choice.at("finish_reason").is_null();
  }

  static void take_call(const json::object& call, SeenChoice& seen, std::string_view data) {
    require(call.contains("index") && call.at("index").is_int64(), "calls have an index", data);
    const auto number = static_cast<std::size_t>(call.at("index").get_int64());
    require(number <= seen.calls.size(), "calls are numbered without gaps", data);
    const json::value* function = call.if_contains("function");
    const bool named = function != nullptr && function->is_object();
    if (number == seen.calls.size()) {
      require(is_text(call, "id") && is_text(call, "type") && named &&
                  is_text(function->get_object(), "name"),
              "the first delta of a call has id, type and name", data);
      const std::string id(call.at("id").get_string());
      for (const SeenCall& other : seen.calls) require(other.id != id, "ids are unique", data);
      seen.calls.push_back({id, false});
    }
    if (!named || !function->get_object().contains("arguments")) return;
    require(function->at("arguments").is_string(), "arguments are text", data);
    seen.calls[number].has_arguments |= !function->at("arguments").get_string().empty();
  }

  std::map<std::int64_t, SeenChoice> choices_;
  std::string id_;
  bool done_ = false;
  bool has_report_ = false;
};

StreamOptions options_for(std::uint8_t flags) {
  StreamOptions options;
  options.model = "model";
  options.completion_id = "chatcmpl-x";
  options.include_usage = (flags & 1U) != 0;
  return options;
}

void check_output(std::string_view out, StreamState state) {
  Client client;
  SseReader reader(out.size() + 1);
  reader.feed(out);
  for (auto event = reader.next(); event && *event; event = reader.next())
    client.take((*event)->data);
  if (state == StreamState::Done)
    client.end(out);
  else
    require(state == StreamState::Failed && !client.done(), "a stream ends Done or Failed", out);
}

void check_stream(std::string_view input, std::uint8_t flags) {
  ChatStreamNormalizer normalizer(options_for(flags));
  std::string out;
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    std::string event(input.substr(0, end));
    std::ranges::replace(event, '\x1E', '\n');
    event.reserve(event.size() + kJsonPadding);
    normalizer.add(event, out);
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  const StreamState state =
      normalizer.finish((flags & 2U) != 0 ? StreamEnd::Cut : StreamEnd::Clean, out);
  require(normalizer.has_output() == !out.empty(), "has_output tells the truth", out);
  require(state != StreamState::Failed || !normalizer.error().message.empty(), "errors say why",
          out);
  check_output(out, state);
}

void check_whole(std::string_view input) {
  const auto answer = normalize_answer(std::string(input), options_for(0));
  if (answer) require(parse_json(*answer).has_value(), "whole answers are JSON", *answer);
  std::string events;
  if (stream_answer(input, options_for(0), events)) check_output(events, StreamState::Done);
  std::string body;
  for (const char c : input) body += c == '\n' ? "\n\ndata: " : std::string(1, c);
  if (const auto joined = assemble_answer("data: " + body, options_for(0)))
    require(parse_json(*joined).has_value(), "joined answers are JSON", *joined);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_stream(input, data[0]);
  check_whole(input);
  return 0;
}
