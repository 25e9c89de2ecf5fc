#include "gateway/snapshot.h"

#include <algorithm>
#include <ranges>

#include "gateway/settings_telemetry.h"
#include "models/open.h"

namespace toolgate {
namespace {

ModelSpec make_spec(const ModelSettings& model, const Limits& limits,
                    const Environment& environment, std::vector<std::string>& warnings) {
  ModelSpec spec{.id = model.id,
                 .provider = model.provider,
                 .base_url = model.base_url,
                 .upstream_model = model.upstream_model,
                 .family = model.family,
                 .encoding = model.encoding,
                 .max_input_tokens = model.max_input_tokens,
                 .max_output_tokens = model.max_output_tokens,
                 .tool_calling = model.tool_calling,
                 .times = {.connect = limits.upstream_connect_seconds,
                           .first_byte = limits.upstream_first_byte_seconds,
                           .idle = limits.upstream_idle_seconds},
                 .answer_bytes = limits.answer_bytes,
                 .stream_event_bytes = limits.stream_event_bytes};
  if (!model.api_key_env.empty()) {
    spec.api_key = environment(model.api_key_env.c_str()).value_or("");
    if (spec.api_key.empty())
      warnings.push_back(
          fmt::format("model '{}': the environment variable {} is not set, so no key is sent",
                      model.id, model.api_key_env));
  }
  return spec;
}

// Anything else could end the header field it is sent in.
bool is_header_value(std::string_view key) {
  return std::ranges::all_of(key, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

const ChatProvider* Snapshot::find_model(std::string_view id) const {
  if (id.empty()) id = settings.default_model;
  if (id.empty() && !models.empty()) return models.front().get();
  for (const auto& model : models)
    if (model->info().id == id) return model.get();
  return nullptr;
}

Error unknown_model(const Snapshot& snapshot, std::string_view id) {
  constexpr std::size_t kNamed = 20;
  std::string names;
  for (const auto& model : snapshot.models | std::views::take(kNamed))
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", model->info().id);
  if (snapshot.models.size() > kNamed)
    names += fmt::format(" and {} more", snapshot.models.size() - kNamed);
  return {Errc::ModelNotFound,
          fmt::format("the model '{}' does not exist here; there are {}", id, names), "model"};
}

Result<std::shared_ptr<const Snapshot>> make_snapshot(Settings settings,
                                                      const Environment& environment) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->settings = std::move(settings);
  for (const ModelSettings& model : snapshot->settings.models) {
    const ModelSpec spec =
        make_spec(model, snapshot->settings.limits, environment, snapshot->settings.warnings);
    if (!is_header_value(spec.api_key))
      return fail(Errc::InvalidSettings,
                  "model '{}': the environment variable {} holds white space or characters that a "
                  "key cannot have",
                  model.id, model.api_key_env);
    auto opened = open_provider(spec);
    if (!opened) return std::unexpected(opened.error());
    snapshot->models.push_back(std::move(*opened));
  }
  snapshot->telemetry =
      make_otlp_target(snapshot->settings.telemetry, environment, snapshot->settings.warnings);
  return snapshot;
}

}  // namespace toolgate
