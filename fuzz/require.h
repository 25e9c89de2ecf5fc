// What a fuzz target says must hold. A false one ends the run, as libFuzzer wants it.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

inline void require(bool holds, const char* what) {
  if (holds) return;
  fmt::print(stderr, "does not hold: {}\n", what);
  std::abort();
}
