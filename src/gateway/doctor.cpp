#include "gateway/doctor.h"

#include <algorithm>
#include <map>
#include <unistd.h>

#include "base/json.h"
#include "builtin/languages.h"
#include "builtin/sandbox.h"
#include "gateway/operator_token.h"
#include "gateway/settings_file.h"
#include "gateway/settings_models.h"
#include "gateway/snapshot.h"
#include "tools/tool_record.h"
#include "tools/toolset_file.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostExtensionsNamed = 10;

std::string number_of(std::size_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

class Doctor {
 public:
  explicit Doctor(const Installation& installation) : installation_(installation) {}

  std::vector<DoctorCheck> examine() {
    check_settings();
    check_models();
    check_data_folder();
    check_extensions();
    check_tool_sets();
    check_tools();
    check_mcp();
    check_sandbox();
    check_language_servers();
    return std::move(checks_);
  }

 private:
  void check_settings();
  void check_models();
  void check_model(const ModelSettings& model);
  void check_data_folder();
  void check_extensions();
  void check_tool_sets();
  void check_tools();
  void check_mcp();
  void check_sandbox();
  void check_language_servers();

  // The problems of one area.
  template <class Belongs>
  void take_problems(std::span<const CatalogProblem> problems, CheckStatus status,
                     Belongs&& belongs) {
    for (const CatalogProblem& problem : problems)
      if (belongs(problem.subject)) note(status, problem.message, problem.advice);
  }
  void note(CheckStatus status, std::string message, std::string advice = {}) {
    checks_.push_back({area_, status, std::move(message), std::move(advice)});
  }

  bool has_unreadable_condition(std::string_view id) const {
    const CatalogTool* tool = catalog().find_tool(id);
    return tool != nullptr && tool->record->when_fault().has_value();
  }
  const Catalog& catalog() const { return *installation_.catalog; }

  const Installation& installation_;
  std::string area_;
  std::vector<DoctorCheck> checks_;
};

bool is_tool_set_file(std::string_view subject) {
  return subject.ends_with(kToolSetFileSuffix);
}

bool is_setting(std::string_view subject) {
  return subject.starts_with("toolgate.");
}

// Every file is looked at, although load_settings() ends at the first bad one.
void Doctor::check_settings() {
  area_ = "settings";
  std::vector<std::string> refused;
  bool any = false;
  for (const auto& path : watched_files(installation_.settings_files)) {
    const auto file = read_settings_file(path);
    if (!file)
      refused.push_back(file.error().message);
    else if (*file)
      note(CheckStatus::Ok, path.string());
    any = any || !file || *file;
  }
  if (!installation_.settings) {
    const std::string& reason = installation_.settings.error().message;
    if (std::ranges::find(refused, reason) == refused.end()) refused.push_back(reason);
  }
  for (std::string& reason : refused)
    note(CheckStatus::Error, std::move(reason),
         "mend the file: the gateway does not start with it");
  if (!any)
    note(CheckStatus::Ok, "there are no settings files, so the defaults are used",
         fmt::format("put yours into {}", installation_.settings_files.profile.string()));
  if (installation_.settings)
    for (const std::string& warning : installation_.settings->warnings)
      note(CheckStatus::Warning, warning);
  take_problems(catalog().problems, CheckStatus::Warning, is_setting);
}

void Doctor::check_model(const ModelSettings& model) {
  const std::string name =
      fmt::format("{} ({}{})", model.id, model.provider,
                  model.upstream_model.empty() || model.upstream_model == model.id
                      ? ""
                      : ", there called " + model.upstream_model);
  if (model.api_key_env.empty()) {
    note(CheckStatus::Ok, name + ": no key is sent");
  } else if (installation_.environment(model.api_key_env.c_str()).value_or("").empty()) {
    note(CheckStatus::Warning,
         fmt::format("{}: the environment variable {} is not set here, so no key is sent", name,
                     model.api_key_env),
         fmt::format("export {}=… before the gateway is started", model.api_key_env));
  } else {
    note(CheckStatus::Ok, fmt::format("{}: the key is in {}", name, model.api_key_env));
  }
}

void Doctor::check_models() {
  area_ = "models";
  if (!installation_.settings) {
    note(CheckStatus::Warning, "not looked at, because the settings cannot be read");
    return;
  }
  const Settings& settings = *installation_.settings;
  if (const auto opened = make_snapshot(settings, installation_.environment); !opened)
    note(CheckStatus::Error, opened.error().message, "the gateway does not start with it");
  for (const ModelSettings& model : settings.models)
    if (model.id != kDemoModel) check_model(model);
  const bool only_demo = settings.models.size() == 1;
  note(CheckStatus::Ok, fmt::format("{}: the demo model, always there", kDemoModel),
       only_demo ? "for a real model set toolgate.models, or OPENAI_API_KEY" : "");
}

void Doctor::check_data_folder() {
  area_ = "data";
  const std::filesystem::path& folder = installation_.data;
  if (folder.empty()) {
    note(CheckStatus::Error, "HOME is not set, so there is no data folder",
         "say with --data where it is");
    return;
  }
  std::error_code error;
  std::filesystem::path nearest = std::filesystem::absolute(folder, error);
  while (!std::filesystem::exists(nearest, error) && nearest.has_relative_path())
    nearest = nearest.parent_path();
  const bool is_there = std::filesystem::exists(folder, error);
  if (!std::filesystem::is_directory(nearest, error)) {
    note(CheckStatus::Error,
         fmt::format("{} cannot be the data folder: {} is no folder", folder.string(),
                     nearest.string()),
         "choose another with --data");
  } else if (access(nearest.c_str(), W_OK | X_OK) != 0) {
    note(CheckStatus::Error,
         fmt::format("{} cannot be written{}", folder.string(),
                     is_there ? "" : ", and so cannot be made"),
         fmt::format("give yourself the right to write {}, or choose another with --data",
                     nearest.string()));
  } else if (!is_there) {
    note(CheckStatus::Ok, fmt::format("{} is made when the gateway starts", folder.string()));
  } else if (!std::filesystem::exists(folder / "operator-token", error)) {
    note(CheckStatus::Ok, folder.string());
  } else if (const auto token = open_operator_token(folder); !token) {
    note(CheckStatus::Error, token.error().message, "the gateway does not start with it");
  } else {
    note(CheckStatus::Ok, fmt::format("{}, with an operator token", folder.string()));
  }
}

void Doctor::check_extensions() {
  area_ = "extensions";
  struct Facts {
    std::string label;
    std::size_t tools = 0;
  };
  std::map<std::string, Facts> extensions;
  std::size_t tools = 0;
  for (const CatalogTool& tool : catalog().tools) {
    const ToolSource& source = tool.data().source;
    if (source.kind != ToolSource::Kind::Extension) continue;
    Facts& facts = extensions[source.id];
    facts.label = source.label;
    ++facts.tools;
    ++tools;
  }
  if (extensions.size() > kMostExtensionsNamed)
    note(CheckStatus::Ok, fmt::format("{} with {}", number_of(extensions.size(), "extension"),
                                      number_of(tools, "tool")));
  else
    for (const auto& [id, facts] : extensions)
      note(CheckStatus::Ok, fmt::format("{} ({}): {}", facts.label.empty() ? id : facts.label, id,
                                        number_of(facts.tools, "tool")));
  take_problems(installation_.file_problems, CheckStatus::Error,
                [](std::string_view subject) { return !is_tool_set_file(subject); });
  if (checks_.back().area != area_)
    note(CheckStatus::Ok, "there are none",
         fmt::format("unpack VS Code extensions to {}, or name folders with --extension",
                     (installation_.settings_files.profile.parent_path() / "extensions").string()));
}

void Doctor::check_tool_sets() {
  area_ = "tool sets";
  std::map<std::string, std::size_t> files;
  for (const CatalogSet& set : catalog().sets)
    if (set.data->source.kind == ToolSource::Kind::User) ++files[set.data->source.id];
  for (const auto& [file, sets] : files)
    note(CheckStatus::Ok, fmt::format("{}: {}", file, number_of(sets, "tool set")));
  take_problems(installation_.file_problems, CheckStatus::Error, is_tool_set_file);
  take_problems(catalog().problems, CheckStatus::Warning, [&](const std::string& subject) {
    return !is_setting(subject) && !has_unreadable_condition(subject);
  });
}

void Doctor::check_tools() {
  area_ = "tools";
  std::size_t tools = 0;
  std::size_t enabled = 0;
  std::size_t usable = 0;
  std::vector<DoctorCheck> faults;
  for (const CatalogTool& tool : catalog().tools) {
    if (tool.data().is_private) continue;
    ++tools;
    enabled += tool.enabled() ? 1 : 0;
    const auto& fault = tool.record->shaped(0).fault;
    usable += tool.enabled() && !fault ? 1 : 0;
    if (!fault) continue;
    faults.push_back(
        {area_, tool.enabled() ? CheckStatus::Error : CheckStatus::Warning,
         fmt::format("no model can be offered the tool '{}': {}", tool.data().id, fault->reason),
         fault->advice});
  }
  note(CheckStatus::Ok, fmt::format("{}: {} enabled, {} disabled, {} can be offered to models",
                                    number_of(tools, "tool"), enabled, tools - enabled, usable));
  std::ranges::move(faults, std::back_inserter(checks_));
  take_problems(catalog().problems, CheckStatus::Error,
                [&](const std::string& subject) { return has_unreadable_condition(subject); });
}

void Doctor::check_mcp() {
  area_ = "mcp";
  std::vector<std::filesystem::path> files = installation_.mcp_files;
  files.push_back(installation_.settings_files.profile.parent_path() / "mcp.json");
  files.push_back(installation_.settings_files.workspace / ".vscode" / "mcp.json");
  std::error_code error;
  for (const auto& file : files)
    if (std::filesystem::exists(file, error))
      note(CheckStatus::Warning,
           fmt::format("{} is not read: this version has no MCP servers yet", file.string()));
}

void Doctor::check_sandbox() {
  area_ = "sandbox";
  const Settings settings = installation_.settings.value_or(Settings{});
  if (!settings.builtin.enabled) return;
  if (!settings.builtin.sandbox.enabled)
    return note(CheckStatus::Warning,
                "Commands and language servers run without a sandbox, and each command is asked "
                "about",
                "Set toolgate.sandbox.enabled to true");
  if (const std::string& fault = sandbox_fault(); !fault.empty())
    return note(CheckStatus::Warning,
                "Commands and language servers cannot be sandboxed, and each command is asked "
                "about: " +
                    fault,
                "Until then, look closely at what you allow, and turn language servers off where "
                "you do not trust the code (toolgate.languageServers)");
  note(CheckStatus::Ok, settings.builtin.sandbox.network
                            ? "Commands and language servers run in a sandbox with the network"
                            : "Commands and language servers run in a sandbox without the network");
}

// One that is missing is no fault: not everybody writes in every language.
void Doctor::check_language_servers() {
  area_ = "language servers";
  const Settings settings = installation_.settings.value_or(Settings{});
  if (!settings.builtin.enabled) return;
  const std::string search_path = installation_.environment("PATH").value_or("");
  std::vector<std::string> untrusted = settings.builtin.extra_folders;
  if (!installation_.settings_files.workspace.empty())
    untrusted.push_back(std::filesystem::absolute(installation_.settings_files.workspace).string());
  for (const Language& language : make_languages(settings.builtin.language_servers)) {
    const auto command = find_command(language, search_path, untrusted);
    if (!language.is_on)
      note(CheckStatus::Ok,
           fmt::format("{}: turned off by toolgate.languageServers", language.name));
    else if (command)
      note(CheckStatus::Ok, fmt::format("{}: {}{}", language.name, command->front(),
                                        language.is_sandboxed ? "" : " (without a sandbox)"));
    else
      note(CheckStatus::Ok, command.error().message);
    checks_.back().is_missing = !language.is_on || !command;
  }
}

}  // namespace

std::string_view name_of(CheckStatus status) {
  switch (status) {
    case CheckStatus::Ok:
      return "ok";
    case CheckStatus::Warning:
      return "warning";
    case CheckStatus::Error:
      return "error";
  }
  return "";
}

std::vector<DoctorCheck> examine(const Installation& installation) {
  return Doctor(installation).examine();
}

CheckStatus worst_of(std::span<const DoctorCheck> checks) {
  CheckStatus worst = CheckStatus::Ok;
  for (const DoctorCheck& check : checks) worst = std::max(worst, check.status);
  return worst;
}

std::string write_checks(std::span<const DoctorCheck> checks) {
  const auto count = [&](CheckStatus status) {
    return std::ranges::count(checks, status, &DoctorCheck::status);
  };
  json::array list;
  for (const DoctorCheck& check : checks) {
    json::object entry{
        {"area", check.area}, {"status", name_of(check.status)}, {"message", check.message}};
    if (!check.advice.empty()) entry["advice"] = check.advice;
    list.push_back(std::move(entry));
  }
  return write_json(json::object{{"status", name_of(worst_of(checks))},
                                 {"ok", count(CheckStatus::Ok)},
                                 {"warnings", count(CheckStatus::Warning)},
                                 {"errors", count(CheckStatus::Error)},
                                 {"checks", std::move(list)}});
}

}  // namespace toolgate
