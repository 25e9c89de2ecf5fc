// What the demo model answers:
//   results after the last user message   "NAME answered: …" for each of them
//   #name {"json":"arguments"} in it      a call of that tool for each reference, {} without
//   arguments neither                               a short text on what the demo can do
// models/demo turns the answer into OpenAI's forms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "wire/openai_chat.h"

namespace toolgate {

struct DemoCall {
  std::string name;
  std::string arguments;  // JSON as the user wrote it
};

struct DemoReply {
  std::string text;
  std::vector<DemoCall> calls = {};
  bool cut = false;  // the text ended at max_tokens, counted in words
};

struct DemoReference {
  std::string name;
  std::string arguments;
  std::string fault;  // why the arguments are no JSON; empty when they are
};

// `#name` at the beginning of a word, with the JSON object behind it if there is one.
std::vector<DemoReference> find_demo_references(std::string_view text);

// Fails when a message that must be read is no valid JSON in its strings.
Result<DemoReply> make_demo_reply(const ChatRequest& request);

}  // namespace toolgate
