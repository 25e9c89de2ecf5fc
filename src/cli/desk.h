// Where a command and a person meet: what is shown, what is pressed, Ctrl-C, and the wait for any
// of it. `toolgate call` and `toolgate chat` sit at one.
#pragma once

#include <memory>
#include <string>

#include "async/deadline.h"
#include "async/event.h"
#include "cli/keyboard.h"
#include "cli/status_line.h"

namespace toolgate {

struct Desk {
  // `asks`: whether someone may be asked here; `input_is_taken`: see Keyboard.
  Desk(Loop& loop, const Terminal& shown_on, bool asks, bool input_is_taken)
      : terminal(shown_on),
        status(terminal),
        tick(loop.deadlines(), [this] { changed.set(); }),
        interrupts(loop, [this] { changed.set(); }) {
    if (terminal.is_terminal() && asks)
      keyboard = Keyboard::open(loop, input_is_taken, [this] { changed.set(); });
  }

  // Until something has changed, or it is time to draw again.
  Task<> wake() {
    terminal.flush();
    tick.arm(kTick);
    co_await changed.wait();
  }

  void say(Paint paint, const std::string& text) {
    status.clear();
    terminal.say(paint, text);
  }

  static constexpr std::chrono::milliseconds kTick{100};

  Terminal terminal;
  StatusLine status;
  Event changed;
  Deadline tick;
  Interrupts interrupts;
  std::unique_ptr<Keyboard> keyboard;  // null: nobody to ask here
};

}  // namespace toolgate
