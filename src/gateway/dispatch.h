// From an HTTP exchange to its endpoint: request id, Host and Origin, route, key, and the log line.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/metrics.h"
#include "gateway/request_context.h"
#include "gateway/snapshot.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "schema/normalized_tools.h"

namespace toolgate {

// What all requests of one loop share.
struct LoopState {
  std::shared_ptr<const Snapshot> snapshot;
  HttpClient client;
  std::shared_ptr<const Catalog> catalog;
  Registry& registry;
  NormalizedTools normalized_tools;
  KnownParts known_parts;
  ToolOffers tool_offers;
  GroupNames group_names;
  ToolLists tool_lists;
  ToolsService tools_service;
  Invoking& invoking;
  HttpTools& http_tools;
  Metrics& metrics;
  const std::string& operator_token;
  const std::string& listening_host;  // as given with --host
  bool operator_only = false;         // what wants a key wants the operator's token
  Tracer* tracer = nullptr;           // null: nobody traces
};

Task<> dispatch(HttpExchange& exchange, LoopState& state);

}  // namespace toolgate
