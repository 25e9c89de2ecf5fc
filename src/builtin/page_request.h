// One page from the web: the request, redirections, and the limits on both. fetch_webpage.cpp calls
// it.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "builtin/web_settings.h"
#include "net/http_client.h"
#include "net/http_url.h"
#include "toolgate/cancel.h"
#include "toolgate/task.h"

namespace toolgate {

// What a model wrote as a URL. A fragment is dropped and what has to be escaped is; the error is a
// sentence that does not repeat the URL, which may hold a password.
Result<HttpUrl> read_page_url(std::string_view given);
std::string text_of(const HttpUrl& url);

// "text/html; charset=utf-8" is "text/html".
std::string media_type_of(std::string_view content_type);
enum class PageKind { Html, Text, Other };
// Of a media type; without one, of what the bytes look like.
PageKind page_kind_of(std::string_view media_type, std::string_view bytes);

// Where to go on, if a redirection may be followed: to the same host only, as those who approved
// the URL approved that host. With or without "www." and from http to https it is the same.
bool is_same_site(const HttpUrl& from, const HttpUrl& to);

struct FetchedPage {
  HttpUrl url;  // after redirections
  std::string media_type;
  std::string charset;  // as the header names it
  std::string bytes;
  bool is_cut = false;  // there was more than the settings allow
};

Task<Result<FetchedPage>> fetch_page(HttpClient& client, HttpUrl url, const WebSettings& settings,
                                     const Cancel& cancel);

}  // namespace toolgate
