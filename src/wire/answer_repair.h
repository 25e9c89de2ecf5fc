// The slow path of whole answers: repairs one, or joins the chunks of a normalised stream to one.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "wire/openai_stream.h"

namespace toolgate {

// `answer` has a list of choices that is not empty, and valid UTF-8.
std::string repair_answer(json::object answer, StreamOptions options);

// `events` is what a ChatStreamNormalizer with include_usage gave.
std::string join_chunks(std::string_view events);

}  // namespace toolgate
