// Patches as models write them: the text up to the first zero byte is a patch, the rest a file.
// Reading and applying must end; what is applied keeps every line that no hunk names, and a patch
// of additions alone loses nothing.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "builtin/marker_merge.h"
#include "builtin/patch.h"
#include "fuzz/require.h"

namespace {

using namespace toolgate;

std::size_t lines_in(std::string_view text) {
  const auto feeds = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return feeds + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

void check_update(const PatchFile& file, std::string_view text) {
  PatchSearch search;
  const auto done = apply_hunks(text, file.hunks, "f", search);
  if (!done) {
    require(!done.error().message.empty(), "a refusal says why");
    return;
  }
  std::size_t added = 0;
  std::size_t removed = 0;
  for (const PatchHunk& hunk : file.hunks)
    for (const PatchHunk::Line& line : hunk.lines) {
      added += line.kind == PatchHunk::Line::Kind::Added ? 1 : 0;
      removed += line.kind == PatchHunk::Line::Kind::Removed ? 1 : 0;
    }
  require(lines_in(*done) <= lines_in(text) + added, "only what is added is new");
  require(lines_in(*done) + removed + 1 >= lines_in(text), "only what is removed is gone");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto zero = std::min(input.find('\0'), input.size());
  const std::string_view text = input.substr(std::min(zero + 1, input.size()));
  if (const auto files = parse_patch(input.substr(0, zero))) {
    require(!files->empty(), "a patch names files");
    for (const PatchFile& file : *files) {
      require(!file.path.empty(), "a file has a path");
      if (file.kind == PatchFile::Kind::Update) check_update(file, text);
    }
  }
  (void)merge_by_markers(text, input.substr(0, zero), "f");
  return 0;
}
