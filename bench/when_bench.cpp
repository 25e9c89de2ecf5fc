// when_bench FILE: what parsing and evaluating `when` clauses cost, in CPU time. FILE is like
// when_cases.json: {"clauses":[…],"context":{…}}. Prints one line of JSON; when_bench.mjs prints
// the same of VS Code's own parser.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <time.h>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "tools/when.h"

namespace {

using namespace toolgate;

constexpr int kRounds = 30;
constexpr int kRepeats = 200;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Nanoseconds per clause, the best of several rounds.
template <class Run>
double measure(std::size_t clauses, Run run) {
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = cpu_seconds();
    for (int i = 0; i < kRepeats; ++i) run();
    best = std::min(best, cpu_seconds() - begin);
  }
  return best * 1e9 / static_cast<double>(clauses * kRepeats);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: when_bench FILE\n");
    return 2;
  }
  std::ifstream stream(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto file = parse_json(text);
  if (!file) {
    fmt::print(stderr, "when_bench: {}: {}\n", argv[1], file.error().message);
    return 1;
  }
  std::vector<std::string> clauses;
  for (const json::value& clause : file->at("clauses").as_array())
    clauses.emplace_back(clause.as_string());
  ContextKeys context;
  for (const auto& member : file->at("context").as_object())
    context.set(member.key(), member.value());

  std::string verdicts;
  std::vector<WhenClause> parsed;
  for (const std::string& clause : clauses) {
    const ParsedWhen result = parse_when(clause);
    verdicts += !result.clause ? '-' : result.clause->holds(context) ? '1' : '0';
    if (result.clause) parsed.push_back(*result.clause);
  }
  std::size_t held = 0;
  const double both = measure(clauses.size(), [&] {
    for (const std::string& clause : clauses) {
      const ParsedWhen result = parse_when(clause);
      held += result.clause && result.clause->holds(context) ? 1 : 0;
    }
  });
  const double evaluate = measure(parsed.size(), [&] {
    for (const WhenClause& clause : parsed) held += clause.holds(context) ? 1 : 0;
  });
  fmt::print(R"({{"who":"toolgate","clauses":{},"held":{},"verdicts":"{}","both_ns":{:.1f},)"
             R"("evaluate_ns":{:.1f}}})"
             "\n",
             clauses.size(), held > 0, verdicts, both, evaluate);
}
