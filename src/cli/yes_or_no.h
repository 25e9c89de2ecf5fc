// A question with yes or no for the person at the terminal, answered with one key like those about
// calls.
#pragma once

#include <string_view>

namespace toolgate {

// Asks on stderr. Only 'y' is yes; what was typed before the question stood there is no answer.
bool person_agrees(std::string_view question);

}  // namespace toolgate
