// The user's hooks as the settings name them: programs and endpoints that are asked before a call
// of a tool, or told after it. hook_runner.h runs them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace toolgate {

struct Hook {
  // What a hook that fails counts as.
  enum class OnFailure : std::uint8_t {
    Ask,     // before a call a person is asked; a result, about which nobody is asked, is withheld
    Deny,    // the call is denied, or its result withheld
    Ignore,  // it has said nothing
  };

  std::string name;                      // for people
  std::vector<std::string> command;      // a program and its arguments; empty: `url` counts
  std::string url;                       // gets a POST request
  std::vector<std::string> tools;        // globs over id and reference name; empty: all
  std::vector<std::string> environment;  // names of variables that the program gets besides PATH …
  std::chrono::milliseconds timeout{10'000};
  OnFailure on_failure = OnFailure::Ask;
};

struct HookSettings {
  std::vector<Hook> before;
  std::vector<Hook> after;
};

// Whether it can be run at all. The error is a reason to be put behind the hook's name.
Result<void> check_hook(const Hook& hook);

}  // namespace toolgate
