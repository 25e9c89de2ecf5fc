#include "net/http_head.h"

#include <algorithm>

namespace toolgate {
namespace {

// Of most messages; more is possible.
constexpr std::size_t kUsualBytes = 512;
constexpr std::size_t kUsualFields = 16;

}  // namespace

void HttpHead::clear() {
  text_.clear();
  text_.reserve(kUsualBytes);
  fields_.clear();
  fields_.reserve(kUsualFields);
  method_ = target_ = {};
  status = 0;
  http_1_1 = true;
}

HttpHead::Span HttpHead::append(std::string_view text) {
  const Span span{static_cast<std::uint32_t>(text_.size()),
                  static_cast<std::uint32_t>(text.size())};
  text_.append(text);
  return span;
}

void HttpHead::set_request_line(std::string_view method, std::string_view target) {
  method_ = append(method);
  target_ = append(target);
}

void HttpHead::add(std::string_view name, std::string_view value) {
  const Span name_span = append(name);
  fields_.push_back({name_span, append(value)});
}

std::optional<std::string_view> HttpHead::find(std::string_view name) const {
  for (const Field& field : fields_)
    if (equal_ignoring_case(text(field.name), name)) return text(field.value);
  return std::nullopt;
}

std::size_t HttpHead::count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      fields_, [&](const Field& field) { return equal_ignoring_case(text(field.name), name); }));
}

}  // namespace toolgate
