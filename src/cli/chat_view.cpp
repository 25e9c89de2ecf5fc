#include "cli/chat_view.h"

#include <cstdio>

#include "cli/status_line.h"

namespace toolgate {
namespace {

constexpr std::chrono::milliseconds kBetweenDraws{100};
constexpr std::chrono::milliseconds kNotWorthALine{300};

}  // namespace

void ChatView::begin_turn() {
  section_ = Section::Nothing;
  kept_ = 0;
  printed_.clear();
  began_ = drawn_ = Clock::now();
}

void ChatView::end_text() {
  screen_.print(markdown_.finish());
  if (!ends_line_) screen_.print("\n");
  ends_line_ = true;
}

// A blank line stands between text and calls.
void ChatView::begin(Section section) {
  if (section_ == section) return;
  if (section_ == Section::Text) end_text();
  if (section_ != Section::Nothing) screen_.print("\n");
  section_ = section;
}

void ChatView::text(std::string_view text) {
  if (text_to_ == TextTo::Nowhere || text.empty()) return;
  if (text_to_ == TextTo::Pipe) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    return;
  }
  screen_.print(live_.erase());
  if (section_ != Section::Text) {
    text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
    if (text.empty()) return;
    begin(Section::Text);
  }
  screen_.print(markdown_.feed(text));
  ends_line_ = text.ends_with('\n');
  screen_.flush();
}

void ChatView::calls(const std::vector<CallOnScreen>& calls, std::string_view waiting_for,
                     bool must_draw) {
  const auto now = Clock::now();
  if (!is_alive()) {
    print_ended(calls, now);
    return;
  }
  if (!must_draw && now - drawn_ < kBetweenDraws) return;
  drawn_ = now;
  if (calls.size() > kept_) begin(Section::Calls);
  const auto running = std::chrono::duration_cast<std::chrono::milliseconds>(now - began_);
  std::string thinking;
  if (!waiting_for.empty() && section_ != Section::Text && running >= kNotWorthALine)
    thinking = screen_.paint(Paint::Dim, progress_text(waiting_for, 0, "", running));
  while (draw_calls(calls, thinking, now)) {
  }
  screen_.flush();
}

// As many as fit the window; the others get a line when those above have ended. True when all that
// are drawn have, and there are more.
bool ChatView::draw_calls(const std::vector<CallOnScreen>& calls, const std::string& thinking,
                          Clock::time_point now) {
  const std::size_t most = std::max<std::size_t>(screen_.height(), 6) - 4;
  const std::size_t drawn = std::min(calls.size() - kept_, most);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < drawn; ++i)
    lines.push_back(call_line(calls[kept_ + i], now, screen_));
  if (const std::size_t hidden = calls.size() - kept_ - drawn; hidden > 0)
    lines.push_back(screen_.paint(Paint::Dim, fmt::format("… {} more", counted(hidden, "call"))));
  if (!thinking.empty()) lines.push_back(thinking);
  screen_.print(live_.draw(lines));
  std::size_t over = 0;
  while (over < drawn && calls[kept_ + over].is_over()) ++over;
  kept_ += over;
  live_.keep(over);
  return drawn > 0 && over == drawn && kept_ < calls.size();
}

void ChatView::print_ended(const std::vector<CallOnScreen>& calls, Clock::time_point now) {
  for (const CallOnScreen& call : calls)
    if (call.is_over() && printed_.insert(call.call.id).second)
      screen_.print(call_line(call, now, screen_) + "\n");
}

void ChatView::remark(Paint paint, std::string_view text) {
  settle();
  if (is_alive())
    screen_.say(paint, text);
  else
    screen_.print(fmt::format("toolgate: {}\n", visible(text)));
}

void ChatView::settle() {
  screen_.print(live_.erase());
  if (section_ == Section::Text) end_text();
  screen_.flush();
}

}  // namespace toolgate
