// Labels of international host names (RFC 5891, 5892): which characters may stand where, and the
// ASCII form of such labels (Punycode, RFC 3492).
#pragma once

#include <string_view>

namespace toolgate {

// `label` is valid UTF-8 with something beyond ASCII in it.
bool is_international_label(std::string_view label);

// The part after "xn--".
bool is_encoded_label(std::string_view encoded);

}  // namespace toolgate
