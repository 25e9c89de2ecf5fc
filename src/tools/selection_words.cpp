#include "tools/selection_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/glob.h"
#include "base/nearest.h"
#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostQuotedBytes = 80;
constexpr std::size_t kMostListed = 5;

std::string quoted_name(std::string_view identifier) {
  if (identifier.size() <= kMostQuotedBytes) return '"' + mend_utf8(identifier) + '"';
  std::string_view cut = identifier.substr(0, kMostQuotedBytes);
  cut.remove_suffix(incomplete_utf8_tail(cut));
  return '"' + mend_utf8(cut) + "…\"";
}

// Names that stand for nothing, and for each the nearest that does. All are compared in one pass,
// so that the catalogue is read once.
class NearestNames {
 public:
  void add(UnknownIdentifier& unknown) {
    names_.push_back({&unknown, Nearest(unknown.identifier)});
  }

  void find(const Catalog& catalog, const std::vector<char>& available) {
    if (names_.empty()) return;
    for (const CatalogSet& set : catalog.sets)
      if (set.permitted) consider(set.reference_name);
    for (std::size_t i = 0; i < available.size(); ++i) {
      if (!available[i]) continue;
      const CatalogTool& tool = catalog.tools[i];
      consider(tool.data().reference_name);
      if (tool.data().id != tool.data().reference_name) consider(tool.data().id);
      for (auto& [unknown, nearest] : names_)
        if (unknown->identifier.contains('/')) nearest.consider(tool.full_reference_name);
    }
    for (auto& [unknown, nearest] : names_) unknown->nearest = nearest.result();
  }

 private:
  void consider(std::string_view name) {
    for (auto& entry : names_) entry.second.consider(name);
  }

  std::vector<std::pair<UnknownIdentifier*, Nearest>> names_;
};

// A tool that is there, but not to be had.
const CatalogTool* find_unavailable(std::string_view identifier, const Catalog& catalog) {
  if (const CatalogTool* tool = catalog.find_tool(identifier)) return tool;
  return catalog.find_tool_by_reference_name(identifier);
}

std::string describe_unavailable(std::string_view identifier, const CatalogTool& tool) {
  if (tool.enabled())
    return fmt::format("{} is a tool, but not for this model", quoted_name(identifier));
  const std::string_view rule = tool.allowed ? std::string_view() : std::string_view(tool.rule);
  return fmt::format("{} is a tool that is off: {}{}", quoted_name(identifier), tool.state(),
                     rule.empty() ? std::string() : fmt::format(" ({})", rule));
}

std::string describe_missing(const UnknownIdentifier& unknown) {
  if (has_wildcard(unknown.identifier))
    return fmt::format("{} matches no tool", quoted_name(unknown.identifier));
  if (unknown.nearest.empty())
    return fmt::format("{} is no tool or tool set", quoted_name(unknown.identifier));
  return fmt::format("{} is no tool or tool set; did you mean {}?", quoted_name(unknown.identifier),
                     quoted_name(unknown.nearest));
}

std::string listed(const std::vector<std::string>& list) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(list.size(), kMostListed); ++i)
    shown.push_back(quoted_name(list[i]));
  if (list.size() > kMostListed) shown.push_back(fmt::format("{} more", list.size() - kMostListed));
  return fmt::format("[{}]", fmt::join(shown, ", "));
}

}  // namespace

void describe_unknown(std::span<const std::string_view> identifiers, const Catalog& catalog,
                      const std::vector<char>& available, Selection& selection) {
  for (const std::string_view identifier : identifiers)
    selection.unknown.push_back({std::string(identifier), {}});
  const bool too_many = identifiers.size() > Selection::kMostWarnings;
  const std::size_t described = too_many ? Selection::kMostWarnings - 1 : identifiers.size();
  const std::span shown(selection.unknown.data(), described);

  NearestNames names;
  for (UnknownIdentifier& unknown : shown)
    if (!has_wildcard(unknown.identifier) && !find_unavailable(unknown.identifier, catalog))
      names.add(unknown);
  names.find(catalog, available);

  for (const UnknownIdentifier& unknown : shown) {
    const CatalogTool* tool = find_unavailable(unknown.identifier, catalog);
    selection.warnings.push_back(tool ? describe_unavailable(unknown.identifier, *tool)
                                      : describe_missing(unknown));
  }
  if (too_many)
    selection.warnings.push_back(
        fmt::format("{} more identifiers are no tool or tool set", identifiers.size() - described));
}

std::unexpected<Error> no_tool_left(const ToolFilter& filter, const Selection& selection) {
  std::string lists;
  if (filter.include) lists = "include " + listed(*filter.include);
  if (filter.exclude)
    lists += (lists.empty() ? "exclude " : ", exclude ") + listed(*filter.exclude);
  std::string message = fmt::format("the filter leaves no tool: {}", lists);
  for (std::size_t i = 0; i < std::min(selection.warnings.size(), kMostListed); ++i)
    message += "; " + selection.warnings[i];
  return fail_at(filter.include ? "include_tools" : "exclude_tools", Errc::InvalidRequest, "{}",
                 message);
}

}  // namespace toolgate
