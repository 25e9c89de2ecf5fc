#include "gateway/query.h"

#include <algorithm>
#include <charconv>

#include "base/percent.h"

namespace toolgate {
namespace {

std::string decode_form(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  return decode_percent(spaced);
}

}  // namespace

Query::Query(std::string_view text) {
  while (!text.empty()) {
    const std::string_view parameter = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), parameter.size() + 1));
    const std::size_t equals = parameter.find('=');
    if (parameter.empty()) continue;
    parameters_.emplace_back(
        decode_form(parameter.substr(0, equals)),
        equals == parameter.npos ? std::string() : decode_form(parameter.substr(equals + 1)));
  }
}

std::optional<std::string_view> Query::find(std::string_view name) const {
  const auto found =
      std::ranges::find(parameters_, name, &std::pair<std::string, std::string>::first);
  if (found == parameters_.end()) return std::nullopt;
  return found->second;
}

Result<std::optional<std::size_t>> Query::whole_number(std::string_view name, std::size_t least,
                                                       std::size_t most) const {
  const auto text = find(name);
  if (!text || text->empty()) return std::nullopt;
  std::size_t value = 0;
  const char* end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || value < least || value > most)
    return fail_at(std::string(name), Errc::InvalidRequest,
                   "{} must be a whole number from {} to {}", name, least, most);
  return value;
}

}  // namespace toolgate
