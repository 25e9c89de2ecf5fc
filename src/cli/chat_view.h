// How a conversation looks: the text of an answer as it comes, a line for each call, and remarks.
// On a terminal lines of running calls are alive; with a pipe for the text everything else is plain
// lines on stderr. chat_turn tells it what happens.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cli/call_line.h"
#include "cli/live_lines.h"
#include "cli/markdown_stream.h"

namespace toolgate {

class ChatView {
 public:
  using Clock = std::chrono::steady_clock;
  enum class TextTo { Screen, Pipe, Nowhere };

  // `screen` is for everything; of texts only with TextTo::Screen.
  ChatView(const Terminal& screen, TextTo text_to)
      : screen_(screen), text_to_(text_to), markdown_(screen) {}

  bool is_alive() const { return text_to_ == TextTo::Screen; }

  void begin_turn();
  void text(std::string_view text);
  // `waiting_for`: who is thinking, where nothing else is to be seen; empty: nobody. Draws at most
  // ten times a second unless it must.
  void calls(const std::vector<CallOnScreen>& calls, std::string_view waiting_for, bool must_draw);
  // What we have to say: on the screen a line in colour, elsewhere as every command says it.
  void remark(Paint paint, std::string_view text);
  // Whatever is drawn again and again leaves the screen, and the cursor stands on a new line.
  void settle();

 private:
  enum class Section { Nothing, Text, Calls };

  void begin(Section section);
  void end_text();
  bool draw_calls(const std::vector<CallOnScreen>& calls, const std::string& thinking,
                  Clock::time_point now);
  void print_ended(const std::vector<CallOnScreen>& calls, Clock::time_point now);

  const Terminal& screen_;
  const TextTo text_to_;
  MarkdownStream markdown_;
  LiveLines live_;
  Section section_ = Section::Nothing;
  bool ends_line_ = true;  // the text so far
  std::size_t kept_ = 0;   // calls whose lines will not change any more
  std::unordered_set<std::string> printed_;
  Clock::time_point began_ = {};
  Clock::time_point drawn_ = {};
};

}  // namespace toolgate
