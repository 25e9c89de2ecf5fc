// What a tool, or all tools of a server, are at this moment: the text that people trust and its
// hash. Made once per definition; each service has its own.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "toolgate/catalog.h"

namespace toolgate {

struct ToolIdentity {
  std::shared_ptr<const std::string> definition;
  std::string hash;
};

// The key under which a whole server may be approved; empty where a tool is of none.
std::string server_key_of(const ToolSource& source);

class ToolIdentities {
 public:
  const ToolIdentity& of(const CatalogTool& tool);
  // Of all tools that `catalog` has from this server.
  const ToolIdentity& of_server(const Catalog& catalog, const std::string& server_key);

 private:
  struct Kept {
    std::weak_ptr<const ToolRecord> record;
    ToolIdentity identity;
  };
  std::unordered_map<const ToolRecord*, Kept> tools_;
  std::unordered_map<std::string, ToolIdentity> servers_;  // of the catalogue below
  std::uint64_t servers_version_ = 0;
};

}  // namespace toolgate
