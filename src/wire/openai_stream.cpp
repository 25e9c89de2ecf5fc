// Decides for each event whether it passes as it is, is repaired, is an error, or is nothing.
#include "wire/openai_stream.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ids.h"
#include "wire/answer_state.h"
#include "wire/chunk_check.h"
#include "wire/chunk_repair.h"
#include "wire/json_mending.h"
#include "wire/stream_ending.h"
#include "wire/usage.h"

namespace toolgate {
namespace {

constexpr std::size_t kMaxUnreadable = 100;

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

// JSON text is one line once the line ends in it, all between tokens, are spaces.
void append_data(std::string& out, std::string_view json) {
  out += "data: ";
  const std::size_t begin = out.size();
  out += json;
  if (json.find('\n') != std::string_view::npos || json.find('\r') != std::string_view::npos)
    std::replace_if(
        out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
        [](char c) { return c == '\n' || c == '\r'; }, ' ');
  out += "\n\n";
}

}  // namespace

struct ChatStreamNormalizer::Impl {
  AnswerState answer;
  StreamState state = StreamState::Open;
  ErrorBody error;
  std::optional<json::object> prefix;  // a first chunk without choices, until the id is known
  std::size_t unreadable = 0;
  bool last_unreadable = false;
  bool has_output = false;
  bool finished = false;

  void fail_with(ErrorBody body) {
    error = std::move(body);
    state = StreamState::Failed;
  }
  void fail_with(const Error& reason) { fail_with(make_error_body(reason)); }

  void add_event(std::string_view data, std::string& out);
  void add_document(LooseJson document, std::string& out);
  void add_unreadable(std::string_view data, std::string& out);
  void send(json::object& chunk, std::string& out);
  void send_prefix(std::string& out);
  void count_unreadable();
  void update_state();
};

void ChatStreamNormalizer::Impl::send(json::object& chunk, std::string& out) {
  complete_envelope(chunk, answer);
  out += "data: ";
  append_json(out, chunk);
  out += "\n\n";
  has_output = true;
}

void ChatStreamNormalizer::Impl::send_prefix(std::string& out) {
  if (auto chunk = std::exchange(prefix, std::nullopt)) send(*chunk, out);
}

void ChatStreamNormalizer::Impl::count_unreadable() {
  last_unreadable = true;
  if (++unreadable == kMaxUnreadable)
    fail_with(Error{Errc::UpstreamBroken,
                    fmt::format("the upstream sent {} events that are no chunks", unreadable),
                    {}});
}

void ChatStreamNormalizer::Impl::update_state() {
  if (state == StreamState::Failed || state == StreamState::Done) return;
  const bool all = std::ranges::all_of(answer.choices, [](const StreamedChoice& choice) {
    return choice.finish_reason.has_value();
  });
  const std::size_t expected = std::max<std::size_t>(answer.options.choices, 1);
  state = all && answer.choices.size() >= expected ? StreamState::Answered : StreamState::Open;
}

void ChatStreamNormalizer::Impl::add_document(LooseJson document, std::string& out) {
  json::object* chunk = document.value.if_object();
  if (chunk == nullptr) return count_unreadable();
  if (chunk->empty()) return;
  if (auto found = find_error_in_answer(document.value)) return fail_with(*std::move(found));
  const auto use = repair_chunk(*chunk, answer);
  if (!use) return fail_with(use.error());
  if (*use == ChunkUse::Drop) return;
  if (!document.valid) {
    mend_strings(document.value);
    chunk = document.value.if_object();
  }
  const bool without_choices = chunk->at("choices").get_array().empty();
  if (without_choices && answer.id.empty() && !prefix && !has_output) {
    prefix = std::move(*chunk);
    return;
  }
  send_prefix(out);
  send(*chunk, out);
}

// Not JSON as a whole: perhaps several chunks that no blank line separated.
void ChatStreamNormalizer::Impl::add_unreadable(std::string_view data, std::string& out) {
  if (data.find('\n') == std::string_view::npos) return count_unreadable();
  while (!data.empty() && (state == StreamState::Open || state == StreamState::Answered)) {
    const std::size_t end = std::min(data.find('\n'), data.size());
    const std::string_view line = trim(data.substr(0, end));
    data.remove_prefix(std::min(end + 1, data.size()));
    if (line.empty()) continue;
    if (line == "[DONE]") {
      state = StreamState::Done;
    } else if (auto document = parse_loose_json(line)) {
      add_document(*std::move(document), out);
    } else {
      count_unreadable();
    }
  }
}

void ChatStreamNormalizer::Impl::add_event(std::string_view data, std::string& out) {
  const std::string_view text = trim(data);
  if (text.empty()) return;
  if (text == "[DONE]") {
    state = StreamState::Done;
    return;
  }
  if (auto document = parse_loose_json(text))
    add_document(*std::move(document), out);
  else
    add_unreadable(text, out);
}

ChatStreamNormalizer::ChatStreamNormalizer(StreamOptions options)
    : impl_(std::make_unique<Impl>()) {
  if (options.completion_id.empty()) options.completion_id = make_id("chatcmpl-");
  impl_->answer.options = std::move(options);
}

ChatStreamNormalizer::~ChatStreamNormalizer() = default;

StreamState ChatStreamNormalizer::add(std::string_view data, std::string& out) {
  Impl& impl = *impl_;
  if (impl.state == StreamState::Done || impl.state == StreamState::Failed) return impl.state;
  impl.last_unreadable = false;
  if (accept_unchanged(data, impl.answer)) {
    impl.send_prefix(out);
    append_data(out, data);
    impl.has_output = true;
  } else {
    impl.add_event(data, out);
  }
  impl.update_state();
  return impl.state;
}

StreamState ChatStreamNormalizer::finish(StreamEnd end, std::string& out) {
  Impl& impl = *impl_;
  if (impl.state == StreamState::Failed || impl.finished) return impl.state;
  if (end == StreamEnd::Cut && impl.state == StreamState::Open) {
    impl.fail_with(Error{Errc::UpstreamBroken,
                         "the upstream's connection broke before its answer was complete",
                         {}});
    return impl.state;
  }
  if (impl.unreadable > 0)
    add_warning(
        impl.answer.options.report,
        fmt::format("{} events of the upstream were no chunks and were left out", impl.unreadable));
  if (auto complete = check_complete(impl.answer); !complete) {
    impl.fail_with(complete.error());
    return impl.state;
  }
  if (impl.last_unreadable && impl.state == StreamState::Open) {
    impl.fail_with(
        Error{Errc::UpstreamBroken, "the upstream's stream ended in the middle of an event", {}});
    return impl.state;
  }
  impl.send_prefix(out);
  end_answer(impl.answer, out);
  impl.has_output = true;
  impl.finished = true;
  impl.state = StreamState::Done;
  return impl.state;
}

const ErrorBody& ChatStreamNormalizer::error() const {
  return impl_->error;
}

bool ChatStreamNormalizer::lacks_usage() const {
  return impl_->answer.options.include_usage && !impl_->answer.usage;
}

bool ChatStreamNormalizer::has_output() const {
  return impl_->has_output;
}

void append_error_event(std::string& out, const ErrorBody& error) {
  out += "data: ";
  out += write_error_body(error);
  out += "\n\n";
}

}  // namespace toolgate
