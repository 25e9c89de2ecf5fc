// What a terminal would show, as plain text for a model: escape sequences obeyed or left out,
// carriage returns and backspaces applied, so that a progress bar is one line and not a thousand.
// Of long output the beginning and the end are kept. Pure; terminals.h feeds it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

// The beginning and the end of a text of lines, each within its limit.
class KeptText {
 public:
  KeptText(std::size_t head_bytes, std::size_t tail_bytes)
      : head_limit_(head_bytes), tail_limit_(tail_bytes) {}

  void add_line(std::string line);
  // With `behind` as what follows; a note stands where something was left out.
  std::string text(std::string_view behind) const;
  std::uint64_t left_out() const { return left_out_; }  // bytes
  std::uint64_t total() const { return total_; }        // bytes, of all lines so far
  // The end, whole lines, at most so many bytes.
  std::string last(std::size_t bytes) const;

 private:
  std::size_t head_limit_;
  std::size_t tail_limit_;
  std::string head_;
  bool head_is_full_ = false;
  std::deque<std::string> tail_;
  std::size_t tail_bytes_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t total_ = 0;
};

// A screen of so many rows whose lines may be as long as they like; what scrolls off is kept.
class TerminalText {
 public:
  static constexpr std::size_t kHeadBytes = 24 << 10;
  static constexpr std::size_t kTailBytes = 72 << 10;

  explicit TerminalText(std::size_t rows = 40, std::size_t head_bytes = kHeadBytes,
                        std::size_t tail_bytes = kTailBytes);

  // As it came from the program; sequences and characters may be cut anywhere.
  void feed(std::string_view bytes);

  std::string text() const;
  // The last lines that are not empty, at most so many, for people who watch.
  std::string last_lines(std::size_t count, std::size_t bytes) const;
  std::uint64_t left_out() const { return kept_.left_out(); }
  std::uint64_t total() const { return kept_.total(); }

 private:
  enum class State : std::uint8_t { Text, Escape, Charset, Control, String, StringEscape };
  using Line = std::u32string;

  void take(unsigned char byte);
  void take_text(unsigned char byte);
  void take_escape(unsigned char byte);
  void take_control(unsigned char byte);
  void finish_character();
  void put(char32_t character);
  void line_feed();
  void scroll();
  void obey(unsigned char final);
  std::size_t parameter(std::size_t index, std::size_t otherwise) const;
  void erase_in_line(std::size_t what);
  void erase_in_screen(std::size_t what);
  void move_to_row(std::size_t row);
  Line& line() { return screen_[row_]; }
  std::string screen_text() const;

  std::size_t rows_;
  State state_ = State::Text;
  std::string character_;  // the beginning of one that is not complete
  std::string control_;    // parameters of the sequence that is being read
  std::vector<Line> screen_;
  std::size_t row_ = 0;
  std::size_t column_ = 0;
  std::size_t saved_row_ = 0;
  std::size_t saved_column_ = 0;
  KeptText kept_;
};

// All of a text at once.
std::string clean_terminal_text(std::string_view bytes);

}  // namespace toolgate
