#include "gateway/routes.h"

#include <array>

#include "base/percent.h"
#include "gateway/endpoints/endpoints.h"

namespace toolgate {
namespace {

constexpr std::array kRoutes{
    Route{"POST", "/v1/chat/completions", Access::Key, chat_completions},
    Route{"POST", "/chat/completions", Access::Key, chat_completions},
    Route{"GET", "/v1/models", Access::Key, list_models},
    Route{"GET", "/models", Access::Key, list_models},
    Route{"GET", "/v1/models/{id}", Access::Key, show_model},
    Route{"GET", "/models/{id}", Access::Key, show_model},
    Route{"GET", "/v1/tools", Access::Key, list_tools},
    Route{"GET", "/tools", Access::Key, list_tools},
    Route{"GET", "/v1/tools/{name}", Access::Key, show_tool},
    Route{"GET", "/tools/{name}", Access::Key, show_tool},
    Route{"GET", "/v1/toolsets", Access::Key, list_toolsets},
    Route{"GET", "/v1/context", Access::Operator, show_context},
    Route{"PUT", "/v1/context", Access::Operator, change_context},
    Route{"POST", "/v1/normalize", Access::Key, normalize},
    Route{"POST", "/v1/tokens", Access::Key, count_tokens_of},
    Route{"GET", "/healthz", Access::Open, show_health},
    Route{"GET", "/readyz", Access::Key, show_readiness},
    Route{"GET", "/metrics", Access::Key, show_metrics},
    Route{"GET", "/", Access::Key, show_welcome},
};

bool matches(const Route& route, std::string_view path, std::string& parameter) {
  const std::size_t brace = route.path.find('{');
  if (brace == std::string_view::npos) return route.path == path;
  if (path.size() <= brace || !path.starts_with(route.path.substr(0, brace))) return false;
  parameter = decode_percent(path.substr(brace));
  return true;
}

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

RouteMatch match_route(std::string_view method, std::string_view path) {
  if (method == "HEAD") method = "GET";
  RouteMatch match;
  for (const Route& route : kRoutes) {
    if (!matches(route, path, match.parameter)) continue;
    if (route.method == method) {
      match.route = &route;
      return match;
    }
    if (!match.allowed_methods.empty()) match.allowed_methods += ", ";
    match.allowed_methods += route.method;
  }
  return match;
}

}  // namespace toolgate
