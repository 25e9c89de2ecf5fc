// Who may use a route. Every route has a rule; the table is in routes.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "gateway/settings.h"
#include "net/http_head.h"

namespace toolgate {

enum class Access {
  Open,      // anyone on an allowed host
  Key,       // an API key where some are set, or the operator token
  Operator,  // always the operator token
};

std::string_view access_name(Access access);

// The caller of a request with the operator token.
inline constexpr std::string_view kOperatorName = "operator";

// A Host or Origin that is neither loopback, nor `own_address`, nor allowed by the settings is
// refused: a web page elsewhere must not reach us through a person's browser.
Result<void> check_origin(const HttpHead& head, std::string_view own_address,
                          std::span<const std::string> allowed_hosts);

// The name of the key that was given ("operator" for the token, empty where none is asked for).
Result<std::string> check_key(const HttpHead& head, Access access, std::span<const ApiKey> keys,
                              std::string_view operator_token);

}  // namespace toolgate
