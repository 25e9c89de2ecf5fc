// What tools and tool sets are called: full reference names ("github/create_issue", "github/*"),
// their aliases and the names they had once. tools/catalog_build.cpp fills a catalogue's names with
// it and resolves the members of people's sets; lists in prompts and requests are read with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "toolgate/catalog.h"

namespace toolgate {

// A tool or a set by its index in the catalogue.
struct CatalogItem {
  bool is_set = false;
  std::uint32_t index = 0;

  bool operator==(const CatalogItem&) const = default;
};

struct NamedItem {
  static constexpr std::uint32_t kNoSet = UINT32_MAX;

  bool is_set = false;
  std::uint32_t index = 0;
  std::string name;
  std::uint32_t under = kNoSet;  // of a tool: the set whose name it carries

  CatalogItem item() const { return {is_set, index}; }
};

// The reference name of a set created as this: well-known servers have a short one.
std::string normalized_set_name(std::string_view created_as);

// "<set>/<tool>"; without a set "<extension>/<tool>" or the tool's own name.
std::string full_reference_name(const ToolData& tool, const CatalogSet* set);
// Empty for a set of a person's file.
std::string full_reference_name(const CatalogSet& set);

// Every full reference name in order: each permitted set that is not a person's with its current
// members, then the tools that prompts may refer to and no set has. A tool in two sets is there
// twice.
std::vector<NamedItem> full_reference_names(const Catalog& catalog);

// Fills the full_reference_name of every tool and set: of a tool's names the first one listed.
void assign_full_reference_names(Catalog& catalog);

// Other names that mean the same, in order; the same one may be there twice.
std::vector<std::string> aliases_of(const CatalogSet& set);
std::vector<std::string> aliases_of(const ToolData& tool, std::string_view full_name);
std::vector<std::string> aliases_of(const Catalog& catalog, const NamedItem& item);

// A name that still works or once did, and what to write instead.
struct DeprecatedName {
  std::string name;
  std::vector<std::string> current;
};
std::vector<DeprecatedName> deprecated_names(const Catalog& catalog);

// Looks names up. Made once from a catalogue whose sets are all there; the members of people's sets
// need not be known yet. Keeps nothing of the catalogue.
class NameIndex {
 public:
  explicit NameIndex(const Catalog& catalog);

  // By full reference name or alias: the first item in the order above that has the name.
  std::optional<CatalogItem> find(std::string_view name) const;
  // If that finds nothing, a tool's reference name, then a set's: as people's files name members.
  std::optional<CatalogItem> find_any(std::string_view name) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Map = std::unordered_map<std::string, CatalogItem, Hash, std::equal_to<>>;
  Map names_;
  Map reference_names_;
};

// The same for one look-up.
std::optional<NamedItem> find_by_full_name_or_alias(const Catalog& catalog, std::string_view name);

// People's sets that cannot be reached by their name, or that stand in for something else: a name
// that is taken by a built-in set, a tool, an alias or another file's set. The first one registered
// keeps the name; nothing is shadowed without a word.
std::vector<CatalogProblem> clashes_of_user_sets(const Catalog& catalog);

}  // namespace toolgate
