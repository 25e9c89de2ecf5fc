// The person at the terminal: keys one by one, and Ctrl-C, on a loop. `toolgate call` asks with
// them.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "async/loop.h"

namespace toolgate {

class Keyboard {
 public:
  // `woken` is called on the loop after a key. Null where nobody sits at a
  // terminal: standard input is none, or, where `input_is_taken`, the process has none at all.
  static std::unique_ptr<Keyboard> open(Loop& loop, bool input_is_taken,
                                        std::function<void()> woken);
  ~Keyboard();
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  // From now on keys come unseen and without Enter. What was typed before is thrown away: it was
  // no answer to what is asked now.
  void listen();
  // The terminal is as it was; for an editor, and at the end.
  void rest();

  // The oldest key that was pressed. Pasted text and keys that send more than one character, such
  // as arrows, count for nothing.
  std::optional<char> take();

 private:
  struct Impl;
  explicit Keyboard(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl_;
};

// Counts Ctrl-C (and SIGTERM) while it exists, instead of ending the process.
class Interrupts {
 public:
  Interrupts(Loop& loop, std::function<void()> woken);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  int count() const;
  // Those that came meanwhile were meant for another program.
  void forget(int since);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace toolgate
