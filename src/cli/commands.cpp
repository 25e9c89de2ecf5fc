#include "cli/commands.h"

#include <array>
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "base/version.h"
#include "cli/command.h"
#include "cli/usage_error.h"

namespace toolgate {
namespace {

constexpr std::array kCommands{add_serve,   add_tools,   add_toolsets, add_call,      add_chat,
                               add_pending, add_approve, add_deny,     add_skip,      add_approvals,
                               add_undo,    add_audit,   add_doctor,   add_normalize, add_validate,
                               add_tokens,  add_routes};

constexpr int kUsage = 2;

}  // namespace

void add_settings_options(CLI::App& command, SettingsFiles& files) {
  files.workspace = std::filesystem::current_path();
  command
      .add_option("--workspace", files.workspace,
                  "Folder the tools work in, where no gateway runs that has one")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR")
      ->default_str("the current folder");
  command
      .add_option("--settings", files.extra, "A settings file; may be given again, later ones win")
      ->allow_extra_args(false)
      ->type_name("FILE");
}

int run_command_line(int count, char** arguments) {
  CLI::App app{"Toolgate: one gateway to language models and their tools.", "toolgate"};
  app.set_version_flag("--version", std::string(kVersion));
  app.require_subcommand(0, 1);
  app.failure_message([](const CLI::App* which, const CLI::Error& error) {
    return explain_usage_error(*which, error);
  });
  app.footer("'toolgate COMMAND --help' says more about a command.");
  Run run;
  for (const auto add : kCommands) add(app, run);
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  if (!run) {
    fmt::print("{}", app.help());
    return 0;
  }
  try {
    return run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "toolgate: {}\n", error.what());
    return 1;
  }
}

}  // namespace toolgate
