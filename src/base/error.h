// Errors (toolgate/error.h) and the one table that says how each code looks over HTTP, OpenAI's API
// and JSON-RPC.
#pragma once

#include <string_view>

#include "toolgate/error.h"

namespace toolgate {

struct ErrorInfo {
  Errc code;
  std::string_view name;  // OpenAI's `code`, and the word in logs and metrics
  int http_status;
  std::string_view openai_type;  // OpenAI's `type`
  int jsonrpc_code;
};

const ErrorInfo& error_info(Errc code);

// Whether some code has this name: an upstream's error may carry any.
bool is_error_name(std::string_view name);

}  // namespace toolgate
