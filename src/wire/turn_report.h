// The `toolgate` object that rides on the last chunk or the body of a chat answer.
#pragma once

#include <string>
#include <vector>

namespace toolgate {

// A change to a tool's schema before the model got it.
struct ToolFix {
  std::string tool;
  std::string message;
};

struct TurnReport {
  int rounds = 1;
  std::vector<std::string> invocations;  // JSON objects
  std::vector<std::string> warnings;
  std::vector<ToolFix> fixes;
};

// {"rounds":1,"invocations":[],"warnings":[…],"fixes":[{"tool":…,"message":…}]}
void append_turn_report(std::string& out, const TurnReport& report);

}  // namespace toolgate
