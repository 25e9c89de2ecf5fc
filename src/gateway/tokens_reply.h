// POST /v1/tokens without HTTP: from the request's text to the reply's. The endpoint uses it, and
// `toolgate tokens --json` prints the same object.
#pragma once

#include <string>
#include <string_view>

#include "gateway/snapshot.h"
#include "tokens/encoding.h"

namespace toolgate {

// {"tokens":…,"encoding":"o200k_base"}
std::string write_token_count(std::size_t tokens, Encoding encoding);

Result<std::string> answer_tokens(std::string_view body, const Snapshot& snapshot);

}  // namespace toolgate
