// The `toolgate` object that rides on the last chunk or the body of a chat answer.
#pragma once

#include <string>
#include <vector>

namespace toolgate {

struct TurnReport {
  int rounds = 1;
  std::vector<std::string> warnings;
};

// {"rounds":1,"invocations":[],"warnings":[…],"fixes":[]}
void append_turn_report(std::string& out, const TurnReport& report);

}  // namespace toolgate
