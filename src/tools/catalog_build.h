// Makes a Catalog from what is registered: members of sets are resolved, names are made, and the
// state of each tool is decided. The registry calls it on every change; tests call it with parts.
#pragma once

#include <memory>
#include <vector>

#include "toolgate/catalog.h"
#include "toolgate/registry.h"
#include "tools/context_keys.h"

namespace toolgate {

struct CatalogParts {
  struct Entry {
    std::shared_ptr<const ToolRecord> record;
    std::shared_ptr<Tool> implementation;
  };
  std::vector<Entry> tools;
  // After the built-in sets, which are always there.
  std::vector<std::shared_ptr<const ToolSetData>> sets;
  CatalogSettings settings;
  ContextKeys context;
};

std::shared_ptr<const Catalog> build_catalog(const CatalogParts& parts, std::uint64_t version);

}  // namespace toolgate
