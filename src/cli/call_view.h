// A waiting call for the eyes of the person who decides: question, tool, source, arguments or the
// diff of what they would change, and what is another one since it was approved. `call` and
// `pending` print it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/terminal.h"
#include "cli/waiting_call.h"

namespace toolgate {

// Of arguments and result at most so many lines; 0: all. What strangers wrote cannot move the
// cursor, hide, or pass for a line of ours.
std::string describe_call(const WaitingCall& call, const Terminal& terminal,
                          std::size_t most_lines = 0);

// "city "Oslo", units "metric"": the arguments as one line of visible text.
std::string arguments_on_one_line(std::string_view json);

}  // namespace toolgate
