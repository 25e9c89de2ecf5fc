// Whole (not streamed) chat answers, made complete; and the two conversions for upstreams that
// stream when they should not or do not when they should.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "wire/openai_error.h"
#include "wire/openai_stream.h"
#include "wire/turn_report.h"

namespace toolgate {

using AnswerResult = std::expected<std::string, ErrorBody>;

// `body` is what the upstream sent with status 200. A complete answer keeps its bytes and only gets
// the turn report; a damaged one is repaired by the same rules as a stream. `options.include_usage`
// is ignored: whole answers always carry usage.
AnswerResult normalize_answer(std::string body, StreamOptions options);

// A whole answer as stream events, for an upstream that ignores "stream":true.
// Appends everything including [DONE].
std::expected<void, ErrorBody> stream_answer(std::string_view body, StreamOptions options,
                                             std::string& out);

// An SSE body as one whole answer, for an upstream that streams unasked.
AnswerResult assemble_answer(std::string_view sse_body, StreamOptions options);

}  // namespace toolgate
