// Reads a text at the terminal: draws it while it is typed, completes words, and ends with Enter,
// Ctrl-C or Ctrl-D. `toolgate chat` asks with it, and so does a question that wants words.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/desk.h"
#include "cli/line_editor.h"
#include "toolgate/task.h"

namespace toolgate {

// What may stand in place of the text from `from` to the cursor.
struct Completion {
  std::size_t from = 0;
  std::string text = {};
  std::vector<std::string> choices = {};  // to be listed
};

struct PromptLine {
  enum class End { Submitted, Interrupted, Left };
  End end = End::Submitted;
  std::string text = {};

  bool is_submitted() const { return end == End::Submitted; }
};

class Prompt {
 public:
  struct Options {
    std::string mark = {};
    std::vector<std::string> history = {};
    // Null: Tab does nothing.
    std::function<Task<Completion>(std::string text, std::size_t cursor)> complete = {};
  };

  // The desk has a keyboard.
  Prompt(Desk& desk, Options options);

  Task<PromptLine> read();

 private:
  Task<PromptLine> read_keys();
  Task<> obey(LineEditor::Wish wish);
  Task<> complete();
  void draw();
  bool draw_what_was_added();
  void draw_all();
  void draw_anew();
  void leave_text();

  Desk& desk_;
  const Options options_;
  LineEditor editor_;
  std::string drawn_;       // the text on the screen,
  std::size_t cursor_ = 0;  // the cursor in it,
  std::size_t row_ = 0;     // and its row below the first that is drawn
  std::size_t rows_ = 1;    // that are drawn
};

}  // namespace toolgate
