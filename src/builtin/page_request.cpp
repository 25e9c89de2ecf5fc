#include "builtin/page_request.h"

#include <algorithm>
#include <array>

#include "async/deadline.h"
#include "base/ascii.h"
#include "base/ids.h"
#include "base/utf8.h"
#include "builtin/text_encoding.h"
#include "builtin/trimmed.h"
#include "invoke/visible_text.h"
#include "net/host_patterns.h"
#include "net/http_status.h"

namespace toolgate {
namespace {

constexpr int kMostRedirects = 10;
constexpr std::size_t kMostUrlBytes = 8 << 10;
constexpr std::chrono::milliseconds kConnectTime{10'000};
// Our own limit comes first, so that its message is the one that is told.
constexpr std::chrono::milliseconds kAfterTimeout{1'000};

constexpr std::array<std::string_view, 11> kTextTypes{
    "application/json",       "application/xml",          "application/javascript",
    "application/yaml",       "application/x-yaml",       "application/toml",
    "application/x-ndjson",   "application/jsonl",        "application/graphql",
    "application/typescript", "application/x-javascript",
};

std::string make_head(const HttpUrl& url) {
  return fmt::format(
      "GET {} HTTP/1.1\r\nHost: {}\r\nVia: 1.1 {}\r\nUser-Agent: Mozilla/5.0 (compatible; "
      "toolgate)\r\nAccept: text/html, application/xhtml+xml, text/markdown;q=0.9, "
      "text/plain;q=0.8, application/json;q=0.8, */*;q=0.1\r\nAccept-Encoding: identity\r\n\r\n",
      url.target, url.origin.authority, instance_name());
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::string site_of(const HttpUrl& url) {
  std::string host = url.origin.host;
  std::ranges::transform(host, host.begin(), ascii_lower);
  if (host.starts_with("www.")) host.erase(0, 4);
  return host;
}

bool has_usual_port(const HttpUrl& url) {
  return url.origin.port == (url.origin.tls ? "443" : "80");
}

Result<HttpUrl> next_url(const HttpUrl& from, std::string_view location) {
  auto next = resolve_location(from, location);
  if (!next)
    return fail(Errc::UpstreamBroken, "it redirects to an address that is refused: it {}",
                next.error().message);
  if (is_same_site(from, *next)) return next;
  return fail(Errc::UpstreamBroken,
              "it redirects to another site, {}, which was not asked for: fetch that URL if it is "
              "the page you want",
              visible_text(text_of(*next), false));
}

Result<void> check_head(const HttpResponse& response, FetchedPage& page) {
  if (response.status() < 200 || response.status() > 299)
    return fail(Errc::UpstreamBroken, "its server answers HTTP {} {}", response.status(),
                http_reason(response.status()));
  const auto encoding = response.head().find("content-encoding");
  if (encoding && !equal_ignoring_case(*encoding, "identity"))
    return fail(Errc::UpstreamBroken, "it is compressed, which was not asked for");
  if (const auto type = response.head().find("content-type")) {
    page.media_type = media_type_of(*type);
    page.charset = charset_of(*type);
  }
  if (!page.media_type.empty() && page_kind_of(page.media_type, {}) == PageKind::Other)
    return fail(Errc::UnsupportedMedia,
                "it is of the type {}, and only HTML and other text can be read",
                visible_text(page.media_type, false));
  return {};
}

Task<Result<FetchedPage>> read_page(HttpResponse& response, HttpUrl url, std::size_t most,
                                    const Cancel& cancel) {
  FetchedPage page{.url = std::move(url)};
  if (auto checked = check_head(response, page); !checked)
    co_return std::unexpected(std::move(checked.error()));
  while (page.bytes.size() <= most) {
    const auto more = co_await response.read_some(page.bytes, cancel);
    if (!more) co_return std::unexpected(more.error());
    if (!*more) break;
  }
  page.is_cut = page.bytes.size() > most;
  if (page.is_cut) page.bytes.resize(most);
  if (page_kind_of(page.media_type, page.bytes) == PageKind::Other)
    co_return fail(Errc::UnsupportedMedia,
                   "it is no text, and only HTML and other text can be read");
  co_return page;
}

Task<Result<FetchedPage>> follow(HttpClient& client, HttpUrl url, const WebSettings& settings,
                                 const Cancel& cancel) {
  const auto longest = settings.page_seconds + kAfterTimeout;
  for (int redirects = 0;; ++redirects) {
    const std::string head = make_head(url);
    auto response = co_await client.send(
        {.to = url.origin,
         .method = "GET",
         .head = head,
         .body = {},
         .times = {std::min(kConnectTime, longest), longest, longest},
         .public_addresses_only = !names_host(settings.allowed_private_hosts, url.origin)},
        cancel);
    if (!response) co_return std::unexpected(response.error());
    const auto location = (*response)->head().find("location");
    if (!is_redirect((*response)->status()) || !location)
      co_return co_await read_page(**response, std::move(url), settings.page_bytes, cancel);
    auto next = next_url(url, *location);
    if (!next) co_return std::unexpected(next.error());
    if (redirects == kMostRedirects)
      co_return fail(Errc::UpstreamBroken, "it redirects more than {} times", kMostRedirects);
    url = std::move(*next);
  }
}

Error explain(Error error) {
  if (error.code == Errc::Forbidden)
    error.message +=
        "; a person can allow a host of the own network with toolgate.web.allowedPrivateHosts";
  if (error.code == Errc::UpstreamTimeout)
    error.message = fmt::format("connecting took longer than {} s",
                                std::chrono::duration<double>(kConnectTime).count());
  return error;
}

}  // namespace

Result<HttpUrl> read_page_url(std::string_view given) {
  given = trimmed(given);
  given = given.substr(0, given.find('#'));
  if (given.size() > kMostUrlBytes)
    return fail(Errc::InvalidRequest, "a URL must not be longer than {} bytes", kMostUrlBytes);
  const auto [origin, rest] = split_url(given);
  std::string escaped(origin);
  for (const char c : rest)
    if (is_url_character(c) || c == '%')
      escaped += c;
    else
      append_percent_encoded(escaped, std::string_view(&c, 1));
  auto url = parse_http_url(escaped);
  if (!url) return fail(Errc::InvalidRequest, "a URL {}", url.error().message);
  return url;
}

std::string text_of(const HttpUrl& url) {
  return url.origin.url + url.target;
}

std::string media_type_of(std::string_view content_type) {
  std::string type(trimmed(content_type.substr(0, content_type.find(';'))));
  std::ranges::transform(type, type.begin(), ascii_lower);
  return type;
}

PageKind page_kind_of(std::string_view media_type, std::string_view bytes) {
  if (bytes.starts_with("%PDF-")) return PageKind::Other;
  // Whatever the header says, except for UTF-16 text has no such bytes.
  const bool is_utf16 = bytes.starts_with("\xFE\xFF") || bytes.starts_with("\xFF\xFE");
  if (bytes.contains('\0') && !is_utf16) return PageKind::Other;
  if (media_type == "text/html" || media_type == "application/xhtml+xml") return PageKind::Html;
  if (media_type.empty()) {
    std::string begin(trimmed(bytes).substr(0, 15));
    std::ranges::transform(begin, begin.begin(), ascii_lower);
    const bool is_html = begin.starts_with("<!doctype html") || begin.starts_with("<html");
    return is_html ? PageKind::Html : PageKind::Text;
  }
  const bool is_text = media_type.starts_with("text/") || media_type.ends_with("+json") ||
                       media_type.ends_with("+xml") || media_type.ends_with("+yaml") ||
                       std::ranges::find(kTextTypes, media_type) != kTextTypes.end();
  return is_text && !media_type.starts_with("image/") ? PageKind::Text : PageKind::Other;
}

bool is_same_site(const HttpUrl& from, const HttpUrl& to) {
  if (site_of(from) != site_of(to)) return false;
  return from.origin.port == to.origin.port || (has_usual_port(from) && has_usual_port(to));
}

Task<Result<FetchedPage>> fetch_page(HttpClient& client, HttpUrl url, const WebSettings& settings,
                                     const Cancel& cancel) {
  if (cancel.requested()) co_return fail(Errc::Cancelled, "the call was cancelled");
  CancelSource within_time(cancel);
  bool is_late = false;
  Deadline deadline(client.loop().deadlines(), [&within_time, &is_late] {
    is_late = true;
    within_time.request(CancelReason::Timeout);
  });
  deadline.arm(settings.page_seconds);
  auto page = co_await follow(client, std::move(url), settings, within_time);
  if (page) co_return page;
  if (cancel.requested()) co_return fail(Errc::Cancelled, "the call was cancelled");
  if (is_late)
    co_return fail(Errc::UpstreamTimeout, "it took longer than {} s (toolgate.web.pageSeconds)",
                   std::chrono::duration<double>(settings.page_seconds).count());
  co_return std::unexpected(explain(std::move(page.error())));
}

}  // namespace toolgate
