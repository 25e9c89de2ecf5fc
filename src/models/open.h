// The list of provider kinds. A new kind is one file here and one line in open.cpp.
#pragma once

#include <memory>

#include "models/provider.h"
#include "net/http_client.h"

namespace toolgate {

struct ModelSpec {
  std::string id;
  std::string provider;
  std::string base_url;
  std::string api_key;
  std::string upstream_model;
  std::string family;
  std::string encoding;
  std::optional<std::int64_t> max_input_tokens;
  std::optional<std::int64_t> max_output_tokens;
  bool tool_calling = true;
  UpstreamTimes times;
  std::size_t answer_bytes = std::size_t{64} << 20;
  std::size_t stream_event_bytes = std::size_t{16} << 20;
};

Result<std::unique_ptr<ChatProvider>> open_provider(const ModelSpec& spec);

}  // namespace toolgate
