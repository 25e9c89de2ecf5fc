// toolgate_golden FILE…: runs vector files. The kind of a file is known by its name, the table at
// the end lists the kinds. Prints every case that differs and one closing line.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "wire/tool_call_deltas.h"

namespace toolgate {
namespace {

struct Tally {
  int passed = 0;
  int failed = 0;
  int skipped = 0;

  void compare(std::string_view name, const std::string& expected, const std::string& got) {
    if (expected == got) {
      ++passed;
      return;
    }
    ++failed;
    fmt::print("differs: {}\n  expected {}\n  got      {}\n", name, expected, got);
  }
};

std::string_view text_in(const json::value& value, std::string_view key) {
  const json::value* member = find(value, key);
  if (member == nullptr || !member->is_string()) return {};
  return member->get_string();
}

std::vector<ToolCallDelta> deltas_of(const json::value& chunks) {
  std::vector<ToolCallDelta> deltas;
  for (const json::value& chunk : chunks.as_array()) {
    for (const json::value& choice : chunk.at("choices").as_array()) {
      const json::value* delta = find(choice, "delta");
      const json::value* calls = delta == nullptr ? nullptr : find(*delta, "tool_calls");
      if (calls == nullptr || !calls->is_array()) continue;
      for (const json::value& call : calls->get_array()) {
        const json::value* function = find(call, "function");
        const json::value none;
        const json::value& named = function == nullptr ? none : *function;
        deltas.push_back({std::nullopt, text_in(call, "id"), text_in(named, "name"),
                          text_in(named, "arguments")});
      }
    }
  }
  return deltas;
}

// The vectors describe the classic joining; openai_stream_test runs the same file through ours.
void run_stream_deltas(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("cases").as_array()) {
    json::array calls;
    for (const ClassicCall& call : join_classic(deltas_of(entry.at("chunks")))) {
      json::object object;
      if (call.id.empty())
        object["id"] = nullptr;
      else
        object["id"] = call.id;
      object["name"] = call.name;
      object["arguments"] = call.arguments;
      calls.push_back(std::move(object));
    }
    tally.compare(text_in(entry, "note"), write_json(entry.at("calls")), write_json(calls));
  }
}

struct Kind {
  std::string_view name;
  void (*run)(const json::value& file, Tally& tally);
};

constexpr std::array kKinds{
    Kind{"stream_deltas", run_stream_deltas},
};

std::string known_kinds() {
  std::string names;
  for (const Kind& kind : kKinds) names += (names.empty() ? "" : ", ") + std::string(kind.name);
  return names;
}

// The kind whose name the file's name begins with: stream_deltas.json, stream_deltas-more.json.
const Kind* kind_of(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  for (const Kind& kind : kKinds)
    if (stem.starts_with(kind.name)) return &kind;
  return nullptr;
}

Result<void> run_file(const std::filesystem::path& path, Tally& tally) {
  const Kind* kind = kind_of(path);
  if (kind == nullptr)
    return fail(Errc::InvalidRequest, "unknown kind of vector file; known kinds: {}",
                known_kinds());
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(Errc::Io, "cannot be read");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto file = parse_json(text);
  if (!file) return std::unexpected(file.error());
  try {
    kind->run(*file, tally);
  } catch (const std::exception& error) {
    return fail(Errc::InvalidRequest, "not in the format of {}: {}", kind->name, error.what());
  }
  return {};
}

}  // namespace
}  // namespace toolgate

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: toolgate_golden FILE…\n");
    return 2;
  }
  toolgate::Tally tally;
  for (int i = 1; i < argc; ++i) {
    if (auto run = toolgate::run_file(argv[i], tally); !run) {
      ++tally.failed;
      fmt::print("error: {}: {}\n", argv[i], run.error().message);
    }
  }
  fmt::print("{} passed, {} failed, {} skipped\n", tally.passed, tally.failed, tally.skipped);
  return tally.failed == 0 ? 0 : 1;
}
