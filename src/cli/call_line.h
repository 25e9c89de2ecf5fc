// One call of a model on one line: how it is, its name, its arguments in short, and how long it
// took or how far it is. Pure; chat_view prints it.
#pragma once

#include <chrono>
#include <string>

#include "cli/chat_chunk.h"
#include "cli/terminal.h"

namespace toolgate {

struct CallOnScreen {
  ChatCall call;
  double progress = 0;
  std::string message = {};                            // of its progress
  std::chrono::steady_clock::time_point began = {};    // when it was first heard of
  std::chrono::steady_clock::time_point running = {};  // since when it runs
  bool is_cancelled = false;                           // by Ctrl-C here

  bool is_over() const { return call.has_ended() || is_cancelled; }
};

// Fits the terminal's window.
std::string call_line(const CallOnScreen& call, std::chrono::steady_clock::time_point now,
                      const Terminal& terminal);

}  // namespace toolgate
