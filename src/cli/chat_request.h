// What `toolgate chat` sends and keeps: the conversation so far, the request for the next answer,
// and the answer as one object. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/chat_chunk.h"

namespace toolgate {

struct SaidMessage {
  std::string role;
  std::string text;
};

// What the command line asks for.
struct ChatOptions {
  std::string model = {};    // empty: the gateway's default
  std::string session = {};  // its id
  std::string system = {};
  std::vector<std::string> include_tools = {};
  std::vector<std::string> exclude_tools = {};
  std::optional<unsigned> max_rounds = {};
  bool uses_tools = true;
  bool allows_all = false;  // --yes
  bool may_ask = true;      // false: what would ask is denied
};

std::string write_chat_request(const ChatOptions& options,
                               const std::vector<SaidMessage>& conversation);

// An answer, as far as it came.
struct ChatAnswer {
  std::string id = {};
  std::int64_t created = 0;
  std::string model = {};
  std::string text = {};
  std::string refusal = {};
  std::string finish_reason = {};
  std::vector<std::string> client_calls = {};
  std::string usage = {};  // JSON
  std::int64_t tokens = 0;
  ChatReport report = {};

  void add(const ChatChunk& chunk);
};

// The object that POST /v1/chat/completions gives without a stream.
std::string write_chat_answer(const ChatAnswer& answer);

}  // namespace toolgate
