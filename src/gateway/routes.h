// The one table of the HTTP API. Reading routes.cpp is reading the product.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gateway/access.h"
#include "gateway/request_context.h"

namespace toolgate {

// Whether requests of a route are recorded as spans.
enum class Traced : bool { No, Yes };

struct Route {
  std::string_view method;
  std::string_view path;  // {…} takes what stands there, slashes included
  Access access;
  Task<> (*handler)(RequestContext&);
  Traced traced = Traced::No;
};

std::span<const Route> routes();

struct RouteMatch {
  const Route* route = nullptr;
  std::string parameter;
  std::string allowed_methods;  // of the path, when only the method does not fit
};

// HEAD is answered by the GET route.
RouteMatch match_route(std::string_view method, std::string_view path);

}  // namespace toolgate
