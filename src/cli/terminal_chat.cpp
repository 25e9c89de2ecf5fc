#include "cli/terminal_chat.h"

#include "cli/moments.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::string_view kCancelled = "[cancelled by the user]";

std::string trimmed(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kWhite);
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kWhite) + 1 - begin));
}

std::string advice_on(const ChatFailure& failure) {
  if (failure.code == "context_length_exceeded")
    return "The conversation is too long for this model: /new begins another one, /model changes "
           "the model.";
  if (failure.code == "model_not_found") return "/model lists the models there are.";
  return "The conversation goes on without it; Up brings your prompt back.";
}

}  // namespace

std::string chat_footer(const ChatAnswer& answer, std::chrono::milliseconds took) {
  std::string text = visible_text(answer.model, false);
  const auto add = [&text](const std::string& words) { text += " · " + words; };
  if (answer.report.rounds > 1)
    add(counted(static_cast<std::size_t>(answer.report.rounds), "round"));
  if (answer.report.calls > 0) add(counted(answer.report.calls, "call"));
  if (answer.tokens > 0) add(counted(static_cast<std::size_t>(answer.tokens), "token"));
  add(duration_words(took.count()));
  return text;
}

void TerminalChat::greet() const {
  const std::string& model = conversation_.options.model;
  desk_.terminal.say(Paint::Dim,
                     fmt::format("{}. /help says what there is, Ctrl-D leaves.",
                                 model.empty() ? "The default model answers" : model + " answers"));
  desk_.terminal.print("\n");
}

Task<int> TerminalChat::converse(std::filesystem::path history_file) {
  PromptHistory history(std::move(history_file));
  greet();
  while (!desk_.interrupts.is_told_to_end() && !desk_.keyboard->is_gone()) {
    const PromptLine line = co_await read_prompt(history);
    if (wants_to_leave(line)) break;
    std::string text = trimmed(line.text);
    if (!line.is_submitted() || text.empty()) continue;
    const bool is_command = is_chat_command(text);
    history.add(text, !is_command);
    if (!is_command)
      (void)co_await answer(std::move(text));
    else if (!co_await commands_.run(std::move(text)))
      break;
    desk_.terminal.print("\n");
  }
  desk_.keyboard->rest();
  co_return 0;
}

Task<PromptLine> TerminalChat::read_prompt(PromptHistory& history) {
  const auto complete = [this](std::string text, std::size_t cursor) -> Task<Completion> {
    const ChatWords words = co_await commands_.words();
    co_return complete_chat(text, cursor, words);
  };
  Prompt prompt(desk_, {.mark = "› ", .history = history.entries(), .complete = complete});
  co_return co_await prompt.read();
}

bool TerminalChat::wants_to_leave(const PromptLine& line) {
  if (line.end == PromptLine::End::Left) return true;
  interrupts_ = line.is_submitted() || !line.text.empty() ? 0 : interrupts_ + 1;
  if (interrupts_ == 1) desk_.say(Paint::Dim, "Ctrl-C once more leaves; so do Ctrl-D and /exit.");
  return interrupts_ > 1;
}

Task<ChatOutcome> TerminalChat::answer(std::string prompt) {
  const auto began = ChatView::Clock::now();
  std::vector<SaidMessage> messages = conversation_.messages;
  messages.push_back({"user", prompt});
  if (desk_.keyboard && view_.is_alive()) desk_.keyboard->listen_to_text();
  ChatTurn turn(place_, desk_, view_, conversation_.options);
  ChatOutcome outcome = co_await turn.run(messages);
  const auto took = ChatView::Clock::now() - began;
  tell_end(outcome, std::chrono::duration_cast<std::chrono::milliseconds>(took));
  remember(std::move(prompt), outcome);
  co_return outcome;
}

void TerminalChat::tell_end(const ChatOutcome& outcome, std::chrono::milliseconds took) {
  for (const std::string& warning : outcome.answer.report.warnings)
    if (!warning.starts_with("use_vscode_tools: no tools"))  // nobody here wrote that they want any
      view_.remark(Paint::Yellow, visible_text(on_one_line(warning), false));
  for (const std::string& name : outcome.answer.client_calls)
    view_.remark(Paint::Yellow, fmt::format("{} was called, but nothing runs it here: its "
                                            "extension only declares it",
                                            visible_text(name, false)));
  if (outcome.is_cancelled) {
    view_.remark(Paint::Yellow, "cancelled");
  } else if (outcome.failure) {
    view_.remark(Paint::Red, visible_text(outcome.failure->message));
    if (view_.is_alive()) view_.remark(Paint::Dim, advice_on(*outcome.failure));
  } else if (view_.is_alive()) {
    view_.remark(Paint::Dim, chat_footer(outcome.answer, took));
  }
}

// What a person cancelled was still said.
void TerminalChat::remember(std::string prompt, const ChatOutcome& outcome) {
  if (outcome.failure) return;
  std::string text = outcome.answer.text + outcome.answer.refusal;
  if (outcome.is_cancelled) text += (text.empty() ? "" : "\n\n") + std::string(kCancelled);
  if (!outcome.answer.model.empty()) conversation_.answered_by = outcome.answer.model;
  conversation_.messages.push_back({"user", std::move(prompt)});
  conversation_.messages.push_back({"assistant", std::move(text)});
}

}  // namespace toolgate
