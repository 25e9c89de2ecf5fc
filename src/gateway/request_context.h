// What an endpoint gets: the exchange and what it may use to answer it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "agent/offer_tools.h"
#include "base/metrics.h"
#include "base/span.h"
#include "gateway/invoking.h"
#include "gateway/snapshot.h"
#include "gateway/tool_lists.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "schema/normalized_tools.h"
#include "wire/known_parts.h"
#include "wire/openai_error.h"

namespace toolgate {

class HttpTools;

struct RequestContext {
  HttpExchange& exchange;
  std::shared_ptr<const Snapshot> snapshot;
  HttpClient& client;
  std::shared_ptr<const Catalog> catalog;  // the tools there are, as this request sees them
  Registry& registry;                      // where they are registered; any thread may call it
  NormalizedTools& normalized_tools;       // this loop's, as the next four
  KnownParts& known_parts;
  ToolOffers& tool_offers;
  const GroupNames& group_names;
  ToolLists& tool_lists;
  ToolsService& tools_service;
  Invoking& invoking;  // of all loops
  HttpTools& http_tools;
  const Redaction& redaction;
  Metrics& metrics;
  std::string id;              // also sent to the client and to the upstream
  std::string parameter = {};  // what stood for {…} in the route's path, decoded
  std::string caller = {};     // the name of the API key
  std::string note = {};       // what the endpoint adds to the request's log line
  Span span = {};              // of the request; empty: nobody traces it
};

Task<> reply_json(RequestContext& context, std::string body);
Task<> reply_error(RequestContext& context, const ErrorBody& error,
                   const HttpHeaders& headers = {});
Task<> reply_error(RequestContext& context, const Error& error);

}  // namespace toolgate
