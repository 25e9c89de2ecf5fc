// Mode "pass-through": one chat request goes to its model, the answer comes back complete and
// well-formed, tool calls included. gateway/endpoints/chat gives it the request and a sink.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/round_record.h"
#include "models/provider.h"
#include "wire/openai_error.h"
#include "wire/turn_report.h"

namespace toolgate {

using PassedHeaders = std::vector<std::pair<std::string, std::string>>;

// Where an answer goes. Exactly one of: fail(), whole(), or begin() then write()s and end().
class ChatSink {
 public:
  virtual ~ChatSink() = default;
  virtual Task<Result<void>> fail(const ErrorBody& error, const PassedHeaders& headers) = 0;
  virtual Task<Result<void>> whole(std::string body, const PassedHeaders& headers) = 0;
  virtual void begin(const PassedHeaders& headers) = 0;
  virtual Task<Result<void>> write(std::string_view events) = 0;
  virtual Task<Result<void>> end(std::string_view events) = 0;
};

// Fails only when the client has gone; everything else is told through the sink.
Task<Result<void>> pass_through(ProviderCall call, const ChatProvider& provider, TurnReport report,
                                RoundNotes& notes, ChatSink& sink, const Cancel& cancel);

}  // namespace toolgate
