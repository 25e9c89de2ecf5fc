#include "cli/prompt.h"

#include "cli/prompt_layout.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostChoices = 200;

std::string move(std::size_t count, char direction) {
  return count == 0 ? "" : fmt::format("\x1b[{}{}", count, direction);
}

// Pasted text comes between marks while this exists.
class PasteMarks {
 public:
  explicit PasteMarks(const Terminal& terminal) : terminal_(terminal) {
    terminal_.print("\x1b[?2004h");
  }
  ~PasteMarks() { terminal_.print("\x1b[?2004l"); }
  PasteMarks(const PasteMarks&) = delete;
  PasteMarks& operator=(const PasteMarks&) = delete;

 private:
  const Terminal& terminal_;
};

}  // namespace

Prompt::Prompt(Desk& desk, Options options) : desk_(desk), options_(std::move(options)) {
  editor_.set_history(options_.history);
}

Task<PromptLine> Prompt::read() {
  desk_.terminal.measure();
  desk_.keyboard->listen_to_text();
  PromptLine line;
  {
    const PasteMarks marks(desk_.terminal);
    draw_all();
    line = co_await read_keys();
    leave_text();
  }
  desk_.terminal.flush();
  co_return line;
}

Task<PromptLine> Prompt::read_keys() {
  using Wish = LineEditor::Wish;
  const int interrupts = desk_.interrupts.count();
  int window_changes = desk_.keyboard->window_changes();
  while (true) {
    if (desk_.interrupts.is_told_to_end() || desk_.keyboard->is_gone())
      co_return PromptLine{PromptLine::End::Left, editor_.text()};
    if (desk_.interrupts.count() != interrupts) {
      desk_.interrupts.forget(interrupts);
      co_return PromptLine{PromptLine::End::Interrupted, editor_.text()};
    }
    if (desk_.keyboard->window_changes() !=
        std::exchange(window_changes, desk_.keyboard->window_changes()))
      draw_anew();
    const std::string typed = desk_.keyboard->take_text();
    std::string_view bytes = typed;
    while (!bytes.empty()) {
      const Wish wish = editor_.take(bytes);
      if (wish == Wish::Submit || wish == Wish::Leave) {
        draw();
        desk_.keyboard->put_back(bytes);
        const bool left = wish == Wish::Leave;
        co_return PromptLine{left ? PromptLine::End::Left : PromptLine::End::Submitted,
                             editor_.text()};
      }
      co_await obey(wish);
    }
    draw();
    desk_.terminal.flush();
    if (typed.empty()) co_await desk_.changed.wait();
  }
}

Task<> Prompt::obey(LineEditor::Wish wish) {
  if (wish == LineEditor::Wish::Complete && options_.complete) co_await complete();
  if (wish == LineEditor::Wish::Clear) {
    desk_.terminal.print("\x1b[H\x1b[2J");
    row_ = 0;
    draw_all();
  }
}

Task<> Prompt::complete() {
  const Completion found = co_await options_.complete(editor_.text(), editor_.cursor());
  if (!found.text.empty()) editor_.replace(found.from, found.text);
  if (found.choices.empty()) co_return;
  draw();
  leave_text();
  std::vector<std::string> words(found.choices.begin(),
                                 found.choices.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                             found.choices.size(), kMostChoices)));
  desk_.terminal.print(
      desk_.terminal.paint(Paint::Dim, lay_out_words(words, desk_.terminal.width())));
  if (found.choices.size() > kMostChoices)
    desk_.say(Paint::Dim, fmt::format("… {} more", found.choices.size() - kMostChoices));
  row_ = 0;
  draw_all();
}

void Prompt::draw() {
  if (editor_.text() == drawn_ && editor_.cursor() == cursor_) return;
  if (!draw_what_was_added()) draw_all();
}

// What is typed at the end of a row costs only its own bytes.
bool Prompt::draw_what_was_added() {
  const std::string& text = editor_.text();
  if (cursor_ != drawn_.size() || editor_.cursor() != text.size() || !text.starts_with(drawn_))
    return false;
  const std::string_view added = std::string_view(text).substr(drawn_.size());
  if (added.find_first_of("\n\t") != added.npos) return false;
  const auto layout =
      lay_out_prompt(text, text.size(), columns_of(options_.mark), desk_.terminal.width());
  if (layout.rows.size() != rows_) return false;
  desk_.terminal.print(visible(added));
  drawn_ = text;
  cursor_ = text.size();
  return true;
}

void Prompt::draw_all() {
  drawn_ = editor_.text();
  cursor_ = editor_.cursor();
  const std::size_t indent = columns_of(options_.mark);
  const auto layout = lay_out_prompt(drawn_, cursor_, indent, desk_.terminal.width());
  // Of a text that is higher than the window, the rows around the cursor.
  const std::size_t most = std::max<std::size_t>(desk_.terminal.height(), 3) - 1;
  const std::size_t first = layout.row < most ? 0 : layout.row - most + 1;
  const std::size_t last = std::min(layout.rows.size(), first + most);
  std::string out = "\r" + move(row_, 'A');
  for (std::size_t row = first; row < last; ++row) {
    if (row > first) out += "\r\n";
    out += row == 0 ? desk_.terminal.paint(Paint::Cyan, options_.mark) : std::string(indent, ' ');
    out += visible(layout.rows[row]) + "\x1b[K";
  }
  out += "\x1b[J" + move(last - 1 - layout.row, 'A') + "\r" + move(layout.column, 'C');
  desk_.terminal.print(out);
  row_ = layout.row - first;
  rows_ = layout.rows.size();
}

// The window has another width, and what was drawn is broken into other lines.
void Prompt::draw_anew() {
  desk_.terminal.measure();
  row_ = lay_out_prompt(drawn_, cursor_, columns_of(options_.mark), desk_.terminal.width()).row;
  draw_all();
}

// The cursor goes to the line below the text.
void Prompt::leave_text() {
  const auto layout =
      lay_out_prompt(drawn_, cursor_, columns_of(options_.mark), desk_.terminal.width());
  desk_.terminal.print(move(layout.rows.size() - 1 - layout.row, 'B') + "\r\n");
}

}  // namespace toolgate
