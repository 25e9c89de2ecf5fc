// The person at the terminal: keys one by one, lines of text, and Ctrl-C, on a loop. `toolgate
// call` asks with them, `toolgate chat` reads its prompts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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
  // From now on everything that is typed is kept, unseen, until take_text().
  void listen_to_text();
  // The terminal is as it was; for an editor, and at the end.
  void rest();

  // The oldest key that was pressed. Pasted text and keys that send more than one character, such
  // as arrows, count for nothing.
  std::optional<char> take();
  // All bytes since the last time, as the terminal sent them.
  std::string take_text();
  // Comes first the next time.
  void put_back(std::string_view text);
  // Nothing will come any more: the terminal is gone.
  bool is_gone() const;
  // How many times the window has another size, or the process came back from the background.
  int window_changes() const;

 private:
  struct Impl;
  explicit Keyboard(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl_;
};

// Counts Ctrl-C (and SIGTERM) while it exists, instead of ending the process. Of a SIGTERM it also
// knows that it was one.
class Interrupts {
 public:
  Interrupts(Loop& loop, std::function<void()> woken);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  int count() const;
  bool is_told_to_end() const;
  // Those that came meanwhile were meant for another program.
  void forget(int since);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace toolgate
