// The one way something fails: a Result with an Error in it. Every layer uses it.
//   if (auto done = act(); !done) return std::unexpected(done.error());
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
  ToolNotFound,         // no such tool or tool set
  MethodNotAllowed,     // the route exists, the method does not
  AlreadyExists,        // the name is taken
  Conflict,             // it is not, or no longer, in the state for this
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

// What a function that returns a Result returns when it fails: return fail(Errc::Io, "no {}",
// name);
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

}  // namespace toolgate
