#include "base/json_locate.h"

#include <optional>

#include <boost/json/parse.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

namespace toolgate {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kEndOfScalar = " \t\r\n,:]}/";

class Scanner {
 public:
  Scanner(std::string_view text, std::size_t offset) : text_(text), at_(offset) {}

  std::size_t offset() const { return at_; }
  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  bool take(char c) {
    if (!at(c)) return false;
    ++at_;
    return true;
  }

  // White space and whole comments; stops at a comment that does not end.
  void skip_blank() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(kBlank, at_), text_.size());
      const auto rest = text_.substr(at_);
      if (rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (const auto end = rest.starts_with("/*") ? rest.find("*/", 2) : rest.npos;
                 end != rest.npos) {
        at_ += end + 2;
      } else {
        return;
      }
    }
  }

  // The string with its quotes, as it is written.
  std::string_view take_string() {
    const auto begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(begin, at_ - begin);
  }

  void skip_value() {
    std::size_t depth = 0;
    do {
      skip_blank();
      if (at_ == text_.size()) return;
      const char c = text_[at_];
      if (c == '"') {
        take_string();
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (depth > 0 && (c == '}' || c == ']')) {
        --depth;
        ++at_;
      } else if (depth > 0 && kEndOfScalar.contains(c)) {
        ++at_;
      } else {
        at_ = std::min(text_.find_first_of(kEndOfScalar, at_), text_.size());
      }
    } while (depth > 0);
  }

 private:
  std::string_view text_;
  std::size_t at_;
};

bool names(std::string_view written, std::string_view name) {
  if (!written.contains('\\')) return written.substr(1, written.size() - 2) == name;
  boost::json::error_code error;
  const auto value = boost::json::parse(written, error);
  return !error && value.is_string() && value.get_string() == name;
}

std::optional<JsonPlace> find_member(std::string_view text, std::size_t object,
                                     std::string_view name) {
  Scanner scanner(text, object);
  std::optional<JsonPlace> found;
  if (!scanner.take('{')) return found;
  for (scanner.skip_blank(); scanner.at('"'); scanner.skip_blank()) {
    const auto key = scanner.offset();
    const auto written = scanner.take_string();
    scanner.skip_blank();
    if (!scanner.take(':')) break;
    scanner.skip_blank();
    if (names(written, name)) found = JsonPlace{key, scanner.offset()};
    scanner.skip_value();
    scanner.skip_blank();
    if (!scanner.take(',')) break;
  }
  return found;
}

std::optional<JsonPlace> find_item(std::string_view text, std::size_t array, std::size_t index) {
  Scanner scanner(text, array);
  if (!scanner.take('[')) return {};
  for (;; --index) {
    scanner.skip_blank();
    if (scanner.at(']') || scanner.offset() == text.size()) return {};
    if (index == 0) return JsonPlace{scanner.offset(), scanner.offset()};
    scanner.skip_value();
    scanner.skip_blank();
    if (!scanner.take(',')) return {};
  }
}

}  // namespace

JsonPlace locate_json(std::string_view text, std::span<const JsonStep> path) {
  Scanner start(text, 0);
  start.skip_blank();
  JsonPlace place{start.offset(), start.offset()};
  for (const auto& step : path) {
    const auto* name = std::get_if<std::string>(&step);
    const auto next = name ? find_member(text, place.value, *name)
                           : find_item(text, place.value, std::get<std::size_t>(step));
    if (!next) break;
    place = *next;
  }
  return place;
}

}  // namespace toolgate
