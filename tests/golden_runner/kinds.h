// The kinds of vector files and how a run is counted. main.cpp has the table; each kind has a file.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace toolgate {

struct Tally {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  int different = 0;  // on purpose, with a rule in docs/differences.md

  void compare(std::string_view name, const std::string& expected, const std::string& got);
  // Ours differs by the named rule of docs/differences.md.
  void differ(std::string_view name, std::string_view rule);
};

std::string_view text_in(const json::value& value, std::string_view key);

void run_stream_deltas(const json::value& file, Tally& tally);
void run_normalizer(const json::value& file, Tally& tally);
void run_validate_input(const json::value& file, Tally& tally);
void run_tokens(const json::value& file, Tally& tally);
void run_prompt_tsx(const json::value& file, Tally& tally);
void run_when(const json::value& file, Tally& tally);
void run_filter(const json::value& file, Tally& tally);
void run_toolsets(const json::value& file, Tally& tally);
void run_references(const json::value& file, Tally& tally);
void run_virtual_tools(const json::value& file, Tally& tally);
void run_manifest(const json::value& file, Tally& tally);
void run_confirmation(const json::value& file, Tally& tally);
void run_url_globs(const json::value& file, Tally& tally);
void run_readable_text(const json::value& file, Tally& tally);
void run_edit_globs(const json::value& file, Tally& tally);

}  // namespace toolgate
