#include "cli/moments.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <optional>

#include "cli/terminal.h"

namespace toolgate {
namespace {

constexpr std::int64_t kSecond = 1'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kWeek = 7 * kDay;
constexpr std::int64_t kLongest = 365'000 * kDay;

std::int64_t unit_of(char letter) {
  switch (letter) {
    case 's':
      return kSecond;
    case 'm':
      return kMinute;
    case 'h':
      return kHour;
    case 'd':
      return kDay;
    case 'w':
      return kWeek;
    default:
      return 0;
  }
}

// Takes texts apart from the left; what does not fit makes it fail for good.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  // Exactly so many digits.
  int digits(std::size_t count) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i >= rest_.size() || rest_[i] < '0' || rest_[i] > '9') {
        ok_ = false;
        return 0;
      }
      value = value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }
  bool skip(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) { ok_ = skip(wanted) && ok_; }
  // What a point and digits behind it say of a second; 0: there is no point.
  int milliseconds() {
    if (!skip('.')) return 0;
    const std::size_t end = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    ok_ = ok_ && end > 0;
    int value = 0;
    for (std::size_t i = 0; i < 3; ++i) value = value * 10 + (i < end ? rest_[i] - '0' : 0);
    rest_.remove_prefix(end);
    return value;
  }
  bool done() const { return ok_ && rest_.empty(); }
  bool at_end() const { return rest_.empty(); }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// Minutes east of Greenwich; nothing: none is named.
std::optional<int> scan_zone(Scanner& scanner) {
  if (scanner.skip('Z')) return 0;
  const bool east = scanner.skip('+');
  if (!east && !scanner.skip('-')) return std::nullopt;
  const int hours = scanner.digits(2);
  scanner.skip(':');
  const int minutes = hours * 60 + (scanner.at_end() ? 0 : scanner.digits(2));
  return east ? minutes : -minutes;
}

bool is_real(const std::tm& time) {
  std::tm copy = time;
  timegm(&copy);
  return copy.tm_mday == time.tm_mday && copy.tm_mon == time.tm_mon &&
         copy.tm_hour == time.tm_hour && copy.tm_min == time.tm_min && time.tm_sec <= 60;
}

std::optional<std::int64_t> parse_date(std::string_view text) {
  Scanner scanner(text);
  std::tm time{};
  time.tm_year = scanner.digits(4) - 1900;
  scanner.expect('-');
  time.tm_mon = scanner.digits(2) - 1;
  scanner.expect('-');
  time.tm_mday = scanner.digits(2);
  int milliseconds = 0;
  std::optional<int> zone;
  if (scanner.skip('T') || scanner.skip(' ')) {
    time.tm_hour = scanner.digits(2);
    scanner.expect(':');
    time.tm_min = scanner.digits(2);
    if (scanner.skip(':')) time.tm_sec = scanner.digits(2);
    milliseconds = scanner.milliseconds();
    zone = scan_zone(scanner);
  }
  if (!scanner.done() || !is_real(time)) return std::nullopt;
  time.tm_isdst = -1;
  const std::int64_t seconds = zone ? timegm(&time) - std::int64_t{*zone} * 60 : mktime(&time);
  return seconds * kSecond + milliseconds;
}

}  // namespace

std::int64_t wall_clock() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Result<std::int64_t> parse_duration(std::string_view text) {
  const auto refuse = [&] {
    return fail(Errc::InvalidRequest, "'{}' is no time such as 45s, 30m, 2h, 1d or 1h30m",
                visible(text));
  };
  std::int64_t sum = 0;
  for (std::string_view rest = text; !rest.empty() || text.empty();) {
    std::int64_t number = 0;
    const auto read = std::from_chars(rest.begin(), rest.end(), number);
    if (read.ec != std::errc() || read.ptr == rest.end() || number < 0) return refuse();
    const std::int64_t unit = unit_of(*read.ptr);
    if (unit == 0 || number > kLongest / unit) return refuse();
    sum = std::min(sum + number * unit, kLongest);
    rest.remove_prefix(static_cast<std::size_t>(read.ptr + 1 - rest.begin()));
  }
  return sum;
}

Result<std::int64_t> parse_since(std::string_view text, std::int64_t now) {
  if (const auto date = parse_date(text)) return *date;
  if (const auto duration = parse_duration(text)) return std::max<std::int64_t>(0, now - *duration);
  return fail(Errc::InvalidRequest,
              "'{}' is no time: write 30m, 2h or 1d for so long ago, or a date such as 2025-03-01 "
              "or 2025-03-01T14:30",
              visible(text));
}

std::string how_long_ago(std::int64_t then, std::int64_t now) {
  const std::int64_t age = now - then;
  if (age < kMinute) return "just now";
  if (age < kHour) return fmt::format("{} min ago", age / kMinute);
  if (age < 2 * kDay) return fmt::format("{} h ago", age / kHour);
  return fmt::format("{} days ago", age / kDay);
}

std::string time_until(std::int64_t then, std::int64_t now) {
  const std::int64_t left = std::max<std::int64_t>(0, then - now);
  if (left < kHour) return fmt::format("{}:{:02}", left / kMinute, left % kMinute / kSecond);
  if (left < 2 * kDay) return fmt::format("{} h {} min", left / kHour, left % kHour / kMinute);
  return fmt::format("{} days", left / kDay);
}

std::string duration_words(std::int64_t milliseconds) {
  if (milliseconds < kSecond) return fmt::format("{} ms", milliseconds);
  if (milliseconds < kMinute)
    return fmt::format("{}.{} s", milliseconds / kSecond, milliseconds % kSecond / 100);
  return fmt::format("{} min {} s", milliseconds / kMinute, milliseconds % kMinute / kSecond);
}

std::string local_time(std::int64_t moment) {
  const std::time_t seconds = moment / kSecond;
  std::tm time{};
  localtime_r(&seconds, &time);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", time.tm_year + 1900, time.tm_mon + 1,
                     time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec);
}

}  // namespace toolgate
