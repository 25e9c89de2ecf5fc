// The phrase behind a status code; only people read it.
#pragma once

#include <string_view>

namespace toolgate {

std::string_view http_reason(int status);

}  // namespace toolgate
