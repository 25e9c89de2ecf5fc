// toolgate serve: the gateway.
#include <memory>

#include <fmt/format.h>

#include "base/log.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/process.h"
#include "cli/terminal.h"
#include "gateway/gateway.h"

namespace toolgate {
namespace {

std::filesystem::path default_data_folder() {
  const std::filesystem::path data = read_environment("XDG_DATA_HOME").value_or("");
  if (data.is_absolute()) return data / "toolgate";
  const std::filesystem::path home = read_environment("HOME").value_or("");
  return home.is_absolute() ? home / ".local/share/toolgate" : std::filesystem::path();
}

std::string address_of(const Gateway& gateway) {
  const bool v6 = gateway.host().find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}", v6 ? "[" : "", gateway.host(), v6 ? "]" : "",
                     gateway.port());
}

int serve(const GatewayOptions& options) {
  if (options.data.empty()) {
    fmt::print(stderr, "toolgate: HOME is not set; say with --data where the data folder is\n");
    return 1;
  }
  prepare_process();
  open_log(LogLevel::Info, Terminal(stderr).colour());
  auto gateway = Gateway::open(options);
  if (!gateway) {
    flush_log();
    fmt::print(stderr, "toolgate: {}\n", gateway.error().message);
    return 1;
  }
  (*gateway)->run([&] {
    const std::string address = address_of(**gateway);
    fmt::print("listening on {}\n", address);
    const Terminal terminal(stdout);
    fmt::print("{}      {}/\n{}   {}/v1\n", terminal.paint(Paint::Dim, "console"), address,
               terminal.paint(Paint::Dim, "OpenAI API"), address);
    std::fflush(stdout);
  });
  flush_log();
  return 0;
}

}  // namespace

void add_serve(CLI::App& app, Run& run) {
  auto options = std::make_shared<GatewayOptions>();
  options->environment = read_environment;
  options->data = default_data_folder();
  CLI::App* command = app.add_subcommand("serve", "Run the gateway");
  command->add_option("--host", options->host, "Address to listen on")->capture_default_str();
  command->add_option("--port", options->port, "Port to listen on; 0 picks a free one")
      ->capture_default_str();
  command->add_option("--data", options->data, "Folder for the database and the operator token")
      ->type_name("DIR")
      ->default_str("~/.local/share/toolgate");
  add_settings_options(*command, options->files);
  command->callback([options, &run] {
    options->files.profile = profile_folder(options->environment) / "settings.json";
    run = [options] { return serve(*options); };
  });
}

}  // namespace toolgate
