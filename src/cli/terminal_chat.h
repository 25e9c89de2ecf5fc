// The conversation of `toolgate chat`: at a terminal prompt after prompt, or one prompt and its
// answer. What was said is sent again with each prompt; what failed is not.
#pragma once

#include <filesystem>
#include <string>

#include "cli/chat_commands.h"
#include "cli/chat_turn.h"
#include "cli/prompt_history.h"

namespace toolgate {

class TerminalChat {
 public:
  TerminalChat(GatewayPlace& place, Desk& desk, ChatView& view, ChatOptions options)
      : place_(place), desk_(desk), view_(view), conversation_{.options = std::move(options)} {}

  // Until the person leaves; the exit status. The desk has a keyboard.
  Task<int> converse(std::filesystem::path history_file);

  // One prompt; the person has been told how it ended.
  Task<ChatOutcome> answer(std::string prompt);

 private:
  void greet() const;
  Task<PromptLine> read_prompt(PromptHistory& history);
  bool wants_to_leave(const PromptLine& line);
  void tell_end(const ChatOutcome& outcome, std::chrono::milliseconds took);
  void remember(std::string prompt, const ChatOutcome& outcome);

  GatewayPlace& place_;
  Desk& desk_;
  ChatView& view_;
  Conversation conversation_;
  ChatCommands commands_{place_.client(), desk_, conversation_};
  int interrupts_ = 0;  // one after the other at an empty prompt
};

// "gpt · 2 rounds · 1 call · 317 tokens · 1.2 s"
std::string chat_footer(const ChatAnswer& answer, std::chrono::milliseconds took);

}  // namespace toolgate
