// The tools behind HTTP URLs that were registered through the API: kept in the store, registered
// again at start. Its maps belong to the ledger's thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "gateway/invoking.h"
#include "hosts/http_tool_definition.h"
#include "toolgate/registry.h"

namespace toolgate {

class HttpTools {
 public:
  HttpTools(Registry& registry, Ledger& ledger) : registry_(registry), ledger_(ledger) {}

  // Registers what the store has. A definition that can no longer be read is logged and stays in
  // the store. Blocks; before the loops run.
  Result<void> load(const HttpToolSettings& settings);

  // AlreadyExists when any tool has the name.
  Task<Result<void>> add(HttpToolDefinition definition, HttpToolSettings settings, std::string by);
  // NotFound when no such tool was registered through the API.
  Task<Result<void>> remove(std::string name, std::string by);

 private:
  Result<Registration> register_tool(HttpToolDefinition definition,
                                     const HttpToolSettings& settings);

  Registry& registry_;
  Ledger& ledger_;
  std::map<std::string, Registration, std::less<>> tools_;
};

}  // namespace toolgate
