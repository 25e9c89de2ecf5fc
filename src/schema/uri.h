// URI references as `$id` and `$ref` use them (RFC 3986, section 5).
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace toolgate {

// `reference` seen from `base`; an empty base leaves it as it is.
std::string resolve_uri(std::string_view base, std::string_view reference);

// Before and after the first '#'; the second part is empty where there is none.
std::pair<std::string_view, std::string_view> split_fragment(std::string_view uri);

}  // namespace toolgate
