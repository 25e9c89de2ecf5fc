#include "gateway/builtin_tools.h"

#include <algorithm>
#include <cstdlib>

#include "builtin/all.h"
#include "gateway/invoking.h"

namespace toolgate {
namespace {

std::vector<CommandRule> command_rules_of(const BuiltinToolSettings& settings) {
  if (!settings.commands_may_be_approved) return {};
  std::vector<CommandRule> rules;
  if (!settings.ignore_default_command_rules) rules = default_command_rules();
  for (const CommandRule& rule : settings.command_rules) set_command_rule(rules, rule);
  // Beside the others, not in the place of one.
  std::ranges::copy(settings.command_refusals, std::back_inserter(rules));
  return rules;
}

}  // namespace

Result<void> BuiltinTools::declare(Registry& registry, const Settings& settings) {
  for_workspace_ = settings.builtin.enabled && !places_.workspace.empty();
  auto declared = declare_builtin_tools(registry, for_workspace_);
  if (!declared) return std::unexpected(std::move(declared.error()));
  registrations_ = std::move(*declared);
  return {};
}

Result<void> BuiltinTools::implement(Registry& registry, Invoking& invoking,
                                     const Settings& settings) {
  workbench_ =
      std::make_unique<Workbench>(WorkbenchOptions{.data = places_.data}, settings_of(settings));
  invoking.set_edits(&workbench_->edits());
  auto run = implement_builtin_tools(registry, for_workspace_,
                                     {invoking.ledger(), invoking.results(), *workbench_});
  if (!run) return std::unexpected(std::move(run.error()));
  std::ranges::move(*run, std::back_inserter(registrations_));
  return {};
}

void BuiltinTools::use(const Settings& settings) {
  if (workbench_) workbench_->use(settings_of(settings));
}

void BuiltinTools::stop() {
  registrations_.clear();
  workbench_.reset();
}

std::shared_ptr<const BuiltinSettings> BuiltinTools::settings_of(const Settings& settings) const {
  auto result = std::make_shared<BuiltinSettings>();
  std::vector<std::string> roots{std::filesystem::absolute(places_.workspace).string()};
  std::ranges::copy(settings.builtin.extra_folders, std::back_inserter(roots));
  std::vector<std::string> hidden;
  for (const auto* place : {&places_.data, &places_.profile})
    if (!place->empty()) hidden.push_back(std::filesystem::absolute(*place).string());
  result->edit_bytes = settings.builtin.edit_bytes;
  const char* home = std::getenv("HOME");
  result->command_places = {.folder = {},
                            .edits = settings.approvals.edits,
                            .places = {.workspaces = roots, .home = home ? home : ""}};
  result->command_rules = command_rules_of(settings.builtin);
  result->sandbox = settings.builtin.sandbox;
  // They may hold keys.
  for (const auto& file : places_.settings_files)
    result->sandbox.hidden.push_back(std::filesystem::absolute(file).string());
  result->workspace = std::make_shared<const Workspace>(std::move(roots), std::move(hidden));
  result->web = settings.builtin.web;
  result->code = std::make_shared<const CodeSettings>(
      CodeSettings{.workspace = result->workspace,
                   .languages = make_languages(settings.builtin.language_servers),
                   .limits = settings.builtin.language_server_limits,
                   .sandbox = result->sandbox});
  return result;
}

}  // namespace toolgate
