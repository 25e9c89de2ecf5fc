// toolgate_golden FILE…: runs vector files. The kind of a file is known by its name, the table at
// the end lists the kinds. Prints every case that differs and one closing line.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/json.h"
#include "golden_runner/kinds.h"
#include "golden_runner/lone_surrogates.h"

namespace toolgate {

void Tally::compare(std::string_view name, const std::string& expected, const std::string& got) {
  if (expected == got) {
    ++passed;
    return;
  }
  ++failed;
  fmt::print("differs: {}\n  expected {}\n  got      {}\n", name, expected, got);
}

void Tally::differ(std::string_view name, std::string_view rule) {
  ++passed;
  ++different;
  fmt::print("different on purpose: {} ({})\n", name, rule);
}

std::string_view text_in(const json::value& value, std::string_view key) {
  const json::value* member = find(value, key);
  if (member == nullptr || !member->is_string()) return {};
  return member->get_string();
}

namespace {

struct Kind {
  std::string_view name;
  void (*run)(const json::value& file, Tally& tally);
};

constexpr std::array kKinds{
    Kind{"stream_deltas", run_stream_deltas},
    Kind{"normalizer", run_normalizer},
    Kind{"validate_input", run_validate_input},
    Kind{"tokens", run_tokens},
    Kind{"prompt-tsx", run_prompt_tsx},
    Kind{"when", run_when},
    Kind{"filter", run_filter},
    Kind{"toolsets", run_toolsets},
    Kind{"references", run_references},
    Kind{"virtual_tools", run_virtual_tools},
    Kind{"manifest", run_manifest},
    Kind{"confirmation", run_confirmation},
    Kind{"url_globs", run_url_globs},
    Kind{"readable_text", run_readable_text},
    Kind{"edit_globs", run_edit_globs},
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
  const auto file = parse_json(mend_lone_surrogates(text));
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
  if (tally.different > 0)
    fmt::print("{} of them differ on purpose: docs/differences.md\n", tally.different);
  fmt::print("{} passed, {} failed, {} skipped\n", tally.passed, tally.failed, tally.skipped);
  return tally.failed == 0 ? 0 : 1;
}
