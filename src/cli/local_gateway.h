// What a command needs of a gateway when none runs: settings, catalogue and ledger of its own, on
// the same data folder. Holds that folder's lock, so no gateway can start meanwhile.
#pragma once

#include <memory>

#include "cli/catalog_options.h"
#include "gateway/builtin_tools.h"
#include "gateway/http_tools.h"
#include "gateway/invoking.h"

namespace toolgate {

struct LocalGateway {
  std::shared_ptr<const Snapshot> snapshot;  // settings alone; its models are not opened
  std::unique_ptr<Invoking> invoking;
  std::unique_ptr<ToolCatalog> tools;
  std::unique_ptr<BuiltinTools> builtin_tools;
  std::unique_ptr<HttpTools> http_tools;

  std::shared_ptr<const Catalog> catalog() const { return tools->catalog(); }
  InvokeContext context() const { return invoking->context(snapshot, catalog()); }
};

Result<LocalGateway> open_local_gateway(const CatalogOptions& options);

}  // namespace toolgate
