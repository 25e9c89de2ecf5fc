// Tool-set files: the text up to the first zero byte is a file, the rest a name. Reading must stay
// within its limits; a set that is written is there when the file is read again, one that is
// deleted is not, and the other sets stay as they were.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/utf8.h"
#include "fuzz/require.h"
#include "tools/toolset_file.h"

namespace {

using namespace toolgate;

constexpr ToolSetFileLimits kLimits{.bytes = 1 << 20,
                                    .sets = 1 << 16,
                                    .tools_per_set = 1 << 16,
                                    .name_bytes = 1 << 20,
                                    .faults = 20};

const ToolSetData* find_set(const ToolSetFile& file, std::string_view name) {
  const auto found = std::ranges::find(file.sets, name, &ToolSetData::reference_name);
  return found == file.sets.end() ? nullptr : &*found;
}

bool same(const ToolSetData& a, const ToolSetData& b) {
  return a.id == b.id && a.description == b.description && a.icon == b.icon &&
         std::ranges::equal(a.members, b.members, {}, &ToolSetMember::name, &ToolSetMember::name);
}

void require_others(const ToolSetFile& before, const ToolSetFile& after, std::string_view name) {
  for (const ToolSetData& set : before.sets) {
    if (set.reference_name == name) continue;
    const ToolSetData* kept = find_set(after, set.reference_name);
    require(kept != nullptr && same(set, *kept), "other sets stay");
  }
}

void check_faults(const ToolSetFile& file, std::string_view text) {
  require(file.faults.size() <= kLimits.faults + 1, "faults have a limit");
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  for (const ToolSetFileFault& fault : file.faults) {
    require(!fault.message.empty() && fault.line >= 1 && fault.column >= 1, "a fault has a place");
    require(fault.line <= lines, "its line is in the file");
  }
  for (const ToolSetData& set : file.sets)
    require(!set.members.empty() && !set.reference_name.empty(), "a set has a name and members");
}

void check_write(const ToolSetFile& before, std::string_view text, const std::string& name) {
  const ToolSetEntry entry{name, {"first", name}, "text", "icon"};
  const auto written = write_tool_set(text, entry);
  if (!written) return;
  const ToolSetFile after = read_tool_set_file("f", *written, kLimits);
  const ToolSetData* set = find_set(after, name);
  require(set != nullptr && set->members.size() == 2 && set->description == "text",
          "what was written is there");
  require_others(before, after, name);
  const auto again = write_tool_set(*written, entry);
  require(again && *again == *written, "writing it again changes nothing");
  const auto deleted = delete_tool_set(*written, name);
  // Two other sets of one name are a reason not to.
  require(!deleted || *deleted, "what was written can be deleted");
}

void check_delete(const ToolSetFile& before, std::string_view text, std::string_view name) {
  const auto deleted = delete_tool_set(text, name);
  if (!deleted) return;  // not JSON, or two sets of one name
  if (!*deleted) {
    require(find_set(before, name) == nullptr, "a set that is there can be deleted");
    return;
  }
  const ToolSetFile after = read_tool_set_file("f", (*deleted)->text, kLimits);
  require(find_set(after, name) == nullptr, "what was deleted is gone");
  if ((*deleted)->is_empty) require((*deleted)->text == "{}", "an empty file is an empty object");
  require_others(before, after, name);
  const auto again = delete_tool_set((*deleted)->text, name);
  require(again && !*again, "nothing is left to delete");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto zero = input.find('\0');
  const std::string_view text = input.substr(0, zero);
  std::string name = zero == input.npos ? "a" : mend_utf8(input.substr(zero + 1));
  if (name.find_first_not_of(" \t\r\n\f\v") == name.npos) name = "a";
  const ToolSetFile file = read_tool_set_file("f", text, kLimits);
  check_faults(file, text);
  check_write(file, text, name);
  check_delete(file, text, name);
  for (const ToolSetData& set : file.sets) check_delete(file, text, set.reference_name);
  return 0;
}
