// Markdown that comes piece by piece, for the eyes of a person: headings and **words** bold, code
// and its fences coloured. Without colour the text stays as it is. What the text holds of control
// characters is shown, not sent. Pure; chat_view prints with it.
#pragma once

#include <string>
#include <string_view>

#include "cli/terminal.h"

namespace toolgate {

class MarkdownStream {
 public:
  explicit MarkdownStream(const Terminal& terminal) : terminal_(terminal) {}

  // What is to be printed now. A mark whose meaning the rest will tell is held back.
  std::string feed(std::string_view text);
  // What was held back, and the line is over.
  std::string finish();

 private:
  bool begin_line(bool is_last);
  bool take_span(std::string_view mark, Paint paint, bool is_last);
  void take_inline(bool is_last);
  bool may_open_bold() const;
  void print(std::string_view text, Paint paint);

  const Terminal& terminal_;
  std::string held_;  // not printed yet
  std::string out_;
  bool at_begin_ = true;  // of a line that is not known to be anything yet
  bool in_fence_ = false;
  bool in_heading_ = false;
  char last_ = '\n';  // that was printed
};

}  // namespace toolgate
