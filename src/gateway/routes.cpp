#include "gateway/routes.h"

#include <array>

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
    Route{"POST", "/v1/normalize", Access::Key, normalize},
    Route{"POST", "/v1/tokens", Access::Key, count_tokens_of},
    Route{"GET", "/healthz", Access::Open, show_health},
    Route{"GET", "/readyz", Access::Key, show_readiness},
    Route{"GET", "/metrics", Access::Key, show_metrics},
    Route{"GET", "/", Access::Key, show_welcome},
};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decode_percent(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high >= 0 && low >= 0) {
        decoded += static_cast<char>(high * 16 + low);
        i += 2;
        continue;
      }
    }
    decoded += text[i];
  }
  return decoded;
}

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
