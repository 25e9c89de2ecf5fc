// What commands.cpp knows of each command: how it adds itself to the command line. The chosen one
// leaves its work in `run`.
#pragma once

#include <functional>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "gateway/settings.h"

namespace toolgate {

using Run = std::function<int()>;

void add_serve(CLI::App& app, Run& run);
void add_tools(CLI::App& app, Run& run);
void add_toolsets(CLI::App& app, Run& run);
void add_call(CLI::App& app, Run& run);
void add_chat(CLI::App& app, Run& run);
void add_pending(CLI::App& app, Run& run);
void add_approve(CLI::App& app, Run& run);
void add_deny(CLI::App& app, Run& run);
void add_skip(CLI::App& app, Run& run);
void add_approvals(CLI::App& app, Run& run);
void add_undo(CLI::App& app, Run& run);
void add_audit(CLI::App& app, Run& run);
void add_doctor(CLI::App& app, Run& run);
void add_normalize(CLI::App& app, Run& run);
void add_validate(CLI::App& app, Run& run);
void add_tokens(CLI::App& app, Run& run);
void add_routes(CLI::App& app, Run& run);

// --workspace and --settings, as every command that reads settings takes them.
void add_settings_options(CLI::App& command, SettingsFiles& files);

}  // namespace toolgate
