// The one way something fails: a Result with an Error in it. Every layer uses it.
// The table in error.cpp says how each code looks over HTTP, OpenAI's API and JSON-RPC.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace toolgate {

enum class Errc {
  InvalidRequest,       // the caller's request is wrong; `where` names the field
  InvalidJson,          // a body or argument text is not JSON
  Unauthorized,         // no key or token, or a wrong one
  Forbidden,            // foreign Host or Origin
  NotFound,             // no such route or object
  ModelNotFound,        // no such model
  MethodNotAllowed,     // the route exists, the method does not
  RequestTimeout,       // the client was too slow
  TooLarge,             // the body is over its limit
  UnsupportedMedia,     // a content type or encoding we do not read
  HeaderTooLarge,       // the header is over its limit
  Overloaded,           // a limit on connections or streams is reached
  ShuttingDown,         // we are stopping
  Cancelled,            // the one who asked has gone or has cancelled
  UpstreamUnreachable,  // the model's server cannot be connected to
  UpstreamBroken,       // the model's server answered with something unusable
  UpstreamTimeout,      // the model's server was too slow
  InvalidSettings,      // a settings file is refused
  Io,                   // a file or socket of ours failed
  Internal,             // our fault
};

struct Error {
  Errc code = Errc::Internal;
  std::string message;  // a sentence for people; says what to do where that is known
  std::string where;    // the field, file or address it is about; may be empty
};

template <class T = void>
using Result = std::expected<T, Error>;

template <class... Args>
[[nodiscard]] std::unexpected<Error> fail(Errc code, fmt::format_string<Args...> text,
                                          Args&&... args) {
  return std::unexpected(Error{code, fmt::format(text, std::forward<Args>(args)...), {}});
}

// The same with the field it is about.
template <class... Args>
[[nodiscard]] std::unexpected<Error> fail_at(std::string where, Errc code,
                                             fmt::format_string<Args...> text, Args&&... args) {
  return std::unexpected(
      Error{code, fmt::format(text, std::forward<Args>(args)...), std::move(where)});
}

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
