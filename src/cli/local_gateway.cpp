#include "cli/local_gateway.h"

#include "cli/input.h"

namespace toolgate {

Result<LocalGateway> open_local_gateway(const CatalogOptions& options) {
  if (options.data.empty())
    return fail(Errc::Io, "HOME is not set; say with --data where the data folder is");
  auto settings = load_settings(options.settings, read_environment);
  if (!settings) return std::unexpected(std::move(settings.error()));
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->settings = std::move(*settings);

  LocalGateway local;
  auto invoking = Invoking::open({.data = options.data,
                                  .workspace = options.settings.workspace,
                                  .home = read_environment("HOME").value_or("")},
                                 snapshot->settings);
  if (!invoking) return std::unexpected(std::move(invoking.error()));
  local.invoking = std::move(*invoking);
  local.tools = std::make_unique<ToolCatalog>(options.tools);
  local.builtin_tools = std::make_unique<BuiltinTools>(builtin_places(options));
  if (auto declared = local.builtin_tools->declare(local.tools->registry(), snapshot->settings);
      !declared)
    return std::unexpected(std::move(declared.error()));
  local.tools->load(snapshot->settings);
  auto run =
      local.builtin_tools->implement(local.tools->registry(), *local.invoking, snapshot->settings);
  if (!run) return std::unexpected(std::move(run.error()));
  local.http_tools = std::make_unique<HttpTools>(local.tools->registry(), local.invoking->ledger());
  if (auto loaded = local.http_tools->load(snapshot->settings.http_tools); !loaded)
    return std::unexpected(std::move(loaded.error()));
  local.tools->registry().flush();
  local.snapshot = std::move(snapshot);
  return local;
}

}  // namespace toolgate
