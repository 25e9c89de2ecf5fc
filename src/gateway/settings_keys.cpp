#include "gateway/settings_keys.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/ascii.h"
#include "base/nearest.h"
#include "gateway/access.h"
#include "gateway/settings_approvals.h"
#include "gateway/settings_builtin.h"
#include "gateway/settings_families.h"
#include "gateway/settings_models.h"
#include "gateway/settings_telemetry.h"
#include "net/upstream_address.h"

namespace toolgate {
namespace {

// simdjson reads documents below 4 GiB.
constexpr std::int64_t kMostOfSize = 4'000'000'000;

Result<void> models(const SettingsValue& value, SettingsDraft& draft) {
  const auto warn = [&](const SettingsValue& at, std::string_view why) { draft.warn(at, why); };
  return keep(read_models(value, warn), draft.settings.models);
}

Result<void> families(const SettingsValue& value, SettingsDraft& draft) {
  const auto warn = [&](const SettingsValue& at, std::string_view why) { draft.warn(at, why); };
  auto rules = read_families(value, warn);
  if (!rules) return std::unexpected(std::move(rules.error()));
  draft.settings.families = Families(std::move(*rules));
  return {};
}

Result<void> default_model(const SettingsValue& value, SettingsDraft& draft) {
  auto id = read_text(value);
  if (!id) return std::unexpected(std::move(id.error()));
  draft.default_models.push_back({value, std::move(*id), draft.in_workspace});
  return {};
}

// A key travels in a header: visible ASCII.
Result<void> check_key(const SettingsValue& value, std::string_view key) {
  const bool visible = std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7f; });
  if (key.empty() || !visible)
    return value.fail("must be a key of visible ASCII characters without spaces");
  return {};
}

Result<std::string> read_key(const SettingsValue& value) {
  const auto* key = value.value().if_string();
  if (!key) return value.fail("must be a string");
  if (auto checked = check_key(value, *key); !checked) return std::unexpected(checked.error());
  return std::string(*key);
}

// A variable that is not set is an error: without its keys the gateway would stand open.
Result<std::string> read_key_of_variable(const SettingsValue& value,
                                         const Environment& environment) {
  const auto* name = value.value().if_string();
  if (!name || !is_variable_name(*name))
    return value.fail("must be the name of an environment variable");
  auto key = environment(name->c_str());
  if (!key || key->empty()) return value.fail("names the variable {}, which is not set", *name);
  if (auto checked = check_key(value, *key); !checked)
    return value.fail("names the variable {}, whose value is no key of visible ASCII characters",
                      *name);
  return std::move(*key);
}

Result<ApiKey> read_named_key(const SettingsValue& value, ApiKey result, SettingsDraft& draft) {
  const auto key = value.find_member("key");
  const auto variable = value.find_member("keyEnv");
  if (key.has_value() == variable.has_value())
    return value.fail("needs either \"key\" or \"keyEnv\"");
  if (const auto name = value.find_member("name")) {
    if (auto kept = keep(read_text(*name), result.name); !kept)
      return std::unexpected(std::move(kept.error()));
    constexpr std::array<std::string_view, 9> kTaken{
        kOperatorName, "caller", "client", "hook", "rule", "timeout", "gateway", "tool", "local"};
    if (std::ranges::find(kTaken, result.name) != kTaken.end())
      return name->fail("is what the audit trail calls something else; choose another");
  }
  auto read = key ? read_key(*key) : read_key_of_variable(*variable, draft.environment);
  if (auto kept = keep(std::move(read), result.value); !kept)
    return std::unexpected(std::move(kept.error()));
  for (const auto& [member, unused] : value.value().get_object())
    if (member != "name" && member != "key" && member != "keyEnv")
      draft.warn(value.member(member), "is no member of a key and is ignored");
  return result;
}

Result<ApiKey> read_api_key(const SettingsValue& value, std::size_t number, SettingsDraft& draft) {
  ApiKey result{fmt::format("key {}", number), {}};
  if (value.value().is_object()) return read_named_key(value, std::move(result), draft);
  if (!value.value().is_string())
    return value.fail("must be a string, {{\"name\", \"key\"}} or {{\"name\", \"keyEnv\"}}");
  if (auto kept = keep(read_key(value), result.value); !kept)
    return std::unexpected(std::move(kept.error()));
  return result;
}

Result<void> api_keys(const SettingsValue& value, SettingsDraft& draft) {
  const auto* list = value.value().if_array();
  if (!list) return value.fail("must be a list of keys");
  std::vector<ApiKey> keys;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto key = read_api_key(value.item(i), i + 1, draft);
    if (!key) return std::unexpected(std::move(key.error()));
    keys.push_back(std::move(*key));
  }
  draft.settings.api_keys = std::move(keys);
  return {};
}

// An IPv6 address is kept without brackets, as the check of requests compares it.
Result<std::string> read_host(const SettingsValue& value) {
  auto host = read_text(value);
  if (!host) return host;
  if (!is_host_name(*host) && !is_host_name("[" + *host + "]"))
    return value.fail("must be a host name or address without scheme, port or wildcard");
  if (host->starts_with('[')) *host = host->substr(1, host->size() - 2);
  std::ranges::transform(*host, host->begin(), ascii_lower);
  return host;
}

Result<void> allowed_hosts(const SettingsValue& value, SettingsDraft& draft) {
  const auto* list = value.value().if_array();
  if (!list) return value.fail("must be a list of host names");
  std::vector<std::string> hosts;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto host = read_host(value.item(i));
    if (!host) return std::unexpected(std::move(host.error()));
    hosts.push_back(std::move(*host));
  }
  draft.settings.allowed_hosts = std::move(hosts);
  return {};
}

Result<void> log_level(const SettingsValue& value, SettingsDraft& draft) {
  constexpr std::array<std::string_view, 5> kNames{"debug", "info", "warn", "error", "off"};
  const auto* name = value.value().if_string();
  const auto* found = name ? std::ranges::find(kNames, std::string_view(*name)) : kNames.end();
  if (found == kNames.end()) return value.fail("must be one of {}", fmt::join(kNames, ", "));
  draft.settings.log_level = static_cast<LogLevel>(found - kNames.begin());
  return {};
}

Result<std::vector<std::string>> read_rules(const SettingsValue& value) {
  constexpr std::size_t kMost = 1000;
  auto rules = read_texts(value, "must be a list of names and patterns of tools");
  if (rules && rules->size() > kMost)
    return value.fail("has {} rules, at most {} are allowed", rules->size(), kMost);
  return rules;
}

Result<void> allowed_tools(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_rules(value), draft.settings.catalog.allow);
}

// A workspace adds to what is denied: it must not take away what the profile says.
Result<void> denied_tools(const SettingsValue& value, SettingsDraft& draft) {
  auto rules = read_rules(value);
  if (!rules) return std::unexpected(std::move(rules.error()));
  auto& deny = draft.settings.catalog.deny;
  if (!draft.in_workspace) deny.clear();
  deny.insert(deny.end(), rules->begin(), rules->end());
  return {};
}

Result<void> parallel_tools(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_rules(value), draft.settings.parallel_tools);
}

// A workspace may switch off, not on.
template <auto Member>
Result<void> catalog_switch(const SettingsValue& value, SettingsDraft& draft) {
  const auto on = read_bool(value);
  if (!on) return std::unexpected(on.error());
  bool& target = draft.settings.catalog.*Member;
  if (draft.in_workspace && *on && !target)
    draft.warn(value, "is ignored: a workspace may switch it off, not on");
  else
    target = *on;
  return {};
}

Result<void> virtual_tools_threshold(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_integer(value, -1'000'000, 1'000'000), draft.settings.virtual_tools_threshold);
}

// The empty text takes back what an earlier file said.
Result<void> naming_model(const SettingsValue& value, SettingsDraft& draft) {
  const auto* id = value.value().if_string();
  if (!id) return value.fail("must be the id of a model, or empty");
  draft.naming_model.reset();
  if (!id->empty()) draft.naming_model = {value, std::string(*id), draft.in_workspace};
  return {};
}

Result<void> store(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_text(value), draft.settings.store);
}

template <auto Member, std::int64_t Least = 1>
Result<void> size_limit(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_integer(value, Least, kMostOfSize), draft.settings.limits.*Member);
}

template <auto Member>
Result<void> time_limit(const SettingsValue& value, SettingsDraft& draft) {
  const auto seconds = read_seconds(value);
  if (!seconds) return std::unexpected(seconds.error());
  draft.settings.limits.*Member =
      std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(*seconds * 1000)));
  return {};
}

using enum SetBy;
// clang-format off
constexpr std::array kKeys{
    SettingsKey{"toolgate.models", "list of models", ProfileOnly, models},
    SettingsKey{"toolgate.defaultModel", "string", AnyFile, default_model},
    SettingsKey{"toolgate.apiKeys", "list of keys", ProfileOnly, api_keys},
    SettingsKey{"toolgate.allowedHosts", "list of strings", ProfileOnly, allowed_hosts},
    SettingsKey{"toolgate.families", "list of families", ProfileOnly, families},
    SettingsKey{"toolgate.logLevel", "string", ProfileOnly, log_level},
    SettingsKey{"toolgate.limits.requestHeaderBytes", "integer", ProfileOnly, size_limit<&Limits::request_header_bytes>},
    SettingsKey{"toolgate.limits.requestBodyBytes", "integer", ProfileOnly, size_limit<&Limits::request_body_bytes>},
    SettingsKey{"toolgate.limits.answerBytes", "integer", ProfileOnly, size_limit<&Limits::answer_bytes>},
    SettingsKey{"toolgate.limits.streamEventBytes", "integer", ProfileOnly, size_limit<&Limits::stream_event_bytes>},
    SettingsKey{"toolgate.limits.connections", "integer", ProfileOnly, size_limit<&Limits::connections>},
    SettingsKey{"toolgate.limits.upstreamIdleConnections", "integer", ProfileOnly, size_limit<&Limits::upstream_idle_connections, 0>},
    SettingsKey{"toolgate.limits.tools", "integer", ProfileOnly, size_limit<&Limits::tools, 0>},
    SettingsKey{"toolgate.limits.headerSeconds", "number", ProfileOnly, time_limit<&Limits::header_seconds>},
    SettingsKey{"toolgate.limits.bodySeconds", "number", ProfileOnly, time_limit<&Limits::body_seconds>},
    SettingsKey{"toolgate.limits.writeSeconds", "number", ProfileOnly, time_limit<&Limits::write_seconds>},
    SettingsKey{"toolgate.limits.keepAliveSeconds", "number", ProfileOnly, time_limit<&Limits::keep_alive_seconds>},
    SettingsKey{"toolgate.limits.streamKeepAliveSeconds", "number", ProfileOnly, time_limit<&Limits::stream_keep_alive_seconds>},
    SettingsKey{"toolgate.limits.shutdownSeconds", "number", ProfileOnly, time_limit<&Limits::shutdown_seconds>},
    SettingsKey{"toolgate.limits.upstreamConnectSeconds", "number", ProfileOnly, time_limit<&Limits::upstream_connect_seconds>},
    SettingsKey{"toolgate.limits.upstreamFirstByteSeconds", "number", ProfileOnly, time_limit<&Limits::upstream_first_byte_seconds>},
    SettingsKey{"toolgate.limits.upstreamIdleSeconds", "number", ProfileOnly, time_limit<&Limits::upstream_idle_seconds>},
    SettingsKey{"toolgate.limits.argumentBytes", "integer", ProfileOnly, size_limit<&Limits::argument_bytes>},
    SettingsKey{"toolgate.limits.resultBytes", "integer", ProfileOnly, size_limit<&Limits::result_bytes>},
    SettingsKey{"toolgate.limits.resultTotalBytes", "integer", ProfileOnly, size_limit<&Limits::result_total_bytes>},
    SettingsKey{"toolgate.limits.resultParts", "integer", ProfileOnly, size_limit<&Limits::result_parts>},
    SettingsKey{"toolgate.limits.toolSeconds", "number", ProfileOnly, time_limit<&Limits::tool_seconds>},
    SettingsKey{"toolgate.limits.turnCalls", "integer", ProfileOnly, size_limit<&Limits::turn_calls>},
    SettingsKey{"toolgate.limits.turnTokens", "integer", ProfileOnly, size_limit<&Limits::turn_tokens>},
    SettingsKey{"toolgate.limits.parallelCalls", "integer", ProfileOnly, size_limit<&Limits::parallel_calls>},
    SettingsKey{"toolgate.limits.turnSeconds", "number", ProfileOnly, time_limit<&Limits::turn_seconds>},
    SettingsKey{"toolgate.limits.turnKeepSeconds", "number", ProfileOnly, time_limit<&Limits::turn_keep_seconds>},
    SettingsKey{"toolgate.tools.parallel", "list of strings", ProfileOnly, parallel_tools},
    SettingsKey{"toolgate.confirmation.timeoutSeconds", "number", ProfileOnly, confirmation_time},
    SettingsKey{"toolgate.approvals.rules", "list of rules", AnyFile, approval_rules},
    SettingsKey{"toolgate.hooks.before", "list of hooks", ProfileOnly, hooks_before},
    SettingsKey{"toolgate.hooks.after", "list of hooks", ProfileOnly, hooks_after},
    SettingsKey{"toolgate.httpTools.allowedHosts", "list of strings", ProfileOnly, http_tool_hosts},
    SettingsKey{"toolgate.redact", "list of strings", AnyFile, redacted_names},
    SettingsKey{"toolgate.tools.allow", "list of strings", ProfileOnly, allowed_tools},
    SettingsKey{"toolgate.tools.deny", "list of strings", AnyFile, denied_tools},
    SettingsKey{"toolgate.tools.builtin", "boolean", ProfileOnly, builtin_tools_switch},
    SettingsKey{"toolgate.edits.keepBytes", "integer", ProfileOnly, kept_edit_bytes},
    SettingsKey{"toolgate.workspace.extraFolders", "list of strings", ProfileOnly, extra_folders},
    SettingsKey{"toolgate.web.allowedPrivateHosts", "list of strings", ProfileOnly, web_private_hosts},
    SettingsKey{"toolgate.web.pageBytes", "integer", ProfileOnly, web_page_bytes},
    SettingsKey{"toolgate.web.pageSeconds", "number", ProfileOnly, web_page_seconds},
    SettingsKey{"toolgate.sandbox.enabled", "boolean", ProfileOnly, sandbox_switch},
    SettingsKey{"toolgate.sandbox.network", "boolean", ProfileOnly, sandbox_network},
    SettingsKey{"toolgate.sandbox.writable", "list of strings", ProfileOnly, sandbox_writable},
    SettingsKey{"toolgate.sandbox.hidden", "list of strings", ProfileOnly, sandbox_hidden},
    SettingsKey{"toolgate.sandbox.memoryBytes", "integer", ProfileOnly, sandbox_memory},
    SettingsKey{"toolgate.sandbox.processes", "integer", ProfileOnly, sandbox_processes},
    SettingsKey{"toolgate.languageServers", "object", ProfileOnly, language_servers},
    SettingsKey{"toolgate.languageServer.answerSeconds", "number", ProfileOnly, language_server_time},
    SettingsKey{"toolgate.languageServer.idleSeconds", "number", ProfileOnly, language_server_idle_time},
    SettingsKey{"toolgate.virtualTools.namingModel", "string", ProfileOnly, naming_model},
    SettingsKey{"toolgate.telemetry.endpoint", "string", ProfileOnly, telemetry_endpoint},
    SettingsKey{"toolgate.telemetry.headersEnv", "object", ProfileOnly, telemetry_headers},
    SettingsKey{"toolgate.telemetry.serviceName", "string", ProfileOnly, telemetry_service_name},
    SettingsKey{"toolgate.telemetry.sample", "number", ProfileOnly, telemetry_sample},
    SettingsKey{"toolgate.telemetry.content", "boolean", ProfileOnly, telemetry_content},
    SettingsKey{"toolgate.store", "string", ProfileOnly, store},
    SettingsKey{"chat.tools.global.autoApprove", "boolean or object", ProfileOnly, global_auto_approve},
    SettingsKey{"chat.tools.global.autoApprove.optIn", "boolean", ProfileOnly, global_opt_in},
    SettingsKey{"chat.tools.eligibleForAutoApproval", "object", AnyFile, eligible_tools},
    SettingsKey{"chat.tools.urls.autoApprove", "object", AnyFile, url_rules},
    SettingsKey{"chat.tools.edits.autoApprove", "object", AnyFile, edit_rules},
    SettingsKey{"chat.tools.terminal.autoApprove", "object", AnyFile, command_rules},
    SettingsKey{"chat.tools.terminal.enableAutoApprove", "boolean", AnyFile, command_rules_switch},
    SettingsKey{"chat.tools.terminal.ignoreDefaultAutoApproveRules", "boolean", ProfileOnly, default_command_rules_switch},
    SettingsKey{"chat.permissions.default", "string", ProfileOnly, permission_level},
    SettingsKey{"chat.agent.enabled", "boolean", AnyFile, catalog_switch<&CatalogSettings::agent_enabled>},
    SettingsKey{"chat.extensionTools.enabled", "boolean", AnyFile, catalog_switch<&CatalogSettings::extension_tools_enabled>},
    SettingsKey{"github.copilot.chat.virtualTools.threshold", "integer", AnyFile, virtual_tools_threshold},
};
// clang-format on

}  // namespace

void SettingsDraft::warn(const SettingsValue& value, std::string_view reason) {
  if (!may_warn()) return;
  if (++warnings_of_file < kMostWarningsOfFile) {
    settings.warnings.push_back(
        fmt::format("{}: {} {}", value.key_position(), in_quotes(value.name()), reason));
  } else {
    settings.warnings.push_back(
        fmt::format("{}: there is more, not listed here", value.file().path.string()));
  }
}

std::span<const SettingsKey> settings_keys() {
  return kKeys;
}

const SettingsKey* find_settings_key(std::string_view name) {
  const auto* key = std::ranges::find(kKeys, name, &SettingsKey::name);
  return key == kKeys.end() ? nullptr : key;
}

bool is_settings_group(std::string_view name) {
  return std::ranges::any_of(kKeys, [&](const SettingsKey& key) {
    return key.name.starts_with(name) && key.name.substr(name.size()).starts_with('.');
  });
}

std::string_view nearest_settings_key(std::string_view name) {
  Nearest nearest(name, Nearest::kAnyDistance);
  for (const auto& key : kKeys) {
    nearest.consider(key.name);
    const auto group = key.name.substr(0, key.name.rfind('.'));
    if (group != "toolgate") nearest.consider(group);
  }
  return nearest.result();
}

}  // namespace toolgate
