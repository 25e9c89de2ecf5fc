#include "cli/gateway_client.h"

#include <boost/asio/ip/address.hpp>

#include "base/ascii.h"
#include "cli/catalog_options.h"
#include "cli/input.h"
#include "cli/json_document.h"
#include "cli/terminal.h"
#include "gateway/gateway_file.h"
#include "gateway/operator_token.h"
#include "wire/openai_error.h"
#include "wire/sse.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostAnswerBytes = std::size_t{256} << 20;
constexpr std::size_t kMostEventBytes = std::size_t{64} << 20;
// A call may wait for a person for days.
constexpr UpstreamTimes kPatience{.connect = std::chrono::seconds(10),
                                  .first_byte = std::chrono::hours(24 * 365),
                                  .idle = std::chrono::minutes(5)};

bool is_this_machine(const std::string& host) {
  if (equal_ignoring_case(host, "localhost")) return true;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

Errc code_of(int status) {
  switch (status) {
    case 400:
      return Errc::InvalidRequest;
    case 401:
      return Errc::Unauthorized;
    case 403:
      return Errc::Forbidden;
    case 404:
      return Errc::NotFound;
    case 409:
      return Errc::Conflict;
    case 503:
      return Errc::ShuttingDown;
    default:
      return Errc::UpstreamBroken;
  }
}

Result<std::string> read_token(const std::filesystem::path& data, const UpstreamAddress& address) {
  if (auto given = read_environment("TOOLGATE_TOKEN"); given && !given->empty()) return *given;
  if (!is_this_machine(address.host))
    return fail(Errc::Unauthorized,
                "{} is another machine: set TOOLGATE_TOKEN to its operator token (the file "
                "operator-token in its data folder)",
                address.url);
  std::error_code ignored;
  if (data.empty() || !std::filesystem::exists(data / "operator-token", ignored))
    return fail(Errc::Unauthorized,
                "there is no operator token in {}: name the gateway's data folder with --data",
                data.string());
  return open_operator_token(data);
}

Result<GatewayLink> link_to(const std::string& url, const std::filesystem::path& data) {
  auto address = parse_base_url(url);
  if (!address) return fail(Errc::InvalidRequest, "the gateway's URL {}", address.error().message);
  auto token = read_token(data, *address);
  if (!token) return std::unexpected(token.error());
  return GatewayLink{.address = std::move(*address), .token = std::move(*token)};
}

// Our own gateway's message in its lines, which read_upstream_error joins.
std::string message_in_lines(std::string_view body) {
  const auto document = JsonDocument::parse(std::string(body));
  const JsonNode* error = document ? document->root().find("error") : nullptr;
  return error ? text_of(*error, "message") : std::string();
}

Error refusal(int status, std::string_view body) {
  const ErrorBody error = read_upstream_error(status, body);
  const std::string lines = message_in_lines(body);
  return {code_of(status), visible(lines.empty() ? error.message : lines),
          error.param.value_or("")};
}

Error about_gateway(Error error, const std::string& url) {
  if (error.code == Errc::UpstreamUnreachable)
    error.message = fmt::format("the gateway at {} cannot be reached: {}", url, error.message);
  else if (error.code == Errc::UpstreamBroken)
    error.message = fmt::format("the gateway at {} went away", url);
  return error;
}

}  // namespace

void add_url_option(CLI::App& command, GatewayChoice& choice) {
  choice.url = read_environment("TOOLGATE_URL").value_or("");
  command
      .add_option("--url", choice.url,
                  "The running gateway to ask, instead of the one on the data folder; also "
                  "TOOLGATE_URL")
      ->type_name("URL");
}

void add_gateway_options(CLI::App& command, GatewayChoice& choice) {
  choice.data = default_data_folder();
  command
      .add_option("--data", choice.data, "Folder of the gateway's data, with the operator token")
      ->type_name("DIR")
      ->default_str("~/.local/share/toolgate");
  add_url_option(command, choice);
}

Result<std::optional<GatewayLink>> find_gateway(const GatewayChoice& choice) {
  const auto running = find_running_gateway(choice.data);
  if (choice.url.empty()) {
    if (!running) return std::unexpected(running.error());
    if (!*running) return std::nullopt;
  }
  auto link = link_to(choice.url.empty() ? (*running)->address : choice.url, choice.data);
  if (!link) return std::unexpected(link.error());
  if (running && *running && (*running)->address == link->address.url)
    link->workspace = (*running)->workspace;
  return std::move(*link);
}

Result<void> check_workspace(const GatewayLink& link, const CatalogOptions& options) {
  const std::string asked = workspace_path(options.settings);
  std::error_code ignored;
  if (link.workspace.empty() || link.workspace == asked ||
      std::filesystem::equivalent(link.workspace, asked, ignored))
    return {};
  if (options.names_workspace)
    return fail(Errc::Conflict,
                "the gateway at {} works in {}, not in {}: leave --workspace out to use it, stop "
                "it, or name another data folder with --data to do without it",
                link.address.url, visible(link.workspace), visible(asked));
  fmt::print(stderr, "toolgate: the gateway at {} works in {}, not in the current folder\n",
             link.address.url, visible(link.workspace));
  return {};
}

Result<GatewayLink> need_gateway(const GatewayChoice& choice) {
  auto found = find_gateway(choice);
  if (!found) return std::unexpected(found.error());
  if (*found) return std::move(**found);
  return fail(Errc::NotFound,
              "no gateway runs on the data folder {}, so nothing waits there. 'toolgate serve' "
              "starts one; one with another data folder is named with --data DIR, one elsewhere "
              "with --url URL",
              with_tilde(visible(choice.data.string())));
}

std::string GatewayClient::head_of(std::string_view method, std::string_view path,
                                   std::size_t body) const {
  std::string head = fmt::format(
      "{} {}{} HTTP/1.1\r\nHost: {}\r\nUser-Agent: toolgate\r\nAuthorization: Bearer {}\r\n",
      method, link_.address.path, path, link_.address.authority, link_.token);
  if (method == "POST" || method == "PUT")
    head += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body);
  return head + "\r\n";
}

Task<Result<std::unique_ptr<HttpResponse>>> GatewayClient::open(const std::string& method,
                                                                const std::string& path,
                                                                const std::string& body,
                                                                const Cancel& cancel) {
  const std::string head = head_of(method, path, body.size());
  const std::string_view slice = body;
  // A call must not be made twice because a connection broke.
  const HttpCall call{.to = link_.address,
                      .method = method,
                      .head = head,
                      .body = {&slice, body.empty() ? std::size_t{0} : std::size_t{1}},
                      .times = kPatience,
                      .once = method == "POST"};
  auto response = co_await client_.send(call, cancel);
  if (!response) co_return std::unexpected(about_gateway(std::move(response.error()), url()));
  co_return response;
}

Task<Result<std::string>> GatewayClient::send(std::string method, std::string path,
                                              std::string body, const Cancel& cancel) {
  auto response = co_await open(method, path, body, cancel);
  if (!response) co_return std::unexpected(std::move(response.error()));
  auto answer = co_await (*response)->read_all(kMostAnswerBytes, cancel);
  if (!answer) co_return std::unexpected(about_gateway(std::move(answer.error()), url()));
  const int status = (*response)->status();
  if (status < 200 || status > 299) co_return std::unexpected(refusal(status, *answer));
  co_return std::move(*answer);
}

Result<std::string> GatewayClient::ask(std::string method, std::string path, std::string body) {
  const CancelSource never;
  return run_on(loop_, send(std::move(method), std::move(path), std::move(body), never));
}

Task<Result<void>> GatewayClient::follow(std::string path, std::function<void()> connected,
                                         Told told, const Cancel& cancel) {
  return read_events("GET", std::move(path), {}, std::move(connected), std::move(told), cancel);
}

Task<Result<void>> GatewayClient::post_and_follow(std::string path, std::string body, Told told,
                                                  const Cancel& cancel) {
  return read_events("POST", std::move(path), std::move(body), [] {}, std::move(told), cancel);
}

Task<Result<void>> GatewayClient::read_events(std::string method, std::string path,
                                              std::string body, std::function<void()> connected,
                                              Told told, const Cancel& cancel) {
  auto response = co_await open(method, path, body, cancel);
  if (!response) co_return std::unexpected(std::move(response.error()));
  if (const int status = (*response)->status(); status != 200) {
    const auto refused = co_await (*response)->read_all(kMostAnswerBytes, cancel);
    if (refused && method == "POST") told({}, *refused);
    co_return std::unexpected(refusal(status, refused ? *refused : ""));
  }
  connected();
  SseReader reader(kMostEventBytes);
  for (bool more = true; more;) {
    std::string received;
    const auto read = co_await (*response)->read_some(received, cancel);
    if (!read) co_return std::unexpected(about_gateway(read.error(), url()));
    more = *read;
    reader.feed(received);
    while (true) {
      const auto event = reader.next();
      if (!event) co_return std::unexpected(event.error());
      if (!*event) break;
      told((*event)->event, (*event)->data);
    }
  }
  co_return Result<void>{};
}

std::string encode_percent(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace toolgate
