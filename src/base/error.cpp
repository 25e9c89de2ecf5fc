#include "base/error.h"

#include <algorithm>
#include <array>

namespace toolgate {
namespace {

constexpr std::array kTable{
    ErrorInfo{Errc::InvalidRequest, "invalid_request", 400, "invalid_request_error", -32602},
    ErrorInfo{Errc::InvalidJson, "invalid_json", 400, "invalid_request_error", -32700},
    ErrorInfo{Errc::Unauthorized, "invalid_api_key", 401, "authentication_error", -32001},
    ErrorInfo{Errc::Forbidden, "forbidden", 403, "permission_error", -32003},
    ErrorInfo{Errc::NotFound, "not_found", 404, "invalid_request_error", -32601},
    ErrorInfo{Errc::ModelNotFound, "model_not_found", 404, "invalid_request_error", -32602},
    ErrorInfo{Errc::ToolNotFound, "tool_not_found", 404, "invalid_request_error", -32602},
    ErrorInfo{Errc::MethodNotAllowed, "method_not_allowed", 405, "invalid_request_error", -32601},
    ErrorInfo{Errc::AlreadyExists, "already_exists", 409, "invalid_request_error", -32602},
    ErrorInfo{Errc::Conflict, "conflict", 409, "invalid_request_error", -32602},
    ErrorInfo{Errc::RequestTimeout, "request_timeout", 408, "invalid_request_error", -32000},
    ErrorInfo{Errc::TooLarge, "request_too_large", 413, "invalid_request_error", -32600},
    ErrorInfo{Errc::UnsupportedMedia, "unsupported_media", 415, "invalid_request_error", -32600},
    ErrorInfo{Errc::HeaderTooLarge, "header_too_large", 431, "invalid_request_error", -32600},
    ErrorInfo{Errc::Overloaded, "overloaded", 503, "server_error", -32000},
    ErrorInfo{Errc::ShuttingDown, "shutting_down", 503, "server_error", -32000},
    ErrorInfo{Errc::Cancelled, "cancelled", 499, "invalid_request_error", -32800},
    ErrorInfo{Errc::UpstreamUnreachable, "upstream_unreachable", 502, "upstream_error", -32000},
    ErrorInfo{Errc::UpstreamBroken, "upstream_broken", 502, "upstream_error", -32000},
    ErrorInfo{Errc::UpstreamTimeout, "upstream_timeout", 504, "upstream_error", -32000},
    ErrorInfo{Errc::InvalidSettings, "invalid_settings", 500, "server_error", -32603},
    ErrorInfo{Errc::Io, "io_error", 500, "server_error", -32603},
    ErrorInfo{Errc::Internal, "internal_error", 500, "server_error", -32603},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i)
    if (kTable[i].code != static_cast<Errc>(i)) return false;
  return kTable.size() == static_cast<std::size_t>(Errc::Internal) + 1;
}
static_assert(in_order(), "one row per Errc, in the order of the enum");

}  // namespace

const ErrorInfo& error_info(Errc code) {
  return kTable[static_cast<std::size_t>(code)];
}

bool is_error_name(std::string_view name) {
  return std::ranges::find(kTable, name, &ErrorInfo::name) != kTable.end();
}

}  // namespace toolgate
