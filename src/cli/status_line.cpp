#include "cli/status_line.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "invoke/visible_text.h"

namespace toolgate {

void StatusLine::show(const std::string& text, Paint paint) {
  if (!terminal_.is_terminal() || text == shown_) return;
  // Not into the last column: some terminals would go on in the next line.
  const std::string cut = cut_to_columns(text, terminal_.width() - 1);
  terminal_.print("\r\x1b[K" + terminal_.paint(paint, cut));
  shown_ = text;
}

void StatusLine::clear() {
  if (shown_.empty()) return;
  terminal_.print("\r\x1b[K");
  shown_.clear();
}

std::string_view spinner_at(std::chrono::milliseconds running) {
  constexpr std::array<std::string_view, 10> kTurns{"⠋", "⠙", "⠹", "⠸", "⠼",
                                                    "⠴", "⠦", "⠧", "⠇", "⠏"};
  return kTurns[static_cast<std::size_t>(running.count() / 100) % kTurns.size()];
}

std::string progress_words(double progress, std::string_view message,
                           std::chrono::milliseconds running) {
  std::vector<std::string> words;
  if (progress > 0)
    words.push_back(fmt::format("{}%", static_cast<int>(std::clamp(progress, 0.0, 1.0) * 100)));
  if (!message.empty()) words.push_back(visible_text(on_one_line(message), false));
  if (running.count() >= 1'000) words.push_back(fmt::format("{} s", running.count() / 1'000));
  return fmt::format("{}", fmt::join(words, "  "));
}

std::string progress_text(std::string_view name, double progress, std::string_view message,
                          std::chrono::milliseconds running) {
  const std::string words = progress_words(progress, message, running);
  return fmt::format("{} {}{}{}", spinner_at(running), visible_text(name, false),
                     words.empty() ? "" : "  ", words);
}

}  // namespace toolgate
