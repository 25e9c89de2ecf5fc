// The text that a person types at a prompt, changed by the bytes that a terminal sends for keys.
// Pure: prompt.h reads the keys and draws the text. Written by hand: readline is GPL, and the
// others in Debian own the terminal and block, where ours is read on a loop.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

class LineEditor {
 public:
  // What whoever shows the text has to do.
  enum class Wish {
    More,      // nothing: all bytes are taken
    Submit,    // Enter
    Complete,  // Tab
    Clear,     // Ctrl-L: the screen
    Leave,     // Ctrl-D without a text
  };

  // Takes bytes off the front up to the first wish.
  Wish take(std::string_view& bytes);

  const std::string& text() const { return text_; }
  std::size_t cursor() const { return cursor_; }  // in bytes, between characters

  void set(std::string text);
  // Puts a text in place of what stands from `from` to the cursor.
  void replace(std::size_t from, std::string_view text);

  // What Up and Down go through, oldest first.
  void set_history(std::vector<std::string> entries);

 private:
  Wish control(char byte);
  bool escape(std::string_view& bytes);
  void escaped_key(char byte);
  void sequence(std::string_view numbers, char end);
  void paste(std::string_view& bytes);
  void end_paste();
  void insert(std::string_view text);
  void erase(std::size_t from, std::size_t to);
  void kill(std::size_t from, std::size_t to);
  Wish enter();

  std::size_t before(std::size_t at) const;
  std::size_t after(std::size_t at) const;
  std::size_t word_before(std::size_t at) const;
  std::size_t word_after(std::size_t at) const;
  std::size_t line_begin(std::size_t at) const;
  std::size_t line_end(std::size_t at) const;
  void up();
  void down();
  void show_entry(std::size_t entry);

  std::string text_;
  std::size_t cursor_ = 0;
  std::string held_;          // the beginning of a key or character whose rest is still to come
  std::string pasted_;        // so far, while a paste comes
  bool is_too_long_ = false;  // what is pasted
  bool pasting_ = false;
  std::string killed_;
  std::vector<std::string> history_;
  std::size_t entry_ = 0;  // history_.size(): the text that is written now
  std::string draft_;      // that text, while an older one is shown
};

}  // namespace toolgate
