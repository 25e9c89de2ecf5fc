// The query of a URL: "tags=a,b&name=get_*". Endpoints read their parameters from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace toolgate {

class Query {
 public:
  explicit Query(std::string_view text);

  // The first one of that name, decoded.
  std::optional<std::string_view> find(std::string_view name) const;
  // Nothing: it is not there. The error names it and what it may be.
  Result<std::optional<std::size_t>> whole_number(std::string_view name, std::size_t least,
                                                  std::size_t most) const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

}  // namespace toolgate
