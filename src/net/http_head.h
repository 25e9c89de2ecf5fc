// The first line and the fields of an HTTP message, copied out of the read buffer into one text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"

namespace toolgate {

class HttpHead {
 public:
  void clear();
  void add(std::string_view name, std::string_view value);

  std::string_view method() const { return text(method_); }
  std::string_view target() const { return text(target_); }
  void set_request_line(std::string_view method, std::string_view target);

  // The value of the first field of that name (any case), or nothing.
  std::optional<std::string_view> find(std::string_view name) const;
  // How many fields have that name.
  std::size_t count(std::string_view name) const;

  template <class Visit>  // visit(name, value)
  void for_each(Visit visit) const {
    for (const Field& field : fields_) visit(text(field.name), text(field.value));
  }

  int status = 0;        // of a response
  bool http_1_1 = true;  // false: HTTP/1.0

 private:
  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  struct Field {
    Span name;
    Span value;
  };

  std::string_view text(Span span) const { return {text_.data() + span.begin, span.size}; }
  Span append(std::string_view text);

  std::string text_;
  Span method_;
  Span target_;
  std::vector<Field> fields_;
};

}  // namespace toolgate
