// tokens_bench FILE [SECONDS]: how fast the file's tokens are counted and encoded by one thread.
// Prints one line of JSON; tokens_bench.mjs prints the same of npm packages.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <time.h>

#include <fmt/format.h>

#include "tokens/encoding.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Best of at least three runs: MB/s by the clock, and nanoseconds of CPU per byte.
template <class Run>
std::string measure(std::size_t bytes, double seconds, Run run) {
  const auto begin = Clock::now();
  double first = 0;
  double best = 1e9;
  double best_cpu = 1e9;
  for (int i = 0; i < 3 || seconds_since(begin) < seconds; ++i) {
    const auto start = Clock::now();
    const double cpu = cpu_seconds();
    run();
    best = std::min(best, seconds_since(start));
    best_cpu = std::min(best_cpu, cpu_seconds() - cpu);
    if (i == 0) first = best;
  }
  const auto size = static_cast<double>(bytes);
  return fmt::format(R"({{"mb_per_s":{:.1f},"first_mb_per_s":{:.1f},"cpu_ns_per_byte":{:.2f}}})",
                     size / best / 1e6, size / first / 1e6, best_cpu * 1e9 / size);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: tokens_bench FILE [SECONDS]\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 2;
  if (text.empty()) {
    fmt::print(stderr, "tokens_bench: {} is empty or cannot be read\n", argv[1]);
    return 1;
  }
  std::string line = fmt::format(R"({{"who":"toolgate","bytes":{})", text.size());
  for (const auto encoding : {toolgate::Encoding::O200kBase, toolgate::Encoding::Cl100kBase}) {
    std::size_t tokens = 0;
    const std::string count =
        measure(text.size(), seconds, [&] { tokens = toolgate::count_tokens(encoding, text); });
    const std::string encode = measure(
        text.size(), seconds, [&] { tokens = toolgate::encode_tokens(encoding, text).size(); });
    line += fmt::format(R"(,"{}":{{"tokens":{},"count":{},"encode":{}}})",
                        toolgate::encoding_name(encoding), tokens, count, encode);
  }
  fmt::print("{}}}\n", line);
}
