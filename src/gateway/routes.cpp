#include "gateway/routes.h"

#include <array>

#include "base/percent.h"
#include "gateway/endpoints/endpoints.h"

namespace toolgate {
namespace {

constexpr std::array kRoutes{
    Route{"POST", "/v1/chat/completions", Access::Key, chat_completions, Traced::Yes},
    Route{"POST", "/chat/completions", Access::Key, chat_completions, Traced::Yes},
    Route{"GET", "/v1/models", Access::Key, list_models},
    Route{"GET", "/models", Access::Key, list_models},
    Route{"GET", "/v1/models/{id}", Access::Key, show_model},
    Route{"GET", "/models/{id}", Access::Key, show_model},
    Route{"GET", "/v1/tools", Access::Key, list_tools},
    Route{"GET", "/tools", Access::Key, list_tools},
    Route{"POST", "/v1/tools", Access::Operator, register_http_tool},
    Route{"POST", "/v1/tools/{name}/invoke", Access::Key, invoke_tool, Traced::Yes},
    Route{"POST", "/v1/tools/{name}/explain", Access::Key, explain_call},
    Route{"DELETE", "/v1/tools/{name}", Access::Operator, remove_http_tool},
    Route{"GET", "/v1/tools/{name}", Access::Key, show_tool},
    Route{"GET", "/tools/{name}", Access::Key, show_tool},
    Route{"GET", "/v1/toolsets", Access::Key, list_toolsets},
    Route{"GET", "/v1/invocations", Access::Key, list_invocations},
    Route{"POST", "/v1/invocations/{id}/confirm", Access::Operator, confirm_invocation},
    Route{"POST", "/v1/invocations/{id}/cancel", Access::Key, cancel_invocation},
    Route{"POST", "/v1/invocations/{id}/resume", Access::Key, resume_invocation, Traced::Yes},
    Route{"GET", "/v1/invocations/{id}", Access::Key, show_invocation},
    Route{"GET", "/v1/results/{handle}", Access::Key, read_result},
    Route{"GET", "/v1/approvals", Access::Operator, list_approvals},
    Route{"DELETE", "/v1/approvals", Access::Operator, reset_approvals},
    Route{"DELETE", "/v1/approvals/{id}", Access::Operator, revoke_approval},
    Route{"GET", "/v1/edits", Access::Operator, list_edits},
    Route{"POST", "/v1/edits/{id}/undo", Access::Operator, undo_edit},
    Route{"GET", "/v1/edits/{id}", Access::Operator, show_edit},
    Route{"GET", "/v1/events", Access::Key, follow_events},
    Route{"GET", "/v1/audit", Access::Key, list_audit},
    Route{"GET", "/v1/audit/verify", Access::Key, verify_audit},
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
  const std::string_view after = route.path.substr(route.path.find('}') + 1);
  if (path.size() <= brace + after.size() || !path.starts_with(route.path.substr(0, brace)) ||
      !path.ends_with(after))
    return false;
  parameter = decode_percent(path.substr(brace, path.size() - brace - after.size()));
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
