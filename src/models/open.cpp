#include "models/open.h"

#include "models/demo.h"
#include "models/openai.h"

namespace toolgate {
namespace {

Result<std::unique_ptr<ChatProvider>> open_openai(const ModelSpec& spec) {
  auto address = parse_base_url(spec.base_url);
  if (!address) return std::unexpected(address.error());
  // A model's own name mostly begins with its family's.
  const std::string& upstream_name = spec.upstream_model.empty() ? spec.id : spec.upstream_model;
  const std::string& family = spec.family.empty() ? upstream_name : spec.family;
  OpenAiOptions options;
  options.info = {.id = spec.id,
                  .owned_by = address->host,
                  .family = family,
                  .encoding = encoding_for(spec.encoding, spec.family, upstream_name),
                  .max_input_tokens = spec.max_input_tokens,
                  .max_output_tokens = spec.max_output_tokens,
                  .tool_calling = spec.tool_calling,
                  .provider = spec.provider,
                  .server_address = address->host,
                  .server_port = std::stoi(address->port)};
  options.address = std::move(*address);
  options.api_key = spec.api_key;
  options.upstream_model = spec.upstream_model;
  options.times = spec.times;
  options.answer_bytes = spec.answer_bytes;
  options.stream_event_bytes = spec.stream_event_bytes;
  return make_openai_provider(std::move(options));
}

}  // namespace

Result<std::unique_ptr<ChatProvider>> open_provider(const ModelSpec& spec) {
  if (spec.provider == "openai") return open_openai(spec);
  if (spec.provider == "demo") return make_demo_provider(spec.id);
  return fail(Errc::InvalidSettings, "the provider '{}' is not known", spec.provider);
}

}  // namespace toolgate
