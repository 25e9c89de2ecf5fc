// What the built-in tools share and what outlives a call: the workspace, their settings, and the
// machines they work with. The gateway has one.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "builtin/command_rules.h"
#include "builtin/edits.h"
#include "builtin/languages.h"
#include "builtin/sandbox.h"
#include "builtin/seen_files.h"
#include "builtin/shown_commands.h"
#include "builtin/shown_edits.h"
#include "builtin/terminals.h"
#include "builtin/todo_lists.h"
#include "builtin/web_settings.h"
#include "builtin/workspace.h"

namespace toolgate {

class LanguageServers;

// Immutable: a changed file makes a new one.
struct BuiltinSettings {
  std::shared_ptr<const Workspace> workspace;
  WebSettings web;
  std::uint64_t edit_bytes = Edits::kUsualKeptBytes;  // of backups of edited files
  SandboxSettings sandbox = {};
  std::vector<CommandRule> command_rules = {};  // chat.tools.terminal.autoApprove
  CommandPlaces command_places = {};
  std::shared_ptr<const CodeSettings> code;
};

struct WorkbenchOptions {
  std::filesystem::path data;  // where what is kept goes
};

// Any thread may use it. Whatever its members started has ended when it is gone.
class Workbench {
 public:
  Workbench(WorkbenchOptions options, std::shared_ptr<const BuiltinSettings> settings);
  ~Workbench();
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  // As they are now: a call takes them once and keeps them.
  std::shared_ptr<const BuiltinSettings> settings() const { return settings_.load(); }
  void use(std::shared_ptr<const BuiltinSettings> settings);
  Edits& edits() { return edits_; }
  ShownEdits& shown_edits() { return shown_edits_; }
  SeenFiles& seen_files() { return seen_files_; }
  TodoLists& todo_lists() { return todo_lists_; }
  Terminals& terminals() { return terminals_; }
  ShownCommands& shown_commands() { return shown_commands_; }

  LanguageServers& language_servers() { return *language_servers_; }

 private:
  const WorkbenchOptions options_;
  std::atomic<std::shared_ptr<const BuiltinSettings>> settings_;
  TodoLists todo_lists_;
  Edits edits_;
  ShownEdits shown_edits_;
  SeenFiles seen_files_;
  ShownCommands shown_commands_;
  Terminals terminals_;
  const std::unique_ptr<LanguageServers> language_servers_;
};

}  // namespace toolgate
