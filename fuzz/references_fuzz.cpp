// The first byte switches the additions and dynamic references, the rest is a chat text. Parts must
// be the input, cut at their ends, with places that agree, and mended text must have the same
// parts.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/utf8.h"
#include "fuzz/require.h"
#include "tools/references.h"

namespace {

using namespace toolgate;

// Short names are tools, longer ones sets, so that a fuzzer finds both soon.
class AnyNames : public ReferenceNames {
 public:
  std::optional<ReferenceTarget> find(std::string_view name) const override {
    if (name.size() > 4) return std::nullopt;
    return ReferenceTarget{name.size() < 3 ? ReferenceTarget::Kind::Tool
                                           : ReferenceTarget::Kind::Set};
  }
  std::optional<ReferenceTarget> find_full(std::string_view name) const override {
    if (!name.contains('/')) return std::nullopt;
    return ReferenceTarget{};
  }
  std::optional<ReferenceTarget> find_id(std::string_view id) const override {
    if (!id.starts_with("id")) return std::nullopt;
    return ReferenceTarget{};
  }
};

std::size_t units_of(std::string_view text) {
  std::size_t units = 0;
  for (const char c : mend_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) units += byte >= 0xF0 ? 2 : 1;
  }
  return units;
}

void check_part(const ReferencePart& part) {
  require(part.end - part.start == units_of(part.source), "a range is as long as its text");
  require(part.source.starts_with(part.text), "the text is the beginning of the source");
  require(part.from.line >= 1 && part.from.column >= 1, "places count from one");
  if (part.kind == ReferencePart::Kind::Dynamic) return;
  const auto lines = static_cast<std::size_t>(std::ranges::count(part.source, '\n'));
  if (part.kind != ReferencePart::Kind::Text) {
    require(lines == 0 && part.to.column == part.from.column + part.end - part.start,
            "a reference stays in its line");
    require(!part.name.empty(), "a reference has a name");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  ReferenceOptions options;
  options.additions = (data[0] & 1) != 0;
  options.agents = {{"a", {"sub", "s"}}};
  options.slash_commands = {"fix", "é"};
  options.prompts = {"p", "p:q"};
  if ((data[0] & 2) != 0) options.dynamic = {{"x", 1, 1, 4}, {"y", 1, 6, 9}, {"z", 2, 1, 1}};
  const AnyNames names;
  const auto parts = parse_references(text, names, options);
  std::string whole;
  std::size_t at = 0;
  ReferencePart::Place place;
  for (const ReferencePart& part : parts) {
    require(part.start == at, "a part begins where the last one ends");
    require(part.from.line >= place.line || !options.dynamic.empty(), "lines go on");
    if (options.dynamic.empty())
      require(part.from.line == place.line && part.from.column == place.column,
              "a place begins where the last one ends");
    check_part(part);
    at = part.end;
    place = part.to;
    whole += part.source;
  }
  require(whole == text, "the parts are the input");
  static_cast<void>(prompt_of(parts));
  // With the additions a name may be anything, and what is found for it depends on its bytes.
  if (options.additions) return 0;
  const std::string mended = mend_utf8(text);
  const auto again = parse_references(mended, names, options);
  require(again.size() == parts.size(), "mended text has as many parts");
  for (std::size_t i = 0; i < parts.size(); ++i)
    require(again[i].kind == parts[i].kind && again[i].start == parts[i].start,
            "mended text has the same parts");
  return 0;
}
