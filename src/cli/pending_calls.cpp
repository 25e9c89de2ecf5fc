#include "cli/pending_calls.h"

#include <algorithm>
#include <tuple>

#include "cli/json_document.h"

namespace toolgate {
namespace {

constexpr std::size_t kWholeId = 28;  // "inv_" and 24 characters

}  // namespace

Result<std::string> list_waiting(GatewayClient& client) {
  std::string out = R"({"object":"list","data":[)";
  for (const std::string_view state : {"WaitingForConfirmation", "WaitingForPostApproval"}) {
    auto answer = client.ask("GET", fmt::format("/v1/invocations?state={}&limit=10000", state));
    if (!answer) return answer;
    const auto document = JsonDocument::parse(std::move(*answer));
    if (!document) return std::unexpected(document.error());
    const std::string rows = json_of(document->root(), "data");
    if (rows.size() <= 2) continue;
    if (out.back() == '}') out += ',';
    out += rows.substr(1, rows.size() - 2);
  }
  return out + "]}";
}

Result<std::vector<WaitingCall>> read_waiting(GatewayClient& client) {
  auto list = list_waiting(client);
  if (!list) return std::unexpected(list.error());
  auto calls = parse_waiting_calls(std::move(*list));
  if (calls)
    std::ranges::sort(*calls, [](const WaitingCall& a, const WaitingCall& b) {
      return std::tie(b.created_at, b.id) < std::tie(a.created_at, a.id);
    });
  return calls;
}

std::string call_path(std::string_view id, std::string_view what) {
  return fmt::format("/v1/invocations/{}{}", encode_percent(id), what);
}

Result<std::string> find_id(GatewayClient& client, const std::string& given) {
  const bool is_whole = given.starts_with("inv_") && given.size() == kWholeId;
  if (is_whole) return given;
  const auto calls = read_waiting(client);
  if (!calls) return std::unexpected(calls.error());
  if (given == "last") {
    if (calls->empty()) return fail(Errc::NotFound, "no call waits for a decision");
    return calls->front().id;
  }
  std::vector<std::string> found;
  for (const WaitingCall& call : *calls)
    if (call.id.starts_with(given) || call.id.starts_with("inv_" + given)) found.push_back(call.id);
  if (found.size() == 1) return found.front();
  if (found.empty())
    return fail(Errc::NotFound,
                "no call that begins with '{}' waits; 'toolgate pending' lists them", given);
  return fail(Errc::InvalidRequest, "'{}' begins the names of {} calls: {}", given, found.size(),
              fmt::join(found, ", "));
}

Result<WaitingCall> read_call(GatewayClient& client, const std::string& id) {
  auto row = client.ask("GET", call_path(id));
  if (!row) return std::unexpected(row.error());
  return parse_waiting_call(std::move(*row));
}

}  // namespace toolgate
