#include "gateway/settings_models.h"

#include <algorithm>
#include <array>

#include "gateway/settings_keys.h"
#include "net/upstream_address.h"

namespace toolgate {
namespace {

constexpr std::int64_t kMostTokens = 1'000'000'000;
constexpr std::string_view kOpenAiUrl = "https://api.openai.com/v1";

struct ModelMember {
  std::string_view name;
  Result<void> (*read)(const SettingsValue& value, ModelSettings& model);
};

template <auto Member>
Result<void> text(const SettingsValue& value, ModelSettings& model) {
  return keep(read_text(value), model.*Member);
}

template <auto Member>
Result<void> tokens(const SettingsValue& value, ModelSettings& model) {
  return keep(read_integer(value, 1, kMostTokens), model.*Member);
}

Result<void> id(const SettingsValue& value, ModelSettings& model) {
  auto read = read_text(value);
  if (!read) return std::unexpected(std::move(read.error()));
  if (*read == kDemoModel)
    return value.fail("must not be {}, the name of the built-in demo model", in_quotes(*read));
  model.id = std::move(*read);
  return {};
}

Result<void> provider(const SettingsValue& value, ModelSettings& model) {
  auto read = read_text(value);
  if (!read) return std::unexpected(std::move(read.error()));
  if (*read == "anthropic")
    return value.fail(
        "is \"anthropic\", which this version does not speak; use provider \"openai\" with the "
        "baseUrl of an OpenAI-compatible endpoint");
  if (*read != "openai" && *read != "demo")
    return value.fail("must be \"openai\" or \"demo\", not {}", in_quotes(*read));
  model.provider = std::move(*read);
  return {};
}

Result<void> base_url(const SettingsValue& value, ModelSettings& model) {
  auto read = read_text(value);
  if (!read) return std::unexpected(std::move(read.error()));
  auto address = parse_base_url(*read);
  if (!address) return value.fail("{}", address.error().message);
  model.base_url = std::move(address->url);
  return {};
}

Result<void> api_key_env(const SettingsValue& value, ModelSettings& model) {
  const auto* name = value.value().if_string();
  if (!name || !is_variable_name(*name))
    return value.fail("must be the name of an environment variable, not the key itself");
  model.api_key_env = *name;
  return {};
}

Result<void> api_key(const SettingsValue& value, ModelSettings&) {
  return value.fail(
      "must not stand in a file; put the key into an environment variable and its name into "
      "apiKeyEnv");
}

Result<void> encoding(const SettingsValue& value, ModelSettings& model) {
  const auto* name = value.value().if_string();
  if (!name || (*name != "o200k_base" && *name != "cl100k_base"))
    return value.fail("must be \"o200k_base\" or \"cl100k_base\"");
  model.encoding = *name;
  return {};
}

Result<void> tool_calling(const SettingsValue& value, ModelSettings& model) {
  return keep(read_bool(value), model.tool_calling);
}

constexpr std::array kMembers{
    ModelMember{"id", id},
    ModelMember{"provider", provider},
    ModelMember{"baseUrl", base_url},
    ModelMember{"apiKeyEnv", api_key_env},
    ModelMember{"apiKey", api_key},
    ModelMember{"upstreamModel", text<&ModelSettings::upstream_model>},
    ModelMember{"family", text<&ModelSettings::family>},
    ModelMember{"encoding", encoding},
    ModelMember{"maxInputTokens", tokens<&ModelSettings::max_input_tokens>},
    ModelMember{"maxOutputTokens", tokens<&ModelSettings::max_output_tokens>},
    ModelMember{"toolCalling", tool_calling},
};

Result<void> check_whole(const SettingsValue& value, const ModelSettings& model) {
  if (model.id.empty()) return value.fail("needs an \"id\"");
  if (model.provider.empty()) return value.fail("needs a \"provider\": \"openai\" or \"demo\"");
  if (model.provider == "openai" && model.base_url.empty())
    return value.fail("needs a \"baseUrl\", such as \"{}\"", kOpenAiUrl);
  return {};
}

Result<ModelSettings> read_model(const SettingsValue& value, const WarnAt& warn) {
  const auto* object = value.value().if_object();
  if (!object) return value.fail("must be an object with \"id\" and \"provider\"");
  ModelSettings model;
  for (const auto& [key, unused] : *object) {
    const auto member = value.member(key);
    const auto* row = std::ranges::find(kMembers, std::string_view(key), &ModelMember::name);
    if (row == kMembers.end()) {
      warn(member, "is no member of a model and is ignored");
    } else if (auto read = row->read(member, model); !read) {
      return std::unexpected(std::move(read.error()));
    }
  }
  if (auto whole = check_whole(value, model); !whole)
    return std::unexpected(std::move(whole.error()));
  return model;
}

}  // namespace

Result<std::vector<ModelSettings>> read_models(const SettingsValue& list, const WarnAt& warn) {
  const auto* array = list.value().if_array();
  if (!array) return list.fail("must be a list of models");
  std::vector<ModelSettings> models;
  for (std::size_t i = 0; i < array->size(); ++i) {
    auto model = read_model(list.item(i), warn);
    if (!model) return std::unexpected(std::move(model.error()));
    const auto same = std::ranges::find(models, model->id, &ModelSettings::id);
    if (same != models.end())
      return list.item(i).member("id").fail("is {}, as is that of toolgate.models[{}]",
                                            in_quotes(model->id), same - models.begin());
    if (model->provider == "demo" && !model->base_url.empty())
      warn(list.item(i).member("baseUrl"), "has no effect on a demo model");
    models.push_back(std::move(*model));
  }
  return models;
}

Result<std::optional<ModelSettings>> environment_model(const Environment& environment) {
  const auto url = environment("OPENAI_BASE_URL").value_or("");
  const bool has_key = !environment("OPENAI_API_KEY").value_or("").empty();
  if (url.empty() && !has_key) return std::nullopt;

  auto checked = parse_base_url(url.empty() ? kOpenAiUrl : url);
  if (!checked)
    return fail_at("OPENAI_BASE_URL", Errc::InvalidSettings, "OPENAI_BASE_URL {}",
                   checked.error().message);
  const auto name = environment("OPENAI_MODEL").value_or("");
  if (name == kDemoModel)
    return fail_at("OPENAI_MODEL", Errc::InvalidSettings,
                   "OPENAI_MODEL must not be \"{}\", the name of the built-in demo model", name);
  ModelSettings model;
  model.id = name.empty() ? "default" : name;
  model.provider = "openai";
  model.base_url = std::move(checked->url);
  model.api_key_env = has_key ? "OPENAI_API_KEY" : "";
  model.upstream_model = name;
  return model;
}

ModelSettings demo_model() {
  ModelSettings model;
  model.id = kDemoModel;
  model.provider = "demo";
  return model;
}

}  // namespace toolgate
