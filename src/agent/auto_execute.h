// Mode "auto": the model is asked, the calls it makes of registered tools are made here, and it is
// asked again with what came of them, until it answers or calls a tool of the client. To the client
// all of that is one answer. gateway/endpoints/chat gives it the request and a sink.
#pragma once

#include <functional>
#include <string>

#include "agent/pass_through.h"
#include "agent/turn_calls.h"
#include "invoke/ledger.h"

namespace toolgate {

struct AutoExecution {
  const ChatProvider& provider;
  HttpClient& client;
  Ledger& ledger;
  const Redaction* redaction = nullptr;  // of what the client is told of calls
  CallSetting calls;
  RoundNotes& notes;
  std::size_t most_tokens = 10'000'000;
  std::chrono::milliseconds time{3'600'000};
  std::chrono::milliseconds keep_turns{86'400'000};  // for a client that has calls to make
  // Reads a body as the client's was read.
  std::function<Result<ChatRequest>(std::string_view body)> parse;
  // Adds and shapes tools; `chosen` gets those that may be called.
  std::function<Task<Result<void>>(ChatRequest& request, TurnReport& report,
                                   std::vector<std::uint32_t>& chosen)>
      offer;
};

// Fails only when the client has gone; everything else is told through the sink. `request` is the
// client's, and its body must live until the end.
Task<Result<void>> auto_execute(const ChatRequest& request, AutoExecution execution, ChatSink& sink,
                                const Cancel& cancel);

}  // namespace toolgate
