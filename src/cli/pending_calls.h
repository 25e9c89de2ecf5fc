// The calls that wait for a person in a running gateway: `pending`, `approve`, `deny` and `skip`
// find theirs here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/gateway_client.h"
#include "cli/waiting_call.h"

namespace toolgate {

// As GET /v1/invocations answers, of both states in which a call waits.
Result<std::string> list_waiting(GatewayClient& client);
// Newest first.
Result<std::vector<WaitingCall>> read_waiting(GatewayClient& client);

// "/v1/invocations/{id}", and what follows.
std::string call_path(std::string_view id, std::string_view what = {});
Result<WaitingCall> read_call(GatewayClient& client, const std::string& id);

// `given` is a whole id, the beginning of one that waits, or `last` for the newest.
Result<std::string> find_id(GatewayClient& client, const std::string& given);

}  // namespace toolgate
