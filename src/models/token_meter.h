// Usage for upstreams that give none: the request and the answer counted with the tokens of the
// model's encoding. agent/ and the demo model use it.
#pragma once

#include <memory>

#include "tokens/encoding.h"
#include "wire/openai_chat.h"
#include "wire/token_meter.h"

namespace toolgate {

// `request` must stay until the last count was asked for.
std::unique_ptr<TokenMeter> make_token_meter(const ChatRequest& request, Encoding encoding);

}  // namespace toolgate
