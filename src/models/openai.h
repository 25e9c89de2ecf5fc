// A model behind an OpenAI-compatible chat-completions endpoint.
#pragma once

#include <memory>
#include <string>

#include "models/provider.h"
#include "net/http_client.h"

namespace toolgate {

struct OpenAiOptions {
  ModelInfo info;
  UpstreamAddress address;
  std::string api_key;         // empty: no Authorization is sent
  std::string upstream_model;  // empty: the client's own name for the model
  UpstreamTimes times;
  std::size_t answer_bytes = std::size_t{64} << 20;
  std::size_t stream_event_bytes = std::size_t{16} << 20;
};

std::unique_ptr<ChatProvider> make_openai_provider(OpenAiOptions options);

}  // namespace toolgate
