// Settings: which files there are, how they are layered, and the one struct that the gateway reads.
// Loaded at start and again on every change (file_watcher.h); a loaded value never changes.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "builtin/command_rules.h"
#include "builtin/languages.h"
#include "builtin/sandbox.h"
#include "builtin/web_settings.h"
#include "hosts/hook_settings.h"
#include "hosts/http_tool_settings.h"
#include "invoke/approval_settings.h"
#include "invoke/redaction.h"
#include "schema/families.h"
#include "toolgate/registry.h"

namespace toolgate {

struct ModelSettings {
  std::string id;
  std::string provider;  // "openai" or "demo"
  std::string base_url;
  std::string api_key_env;     // the variable's name; its value is read when the model is opened
  std::string upstream_model;  // empty: the id
  std::string family;
  std::string encoding;
  std::optional<std::int64_t> max_input_tokens;
  std::optional<std::int64_t> max_output_tokens;
  bool tool_calling = true;
};

// Where spans go; docs/telemetry.md.
struct TelemetrySettings {
  std::string endpoint = {};  // a base URL; empty: as the environment says
  // Names of header fields, and of the environment variables that hold their values.
  std::vector<std::pair<std::string, std::string>> headers_env = {};
  std::string service_name = {};  // empty: as the environment says
  double sample = 1;              // of the traces that begin here
  bool content = false;           // arguments and results of calls, too
};

struct ApiKey {
  std::string name;  // for logs; "key 1" when none was given
  std::string value;
};

// Every member is the setting toolgate.limits.<camelCase of its name>.
struct Limits {
  std::size_t request_header_bytes = 64 << 10;
  std::size_t request_body_bytes = std::size_t{64} << 20;
  std::size_t answer_bytes = std::size_t{64} << 20;        // a whole answer of an upstream
  std::size_t stream_event_bytes = std::size_t{16} << 20;  // one event of an upstream's stream
  std::size_t connections = 10'000;
  std::size_t upstream_idle_connections = 64;  // kept per upstream and core
  std::size_t tools = 128;
  std::size_t argument_bytes = 1 << 20;                    // of one call
  std::size_t result_bytes = 256 << 10;                    // of one part; then it is spilled
  std::size_t result_total_bytes = std::size_t{64} << 20;  // then the call fails
  std::size_t result_parts = 1'000;
  std::chrono::milliseconds tool_seconds{600'000};  // for one call of a tool
  std::size_t turn_calls = 1'000;                   // that one request may make in auto mode
  std::size_t turn_tokens = 10'000'000;             // that its rounds may use
  std::size_t parallel_calls = 16;                  // of one round at a time
  std::chrono::milliseconds turn_seconds{3'600'000};
  std::chrono::milliseconds turn_keep_seconds{86'400'000};  // for a client that has calls to make
  std::chrono::milliseconds header_seconds{30'000};         // for the whole header
  std::chrono::milliseconds body_seconds{30'000};           // without a byte of the body
  std::chrono::milliseconds write_seconds{120'000};         // without a byte taken by the client
  std::chrono::milliseconds keep_alive_seconds{75'000};
  std::chrono::milliseconds stream_keep_alive_seconds{15'000};
  std::chrono::milliseconds shutdown_seconds{30'000};
  std::chrono::milliseconds upstream_connect_seconds{10'000};
  std::chrono::milliseconds upstream_first_byte_seconds{600'000};
  std::chrono::milliseconds upstream_idle_seconds{120'000};
};

// Of the tools that come with the gateway.
struct BuiltinToolSettings {
  bool enabled = true;                     // toolgate.tools.builtin
  std::vector<std::string> extra_folders;  // absolute; tools may touch what is below them too
  WebSettings web;                         // toolgate.web.…
  std::size_t edit_bytes = std::size_t{500} << 20;  // toolgate.edits.keepBytes
  SandboxSettings sandbox;
  std::vector<CommandRule> command_rules;     // chat.tools.terminal.autoApprove, besides our own
  std::vector<CommandRule> command_refusals;  // the same of the workspace, which only refuse
  bool commands_may_be_approved = true;       // chat.tools.terminal.enableAutoApprove
  bool ignore_default_command_rules = false;
  std::vector<LanguageServerSetting> language_servers;  // toolgate.languageServers
  LanguageServerLimits language_server_limits;
};

struct Settings {
  std::vector<ModelSettings> models;  // the demo model is always among them, last
  std::string default_model;          // empty: the first model
  std::vector<ApiKey> api_keys;
  std::vector<std::string> allowed_hosts;
  Families families;
  CatalogSettings catalog;
  ApprovalSettings approvals;
  HookSettings hooks;
  HttpToolSettings http_tools;
  TelemetrySettings telemetry;
  BuiltinToolSettings builtin;
  std::vector<std::string> redact = default_redacted_names();
  std::string store;                           // toolgate.store; empty: in the data folder
  std::int64_t virtual_tools_threshold = 128;  // 0 or less: tools are never grouped
  std::vector<std::string> parallel_tools;     // globs: calls of them may run beside each other
  std::string naming_model;                    // names groups of tools; empty: none does
  // All settings but ours as context keys, `config.<key>`: JSON texts.
  std::map<std::string, std::string> config;
  LogLevel log_level = LogLevel::Info;
  Limits limits;
  std::vector<std::string> warnings;  // ignored keys and the like, one sentence each
};

struct SettingsFiles {
  std::filesystem::path profile;             // ~/.config/toolgate/settings.json
  std::filesystem::path workspace;           // a folder; .vscode/ and .toolgate/ below it are read
  std::vector<std::filesystem::path> extra;  // --settings, must exist
};

using Environment = std::function<std::optional<std::string>(const char* name)>;

// What load_settings() reads, there or not.
std::vector<std::filesystem::path> watched_files(const SettingsFiles& files);

// The profile folder by XDG_CONFIG_HOME or HOME.
std::filesystem::path profile_folder(const Environment& environment);

// Later files win. A key that only the profile or --settings may set is ignored in a workspace
// file, with a warning. The error of a bad file reads "FILE:LINE:COLUMN: reason".
Result<Settings> load_settings(const SettingsFiles& files, const Environment& environment);

}  // namespace toolgate
