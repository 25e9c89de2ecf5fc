// Languages, the programs that understand them, and where those are found. Pure but for looking
// whether a program is there.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "builtin/sandbox.h"

namespace toolgate {

class Workspace;

// One entry of toolgate.languageServers.
struct LanguageServerSetting {
  std::string language;
  bool is_on = true;
  std::vector<std::string> command = {};     // empty: the usual one
  std::vector<std::string> extensions = {};  // ".go"; empty: the usual ones
  bool is_sandboxed = true;                  // where there is a sandbox
  bool operator==(const LanguageServerSetting&) const = default;
};

struct LanguageServerLimits {
  std::chrono::milliseconds request_time{60'000};  // toolgate.languageServer.answerSeconds
  std::chrono::milliseconds idle_time{600'000};    // toolgate.languageServer.idleSeconds
};

struct Language {
  std::string name;  // as in the settings: "cpp"
  std::vector<std::string> extensions;
  std::vector<std::string> programs;   // names that it may have, the first that is there
  std::vector<std::string> arguments;  // behind the program
  std::string how_to_install;
  bool is_on = true;
  bool is_sandboxed = true;  // where there is a sandbox
};

// What a call needs to know. Immutable.
struct CodeSettings {
  std::shared_ptr<const Workspace> workspace;
  std::vector<Language> languages;
  LanguageServerLimits limits;
  SandboxSettings sandbox = {};
};

// The known ones as the settings change them, and the settings' own.
std::vector<Language> make_languages(std::span<const LanguageServerSetting> settings);

const Language* find_language(std::span<const Language> languages, std::string_view path);
// What LSP calls the language of a file: "typescriptreact" for a.tsx.
std::string language_id_of(const Language& language, std::string_view path);

// The absolute path of a program in these folders, as in PATH; a name that is an absolute path is
// that. What lies below `untrusted` folders does not count: a workspace brings no programs along.
std::optional<std::string> find_program(std::string_view name, std::string_view search_path,
                                        std::span<const std::string> untrusted);
// The search path without what find_program() does not look at.
std::string trusted_search_path(std::string_view search_path,
                                std::span<const std::string> untrusted);

// The command with the absolute path of its program. The error says how to install it.
Result<std::vector<std::string>> find_command(const Language& language,
                                              std::string_view search_path,
                                              std::span<const std::string> untrusted);

// What initialize carries for this program, if it needs anything.
json::value initialization_options(std::string_view program);

}  // namespace toolgate
