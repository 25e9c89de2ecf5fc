#include "hosts/http_tool.h"

#include <algorithm>
#include <cstdlib>

#include "async/deadline.h"
#include "base/ascii.h"
#include "base/ids.h"
#include "base/json_tree.h"
#include "hosts/http_tool_result.h"
#include "invoke/running_call.h"
#include "net/host_patterns.h"
#include "net/loop_client.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;
using Headers = HttpToolDefinition::Headers;

constexpr int kMostRedirects = 5;
constexpr std::chrono::milliseconds kConnectTime{10'000};
// The tool's own limit comes first, so that its message is the one that is told.
constexpr std::chrono::milliseconds kAfterTimeout{1'000};
// Of an error's body; more than is shown, so that no secret is cut in two before it is hidden.
constexpr std::size_t kReadErrorBytes = 64 << 10;
// Shorter ones stand in any text by chance.
constexpr std::size_t kLeastSecretBytes = 8;

std::optional<std::string> process_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string origin_url(const UpstreamAddress& origin) {
  return fmt::format("{}://{}", origin.tls ? "https" : "http", origin.authority);
}

Result<const JsonNode*> parse_arguments(JsonTree& tree, std::string_view input) {
  const auto root = tree.parse(input.empty() ? "{}" : input);
  if (!root) return std::unexpected(root.error());
  if (!(*root)->is(Kind::Object))
    return fail_at("input", Errc::InvalidRequest, "the arguments of a tool are an object");
  return *root;
}

// What the arguments of these names hold: a text each, or a list of texts. Anything else would be
// something that nobody could decide about.
Result<std::vector<std::string>> texts_of(const JsonNode& arguments,
                                          const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) {
    const JsonNode* value = arguments.find(name);
    if (value == nullptr || value->is(Kind::Null)) continue;
    const bool is_list = value->is(Kind::Array);
    for (const JsonNode* item = is_list ? value->first : value; item != nullptr;
         item = is_list ? item->next : nullptr) {
      if (!item->is(Kind::String))
        return fail_at(name, Errc::InvalidRequest,
                       "the argument '{}' must be a text or a list of texts", name);
      texts.emplace_back(item->text);
    }
  }
  return texts;
}

std::string without(const JsonNode& arguments, const UrlTemplate& url) {
  JsonTree tree;
  JsonNode* rest = tree.clone(arguments);
  for (const std::string& name : url.names()) JsonTree::remove(*rest, name);
  return write_json(*rest);
}

bool has_header(const Headers& headers, std::string_view name) {
  return std::ranges::any_of(
      headers, [&](const auto& header) { return equal_ignoring_case(header.first, name); });
}

void hide(std::string& text, std::string_view secret) {
  constexpr std::string_view kHidden = "(hidden)";
  if (secret.size() < kLeastSecretBytes) return;
  for (std::size_t at = 0; (at = text.find(secret, at)) != text.npos; at += kHidden.size())
    text.replace(at, secret.size(), kHidden);
}

// What the server is told of the trace that the call is part of, unless the tool has its own.
void add_trace(const ToolCall& call, Headers& headers) {
  const auto* traced = dynamic_cast<const TracedCall*>(call.services);
  const TraceContext* trace = traced ? traced->trace() : nullptr;
  if (!trace || has_header(headers, "traceparent")) return;
  headers.emplace_back("traceparent", write_trace_parent(*trace));
  if (!trace->state.empty() && !has_header(headers, "tracestate"))
    headers.emplace_back("tracestate", trace->state);
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

// One request; a redirection changes `url` and may end `trusted`.
struct HttpTool::Request {
  HttpUrl url;
  std::string body;
  Headers headers;
  std::vector<std::string> secrets;
  bool trusted = true;  // headers are for the tool's own origin only
};

HttpTool::HttpTool(HttpToolDefinition definition, const HttpToolSettings& settings,
                   Environment environment)
    : definition_(std::move(definition)),
      url_(UrlTemplate::parse(definition_.url).value()),
      allowed_private_hosts_(settings.allowed_private_hosts),
      environment_(environment ? std::move(environment) : process_environment) {}

Task<Result<std::optional<PreparedCall>>> HttpTool::prepare(const ToolCall& call, const Cancel&) {
  JsonTree tree;
  const auto arguments = parse_arguments(tree, call.input);
  if (!arguments) co_return std::unexpected(arguments.error());
  auto urls = texts_of(**arguments, definition_.url_arguments);
  if (!urls) co_return std::unexpected(urls.error());
  auto files = texts_of(**arguments, definition_.file_arguments);
  if (!files) co_return std::unexpected(files.error());

  const std::string place = fmt::format("{} {}", definition_.method, origin_url(url_.origin()));
  PreparedCall prepared;
  prepared.invocation_message = fmt::format("Calling '{}': {}", definition_.name, place);
  prepared.past_tense_message = fmt::format("Called '{}': {}", definition_.name, place);
  if (definition_.confirm) {
    prepared.confirmation_title = fmt::format("Call '{}'?", definition_.name);
    prepared.confirmation_message =
        fmt::format("The tool '{}' sends its arguments to a server: {}", definition_.name, place);
  } else {
    prepared.not_needed_reason = "the tool was registered with confirm: false";
  }
  prepared.confirm_results = definition_.confirm_results;
  prepared.urls = std::move(*urls);
  prepared.edited_files = std::move(*files);
  co_return prepared;
}

Task<Result<ToolResult>> HttpTool::invoke(const ToolCall& call, const Cancel& cancel) {
  HttpClient* client = co_await LoopClient::find();
  if (client == nullptr)
    co_return fail(Errc::Internal, "no HTTP client is at hand to call the tool '{}'",
                   definition_.name);
  auto request = make_request(call);
  if (!request) co_return std::unexpected(request.error());
  if (cancel.requested()) co_return fail(Errc::Cancelled, "the call was cancelled");

  CancelSource within_time(cancel);
  bool timed_out = false;
  Deadline deadline(client->loop().deadlines(), [&within_time, &timed_out] {
    timed_out = true;
    within_time.request(CancelReason::Timeout);
  });
  deadline.arm(definition_.timeout);
  auto answer = co_await exchange(*client, std::move(*request), within_time);
  if (answer) co_return map_http_answer(std::move(*answer));
  if (cancel.requested()) co_return fail(Errc::Cancelled, "the call was cancelled");
  if (timed_out)
    co_return fail(Errc::UpstreamTimeout,
                   "the tool '{}' did not answer within {} s (its timeoutSeconds)",
                   definition_.name, std::chrono::duration<double>(definition_.timeout).count());
  co_return std::unexpected(explain(answer.error()));
}

Result<HttpTool::Request> HttpTool::make_request(const ToolCall& call) const {
  JsonTree tree;
  const auto arguments = parse_arguments(tree, call.input);
  if (!arguments) return std::unexpected(arguments.error());
  const bool in_query = definition_.method == "GET" || definition_.method == "DELETE";
  auto url = url_.fill(**arguments, in_query);
  if (!url) return std::unexpected(url.error());
  Request request{
      .url = std::move(*url), .body = {}, .headers = definition_.headers, .secrets = {}};
  if (!in_query && url_.names().empty())
    request.body = call.input.empty() ? "{}" : call.input;
  else if (!in_query)
    request.body = without(**arguments, url_);

  for (const auto& [name, variable] : definition_.headers_env) {
    const auto value = environment_(variable.c_str());
    if (!value || value->empty())
      return fail(Errc::InvalidSettings,
                  "the tool '{}' needs the environment variable {} for its header {}, and the "
                  "gateway has none",
                  definition_.name, variable, name);
    if (!is_header_value(*value))
      return fail(Errc::InvalidSettings,
                  "the environment variable {} holds characters that the header {} of the tool "
                  "'{}' cannot have, perhaps a line break at its end",
                  variable, name, definition_.name);
    request.headers.emplace_back(name, *value);
    request.secrets.push_back(*value);
    // "Bearer key" comes back as "key" as well.
    if (const auto space = value->rfind(' '); space != value->npos)
      request.secrets.push_back(value->substr(space + 1));
  }
  add_trace(call, request.headers);
  return request;
}

std::string HttpTool::make_head(const Request& request) const {
  const bool has_body = !request.body.empty();
  std::string head = fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nVia: 1.1 {}\r\nAccept-Encoding: identity\r\n",
      definition_.method, request.url.target, request.url.origin.authority, instance_name());
  if (has_body) head += fmt::format("Content-Length: {}\r\n", request.body.size());
  if (definition_.method != "GET") head += "Connection: close\r\n";
  Headers sent = request.trusted ? request.headers : Headers{};
  if (!has_header(sent, "User-Agent")) sent.emplace_back("User-Agent", "toolgate");
  if (!has_header(sent, "Accept")) sent.emplace_back("Accept", "*/*");
  if (has_body && !has_header(sent, "Content-Type"))
    sent.emplace_back("Content-Type", "application/json");
  for (const auto& [name, value] : sent)
    head.append(name).append(": ").append(value).append("\r\n");
  return head + "\r\n";
}

bool HttpTool::may_be_private(const UpstreamAddress& origin) const {
  if (definition_.allow_private_addresses) return true;
  return names_host(allowed_private_hosts_, origin);
}

Result<std::optional<HttpUrl>> HttpTool::redirection(const HttpUrl& from,
                                                     const HttpResponse& response) const {
  const auto location = response.head().find("location");
  if (definition_.method != "GET" || !is_redirect(response.status()) || !location)
    return std::nullopt;
  auto next = resolve_location(from, *location);
  if (!next)
    return fail(Errc::UpstreamBroken, "it redirects to an address that is refused: it {}",
                next.error().message);
  return std::move(*next);
}

Task<Result<HttpToolAnswer>> HttpTool::exchange(HttpClient& client, Request request,
                                                const Cancel& cancel) const {
  const auto longest = definition_.timeout + kAfterTimeout;
  for (int redirects = 0;; ++redirects) {
    const std::string head = make_head(request);
    const std::string_view body = request.body;
    auto response =
        co_await client.send({.to = request.url.origin,
                              .method = definition_.method,
                              .head = head,
                              .body = std::span(&body, body.empty() ? 0 : 1),
                              .times = {std::min(kConnectTime, longest), longest, longest},
                              .public_addresses_only = !may_be_private(request.url.origin),
                              .once = definition_.method != "GET"},
                             cancel);
    if (!response) co_return std::unexpected(response.error());
    auto next = redirection(request.url, **response);
    if (!next) co_return std::unexpected(next.error());
    if (!*next) {
      auto answer = co_await read_answer(**response, cancel);
      if (answer && is_text(*answer))
        for (const std::string& secret : request.secrets) hide(answer->body, secret);
      co_return answer;
    }
    if (redirects == kMostRedirects)
      co_return fail(Errc::UpstreamBroken, "it redirects more than {} times", kMostRedirects);
    request.trusted = request.trusted && same_origin(request.url, **next);
    request.url = std::move(**next);
  }
}

Task<Result<HttpToolAnswer>> HttpTool::read_answer(HttpResponse& response,
                                                   const Cancel& cancel) const {
  const auto encoding = response.head().find("content-encoding");
  if (encoding && !equal_ignoring_case(*encoding, "identity"))
    co_return fail(Errc::UpstreamBroken, "its answer is compressed, which was not asked for");
  HttpToolAnswer answer{.status = response.status()};
  if (const auto type = response.head().find("content-type")) answer.content_type = *type;
  const bool is_error = answer.status < 200 || answer.status > 299;
  const std::size_t limit = is_error ? kReadErrorBytes : definition_.max_response_bytes;
  while (answer.body.size() <= limit) {
    auto more = co_await response.read_some(answer.body, cancel);
    // What an error says may be cut off; that it is one is known all the same.
    if (!more && (!is_error || cancel.requested())) co_return std::unexpected(more.error());
    if (!more || !*more) co_return answer;
  }
  if (!is_error)
    co_return fail(Errc::UpstreamBroken, "its answer is over {} bytes (its maxResponseBytes)",
                   limit);
  co_return answer;
}

Error HttpTool::explain(const Error& error) const {
  const std::string& host = url_.origin().authority;
  std::string why = error.message;
  if (error.code == Errc::UpstreamTimeout)
    why = fmt::format("connecting took longer than {} s",
                      std::chrono::duration<double>(kConnectTime).count());
  if (error.code == Errc::Forbidden)
    why +=
        "; for a server in your own network, register the tool with allowPrivateAddresses or add "
        "the host to toolgate.httpTools.allowedHosts";
  return {error.code,
          fmt::format("the tool '{}' at {} cannot be used: {}", definition_.name, host, why),
          {}};
}

}  // namespace toolgate
