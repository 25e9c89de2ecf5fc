// An http or https URL to send a request to, and where a Location field leads from there.
// hosts/ calls it; base URLs of models are parse_base_url()'s.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "net/upstream_address.h"

namespace toolgate {

struct HttpUrl {
  UpstreamAddress origin;  // without a path
  std::string target;      // "/path?query"
};

// A text in two: "https://host:8080" and what begins with '/' or '?', or nothing.
struct SplitUrl {
  std::string_view origin;
  std::string_view rest;
};
SplitUrl split_url(std::string_view url);

// What may stand in a path or query as it is; '%' begins an escape.
bool is_url_character(char c);

// All but letters, digits, '-', '.', '_' and '~' is escaped.
void append_percent_encoded(std::string& out, std::string_view text);

// A user name, a fragment and characters that must be escaped are refused. The error is a reason to
// be put behind the word "url"; it never repeats the URL, which may hold a secret.
Result<HttpUrl> parse_http_url(std::string_view url);

// RFC 3986, 5.2; a fragment is dropped. Nothing leads from https to http.
Result<HttpUrl> resolve_location(const HttpUrl& from, std::string_view location);

bool same_origin(const HttpUrl& a, const HttpUrl& b);

}  // namespace toolgate
