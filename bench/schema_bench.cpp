// schema_bench FOLDER: what compiling, checking and normalising cost, in CPU time, on the cases of
// schema_cases.py. Prints one line of JSON; schema_bench.mjs prints the same of Ajv.
#include <algorithm>
#include <fstream>
#include <string>
#include <time.h>
#include <vector>

#include <fmt/format.h>

#include "base/json_tree.h"
#include "schema/check.h"
#include "schema/compile.h"
#include "schema/families.h"
#include "schema/normalized_tools.h"

namespace {

using namespace toolgate;

struct Case {
  std::string schema_text;
  std::shared_ptr<const Schema> schema;
};

struct Input {
  const Schema* schema;
  std::string text;
  bool valid;
  JsonTree tree;
  const JsonNode* value = nullptr;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Microseconds per unit, the best of several rounds.
template <class Run>
double measure(std::size_t units, int rounds, Run run) {
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) {
    const double begin = cpu_seconds();
    run();
    best = std::min(best, cpu_seconds() - begin);
  }
  return best * 1e6 / static_cast<double>(units);
}

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  if (lines.empty()) {
    fmt::print(stderr, "schema_bench: {} is empty or cannot be read\n", path);
    std::exit(1);
  }
  return lines;
}

// Cases whose schema Ajv or we refuse are not in the comparison: schema_bench.mjs drops them too.
void read_cases(const std::string& path, std::vector<Case>& cases, std::vector<Input>& inputs) {
  for (const std::string& line : read_lines(path)) {
    JsonTree tree;
    const JsonNode& root = **tree.parse(line);
    const std::string text(root.find("schema")->text);
    auto schema = compile_schema(text);
    if (!schema) continue;
    cases.push_back({text, *schema});
    for (const JsonNode* input = root.find("inputs")->first; input; input = input->next)
      inputs.push_back({schema->get(), std::string(input->find("text")->text),
                        input->find("valid")->truth, JsonTree(), nullptr});
  }
  for (Input& input : inputs) input.value = *input.tree.parse(input.text);
}

std::size_t check_texts(const std::vector<Input>& inputs) {
  JsonTree tree;
  std::size_t wrong = 0;
  for (const Input& input : inputs) {
    tree.clear();
    const auto value = tree.parse(input.text);
    const auto valid = is_valid(*input.schema, **value);
    wrong += !valid || *valid != input.valid;
  }
  return wrong;
}

std::size_t check_values(const std::vector<Input>& inputs) {
  std::size_t wrong = 0;
  for (const Input& input : inputs) {
    const auto valid = is_valid(*input.schema, *input.value);
    wrong += !valid || *valid != input.valid;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: schema_bench FOLDER\n");
    return 2;
  }
  const std::string folder = argv[1];
  std::vector<Case> cases;
  std::vector<Input> inputs;
  read_cases(folder + "/cases.jsonl", cases, inputs);
  const std::vector<std::string> tools = read_lines(folder + "/tools.jsonl");

  std::size_t wrong = 0;
  const double text = measure(inputs.size(), 15, [&] { wrong = check_texts(inputs); });
  const double check = measure(inputs.size(), 15, [&] { wrong += check_values(inputs); });
  const double compile = measure(cases.size(), 5, [&] {
    for (const Case& one : cases) wrong += !compile_schema(one.schema_text);
  });
  const SchemaChanges changes = Families().changes_for("gpt-4.1");
  const double normalize = measure(tools.size(), 5, [&] {
    for (const std::string& tool : tools)
      wrong += !normalize_tool(tool, NormalizeOptions{.changes = changes});
  });
  const std::size_t in_request = std::min<std::size_t>(tools.size(), 128);
  NormalizedTools cache;
  const double cached = measure(1, 200, [&] {
    for (std::size_t i = 0; i < in_request; ++i) wrong += !cache.get(tools[i], changes);
  });
  fmt::print(R"({{"who":"toolgate","inputs":{},"wrong":{},"text_us":{:.3f},"check_us":{:.3f},)"
             R"("compile_us":{:.1f},"normalize_us":{:.2f},"cached_128_us":{:.1f}}})"
             "\n",
             inputs.size(), wrong, text, check, compile, normalize, cached);
}
