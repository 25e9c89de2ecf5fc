// OpenAI's error object, ours and what upstreams send in its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json.h"

namespace toolgate {

struct ErrorBody {
  int status = 500;
  std::string message;
  std::string type;
  std::optional<std::string> param;
  std::optional<std::string> code;
};

ErrorBody make_error_body(const Error& error);

// Whatever an upstream answered with a failing status (or with an error in a 200): OpenAI's object,
// {"error":"text"}, {"message":…}, {"detail":…}, plain text, HTML, nothing. Never loses the
// message; long text is cut, control characters and broken UTF-8 are mended.
ErrorBody read_upstream_error(int status, std::string_view body);

// The error that stands where an answer or a chunk was due, if it is one: `error` is set, the
// object calls itself an error, or it has a message and no choices. Status 502 unless it names
// another.
std::optional<ErrorBody> find_error_in_answer(const json::value& document);

// {"error":{"message","type","param","code"}}, all four always there.
std::string write_error_body(const ErrorBody& body);

}  // namespace toolgate
