// toolgate serve: the gateway.
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/log.h"
#include "cli/catalog_options.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/process.h"
#include "cli/terminal.h"
#include "gateway/gateway.h"
#include "gateway/gateway_file.h"

namespace toolgate {
namespace {

std::string address_of(const Gateway& gateway) {
  const bool v6 = gateway.host().find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}", v6 ? "[" : "", gateway.host(), v6 ? "]" : "",
                     gateway.port());
}

// So that other commands find us. Without it they must be told our address.
void publish(const Gateway& gateway, const GatewayOptions& options,
             std::optional<GatewayFile>& file) {
  auto written = GatewayFile::write(options.data, local_address(gateway.host(), gateway.port()),
                                    workspace_path(options.files));
  if (written)
    file.emplace(std::move(*written));
  else
    log(LogLevel::Warn, "'toolgate pending' and others will not find this gateway: {}",
        written.error().message);
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
  std::optional<GatewayFile> file;
  (*gateway)->run([&] {
    publish(**gateway, options, file);
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
  auto catalog = std::make_shared<CatalogOptions>();
  CLI::App* command = app.add_subcommand("serve", "Run the gateway");
  command->add_option("--host", options->host, "Address to listen on")->capture_default_str();
  command->add_option("--port", options->port, "Port to listen on; 0 picks a free one")
      ->capture_default_str();
  add_catalog_options(*command, *catalog);
  command->callback([options, catalog, &run] {
    complete_catalog_options(*catalog);
    options->environment = read_environment;
    options->data = catalog->data;
    options->files = catalog->settings;
    options->tools = catalog->tools;
    run = [options, catalog] {
      warn_of_unread_options(*catalog);
      return serve(*options);
    };
  });
}

}  // namespace toolgate
