#include "toolgate/selection.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "base/glob.h"
#include "tools/enclosing_sets.h"
#include "tools/selection_words.h"

namespace toolgate {
namespace {

// How an identifier was first found to be something; later ways are not tried then.
enum class Way : std::uint8_t { None, Exact, FullName, Pattern };

struct Identifier {
  std::string_view text;
  bool included = false;
  bool excluded = false;
  Way way = Way::None;
};

// The identifiers of both lists, each once, in order of appearance.
class Identifiers {
 public:
  explicit Identifiers(const ToolFilter& filter) {
    if (filter.include)
      for (const std::string& text : *filter.include) add(text).included = true;
    if (filter.exclude)
      for (const std::string& text : *filter.exclude) add(text).excluded = true;
  }

  Identifier* find(std::string_view text) {
    if ((lengths_ & length_bit(text)) == 0) return nullptr;
    const auto found = index_.find(text);
    return found == index_.end() ? nullptr : &all[found->second];
  }

  std::vector<Identifier> all;

 private:
  static std::uint64_t length_bit(std::string_view text) {
    return 1ULL << std::min<std::size_t>(text.size(), 63);
  }

  Identifier& add(std::string_view text) {
    const auto [place, is_new] = index_.try_emplace(text, all.size());
    if (is_new) all.push_back({.text = text});
    lengths_ |= length_bit(text);
    return all[place->second];
  }

  std::unordered_map<std::string_view, std::size_t> index_;
  std::uint64_t lengths_ = 0;  // that occur: most names of a catalogue need no look-up
};

// What the lists say of one tool or set.
struct Hits {
  bool included = false;
  bool excluded = false;

  void add(Identifier& identifier, Way way) {
    included = included || identifier.included;
    excluded = excluded || identifier.excluded;
    identifier.way = way;
  }
};

bool is_available(const CatalogTool& tool, const Catalog& catalog, const ModelFacts* model) {
  if (!tool.enabled() || !is_for_model(tool.data(), model)) return false;
  return !tool.data().is_private || std::ranges::any_of(tool.sets, [&](std::uint32_t set) {
    return catalog.sets[set].permitted;
  });
}

class Selecting {
 public:
  Selecting(const Catalog& catalog, const ModelFacts* model, const ToolFilter& filter)
      : catalog_(catalog),
        filter_(filter),
        identifiers_(filter),
        available_(catalog.tools.size()),
        direct_(catalog.tools.size()),
        grouped_(catalog.tools.size()),
        sets_(catalog.sets.size()) {
    for (std::size_t i = 0; i < catalog.tools.size(); ++i)
      available_[i] = is_available(catalog.tools[i], catalog, model);
  }

  Result<Selection> run() {
    if (!identifiers_.all.empty()) {
      match_exactly();
      if (auto matched = match_further(); !matched) return std::unexpected(matched.error());
      spread_sets(&Hits::included);
      spread_sets(&Hits::excluded);
    }
    Selection result;
    std::vector<char> on(available_.size());
    for (std::uint32_t i = 0; i < on.size(); ++i) {
      on[i] = available_[i] && is_on(i);
      if (on[i]) result.tools.push_back(i);
    }
    std::vector<std::string_view> unknown;
    for (const Identifier& identifier : identifiers_.all)
      if (identifier.way == Way::None) unknown.push_back(identifier.text);
    describe_unknown(unknown, catalog_, available_, result);
    const bool filtered = filter_.include || (filter_.exclude && !filter_.exclude->empty());
    if (filtered && result.tools.empty()) return no_tool_left(filter_, result);
    result.sets = sets_on(on);
    return result;
  }

 private:
  void match_exactly() {
    for (std::size_t i = 0; i < available_.size(); ++i) {
      const ToolData& tool = catalog_.tools[i].data();
      if (available_[i]) match_exactly(direct_[i], tool.id, tool.reference_name);
    }
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const CatalogSet& set = catalog_.sets[i];
      if (set.permitted) match_exactly(sets_[i], set.data->id, set.reference_name);
    }
  }

  void match_exactly(Hits& hits, std::string_view id, std::string_view reference_name) {
    Identifier* by_id = identifiers_.find(id);
    if (by_id) hits.add(*by_id, Way::Exact);
    Identifier* by_name = reference_name.empty() ? nullptr : identifiers_.find(reference_name);
    if (!by_name) return;
    const Way before = by_name->way;
    hits.add(*by_name, Way::Exact);
    // Upstream looks at the name only in a list that does not have the id.
    const bool looked_at = !by_id || (by_name->included && !by_id->included) ||
                           (by_name->excluded && !by_id->excluded) || by_name == by_id;
    if (filter_.upstream_quirks && !looked_at) by_name->way = before;
  }

  Result<void> match_further() {
    if (filter_.upstream_quirks || !filter_.extended_names) return {};
    const auto missed = [](const Identifier& identifier) { return identifier.way == Way::None; };
    if (std::ranges::any_of(identifiers_.all, [&](const Identifier& identifier) {
          return missed(identifier) && identifier.text.contains('/');
        }))
      match_full_names();
    std::vector<Identifier*> patterns;
    for (Identifier& identifier : identifiers_.all)
      if (missed(identifier) && has_wildcard(identifier.text)) patterns.push_back(&identifier);
    if (patterns.size() > ToolFilter::kMostPatterns)
      return fail_at("include_tools", Errc::InvalidRequest,
                     "a filter has at most {} patterns; this one has {}", ToolFilter::kMostPatterns,
                     patterns.size());
    if (!patterns.empty()) match_patterns(patterns);
    return {};
  }

  // Calls `take` with the names a tool has below its sets or its extension. A name without a slash
  // is a plain one, or a display name, which is not looked at.
  template <class Take>
  void each_full_name(std::uint32_t tool, const EnclosingSets& enclosing, const Take& take) const {
    const std::string& first = catalog_.tools[tool].full_reference_name;
    if (first.contains('/')) take(first);
    for (const std::string& name : enclosing.other_full_names(tool)) take(name);
  }

  void match_full_names() {
    const EnclosingSets enclosing(catalog_);
    const auto match = [&](Hits& hits, std::string_view name) {
      Identifier* identifier = identifiers_.find(name);
      if (identifier && (identifier->way == Way::None || identifier->way == Way::FullName))
        hits.add(*identifier, Way::FullName);
    };
    for (std::uint32_t i = 0; i < available_.size(); ++i)
      if (available_[i])
        each_full_name(i, enclosing, [&](const std::string& name) { match(direct_[i], name); });
    for (std::size_t i = 0; i < sets_.size(); ++i)
      if (catalog_.sets[i].permitted && !catalog_.sets[i].full_reference_name.empty())
        match(sets_[i], catalog_.sets[i].full_reference_name);
  }

  // Tool by tool, so that the catalogue is read once for all patterns.
  void match_patterns(const std::vector<Identifier*>& identifiers) {
    const EnclosingSets enclosing(catalog_);
    std::vector<std::pair<Identifier*, Glob>> patterns;
    for (Identifier* identifier : identifiers)
      patterns.emplace_back(identifier, Glob(identifier->text));
    for (std::uint32_t i = 0; i < available_.size(); ++i) {
      if (!available_[i]) continue;
      for (const auto& [identifier, glob] : patterns)
        if (matches(i, glob, enclosing)) grouped_[i].add(*identifier, Way::Pattern);
    }
  }

  bool matches(std::uint32_t tool, const Glob& glob, const EnclosingSets& enclosing) const {
    const ToolData& data = catalog_.tools[tool].data();
    if (glob.matches(data.id)) return true;
    if (!data.reference_name.empty() && data.reference_name != data.id &&
        glob.matches(data.reference_name))
      return true;
    bool found = false;
    if (glob.pattern().contains('/'))
      each_full_name(tool, enclosing,
                     [&](const std::string& name) { found = found || glob.matches(name); });
    return found;
  }

  // What a list says of a set it says of the members, nested sets and cycles included.
  void spread_sets(bool Hits::* list) {
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < sets_.size(); ++i)
      if (sets_[i].*list) open.push_back(i);
    while (!open.empty()) {
      const CatalogSet& set = catalog_.sets[open.back()];
      open.pop_back();
      for (const std::uint32_t tool : set.tools) grouped_[tool].*list = true;
      for (const std::uint32_t nested : set.sets) {
        if (sets_[nested].*list) continue;
        sets_[nested].*list = true;
        open.push_back(nested);
      }
    }
  }

  bool is_on(std::size_t tool) const {
    const Hits& direct = direct_[tool];
    const Hits& grouped = grouped_[tool];
    if (direct.excluded) return false;
    if (direct.included) return true;
    return (!filter_.include || grouped.included) && !grouped.excluded;
  }

  std::vector<std::uint32_t> sets_on(const std::vector<char>& on) const {
    std::vector<char> has_member(sets_.size());
    std::vector<char> has_one_off(sets_.size());
    for (std::size_t i = 0; i < sets_.size(); ++i)
      for (const std::uint32_t tool : catalog_.sets[i].tools) {
        has_member[i] = has_member[i] || available_[tool];
        has_one_off[i] = has_one_off[i] || (available_[tool] && !on[tool]);
      }
    spread_to_outer(has_member);
    spread_to_outer(has_one_off);
    std::vector<std::uint32_t> result;
    for (std::uint32_t i = 0; i < sets_.size(); ++i)
      if (catalog_.sets[i].permitted && has_member[i] && !has_one_off[i]) result.push_back(i);
    return result;
  }

  // From each set to those that have it in them.
  void spread_to_outer(std::vector<char>& marked) const {
    std::vector<std::vector<std::uint32_t>> outer(sets_.size());
    for (std::uint32_t i = 0; i < sets_.size(); ++i)
      for (const std::uint32_t nested : catalog_.sets[i].sets) outer[nested].push_back(i);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < sets_.size(); ++i)
      if (marked[i]) open.push_back(i);
    while (!open.empty()) {
      const std::uint32_t inner = open.back();
      open.pop_back();
      for (const std::uint32_t set : outer[inner])
        if (!marked[set]) {
          marked[set] = true;
          open.push_back(set);
        }
    }
  }

  const Catalog& catalog_;
  const ToolFilter& filter_;
  Identifiers identifiers_;
  std::vector<char> available_;
  std::vector<Hits> direct_;   // tools that are named themselves
  std::vector<Hits> grouped_;  // tools that a set or a pattern names
  std::vector<Hits> sets_;
};

}  // namespace

Result<Selection> select_tools(const Catalog& catalog, const ModelFacts* model,
                               const ToolFilter& filter) {
  return Selecting(catalog, model, filter).run();
}

}  // namespace toolgate
