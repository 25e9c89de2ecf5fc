// Vectors recorded from JavaScript may hold halves of surrogate pairs ("\ud83d"), which no strict
// parser takes. main.cpp mends a file's text before it is parsed.
#pragma once

#include <string>
#include <string_view>

namespace toolgate {

// Every escaped half without its other half becomes \ufffd.
std::string mend_lone_surrogates(std::string_view json_text);

}  // namespace toolgate
