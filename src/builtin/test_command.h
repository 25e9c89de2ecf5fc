// Whether a command runs tests, by the programs in it and what they are told to do, so that
// test_failure reads the right output. Pure.
#pragma once

#include <string_view>

namespace toolgate {

// `title` is the name of the task that it is of; may be empty.
bool is_test_command(std::string_view command, std::string_view title);

}  // namespace toolgate
