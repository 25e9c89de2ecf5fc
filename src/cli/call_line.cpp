#include "cli/call_line.h"

#include <algorithm>

#include "cli/call_view.h"
#include "cli/moments.h"
#include "cli/status_line.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLeastArguments = 8;
constexpr std::size_t kMostName = 40;
constexpr std::size_t kGap = 2;

milliseconds time_between(std::chrono::steady_clock::time_point from,
                          std::chrono::steady_clock::time_point to) {
  return std::chrono::duration_cast<milliseconds>(to - from);
}

struct Mark {
  std::string text;
  Paint paint;
};

Mark mark_of(const CallOnScreen& shown, std::chrono::steady_clock::time_point now) {
  const ChatCall& call = shown.call;
  if (shown.is_cancelled || call.state == "Cancelled") return {"⊘", Paint::Yellow};
  if (call.state == "Completed")
    return call.error.empty() ? Mark{"✓", Paint::Green} : Mark{"✗", Paint::Red};
  if (call.waits()) return {"?", Paint::Yellow};
  return {std::string(spinner_at(time_between(shown.began, now))), Paint::Cyan};
}

std::string why_not_run(const ChatCall& call) {
  if (call.decision_kind == "Skipped") return "skipped";
  if (call.decision_kind == "Timeout") return "nobody decided in time";
  if (call.decision_kind != "Denied") return "cancelled";
  const bool says_why = !call.error.empty() && !call.error.starts_with("the user denied");
  return says_why ? "denied: " + visible_text(on_one_line(call.error), false) : "denied";
}

std::string words_of(const CallOnScreen& shown, std::chrono::steady_clock::time_point now) {
  const ChatCall& call = shown.call;
  if (shown.is_cancelled) return "cancelled";
  if (call.state == "Cancelled") return why_not_run(call);
  if (call.waits()) return "waits for a decision";
  if (call.state != "Completed")
    return progress_words(shown.progress, shown.message, time_between(shown.running, now));
  const std::string time =
      duration_words(std::max<std::int64_t>(0, call.ended_at - call.started_at));
  return call.error.empty() ? time : time + "  " + visible_text(on_one_line(call.error), false);
}

}  // namespace

std::string call_line(const CallOnScreen& shown, std::chrono::steady_clock::time_point now,
                      const Terminal& terminal) {
  const Mark mark = mark_of(shown, now);
  const std::string name = cut_to_columns(visible_text(shown.call.name, false), kMostName);
  const std::string words = words_of(shown, now);
  std::size_t left = terminal.width() - 1 - std::min(terminal.width() - 1, 2 + columns_of(name));
  // The end is kept in sight: the arguments are what is cut first.
  const std::size_t end = std::min(columns_of(words), left - std::min(left, kLeastArguments));
  const std::size_t room = left - std::min(left, end + 2 * kGap);
  const std::string arguments =
      cut_to_columns(arguments_on_one_line(shown.call.arguments), std::max<std::size_t>(room, 1));
  std::string line =
      terminal.paint(mark.paint, mark.text) + " " + terminal.paint(Paint::Bold, name);
  if (!arguments.empty() && room >= kLeastArguments) {
    line += "  " + terminal.paint(Paint::Dim, arguments);
    left -= kGap + columns_of(arguments);
  }
  if (!words.empty() && left > kGap) {
    const Paint paint = mark.paint == Paint::Red ? Paint::Red : Paint::Dim;
    line += "  " + terminal.paint(paint, cut_to_columns(words, left - kGap));
  }
  return line;
}

}  // namespace toolgate
