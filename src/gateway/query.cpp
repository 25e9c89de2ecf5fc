#include "gateway/query.h"

#include <algorithm>

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

}  // namespace toolgate
