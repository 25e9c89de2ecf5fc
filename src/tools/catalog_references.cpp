// The names of a catalogue that a text may reference: references.h.
#include <algorithm>

#include "tools/enclosing_sets.h"
#include "tools/references.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostUnknown = 16;
constexpr std::string_view kFullNameMark = "#tool:";
constexpr std::string_view kBlanks = " \t\n\r\f\v";

// Finds nothing and remembers what was asked for.
class AskedNames : public ReferenceNames {
 public:
  std::optional<ReferenceTarget> find(std::string_view name) const override { return note(name); }
  std::optional<ReferenceTarget> find_full(std::string_view name) const override {
    return note(name);
  }
  std::optional<ReferenceTarget> find_id(std::string_view id) const override { return note(id); }

  const CatalogReferences::NameSet& names() const { return names_; }

 private:
  std::optional<ReferenceTarget> note(std::string_view name) const {
    if (names_.size() < kMostReferences) names_.insert(name);
    return std::nullopt;
  }

  mutable CatalogReferences::NameSet names_;
};

// Decides which names are worth an entry, mostly by their length alone.
class Wanted {
 public:
  explicit Wanted(const CatalogReferences::NameSet* names) : names_(names) {
    if (names)
      for (const std::string_view name : *names) lengths_ |= length_bit(name);
  }

  bool operator()(std::string_view name) const {
    if (!names_) return true;
    return (lengths_ & length_bit(name)) != 0 && names_->contains(name);
  }

 private:
  static std::uint64_t length_bit(std::string_view text) {
    return 1ULL << std::min<std::size_t>(text.size(), 63);
  }

  const CatalogReferences::NameSet* names_;
  std::uint64_t lengths_ = 0;
};

// White space may be more than ASCII; then the parser decides.
bool may_stand_behind(char c) {
  return kBlanks.contains(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool may_reference(std::string_view text) {
  for (std::size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1))
    if (at == 0 || may_stand_behind(text[at - 1])) return true;
  return false;
}

// "#tool:name" in text that is in no reference.
void note_unknown(std::string_view text, std::vector<std::string>& unknown) {
  for (std::size_t at = text.find(kFullNameMark); at != text.npos;
       at = text.find(kFullNameMark, at + 1)) {
    if (unknown.size() == kMostUnknown) return;
    if (at > 0 && !kBlanks.contains(text[at - 1])) continue;
    std::string_view name = text.substr(at + kFullNameMark.size());
    const bool is_quoted = name.starts_with('"');
    if (is_quoted) name.remove_prefix(1);
    name = name.substr(0, name.find_first_of(is_quoted ? "\"\n" : kBlanks));
    if (!is_quoted) name = name.substr(0, name.find_last_not_of(".,;:!?)]}>'\"`") + 1);
    if (!name.empty() && name.size() <= kLongestName &&
        std::ranges::find(unknown, name) == unknown.end())
      unknown.emplace_back(name);
  }
}

void add_once(std::vector<std::uint32_t>& list, std::uint32_t index,
              std::unordered_set<std::uint32_t>& seen) {
  if (seen.insert(index).second) list.push_back(index);
}

}  // namespace

CatalogReferences::CatalogReferences(const Catalog& catalog, const ModelFacts* model,
                                     const NameSet* names)
    : catalog_(catalog), model_(model) {
  const Wanted wanted(names);
  std::optional<EnclosingSets> enclosing;
  const auto is_full = [](std::string_view name) { return name.contains('/'); };
  if (!names || std::ranges::any_of(*names, is_full)) enclosing.emplace(catalog);
  const auto add = [&](Index& index, std::string_view name, ReferenceTarget target) {
    if (!name.empty() && wanted(name)) index.insert_or_assign(name, target);
  };
  // Tools after the sets, whose names they hide.
  for (std::uint32_t i = 0; i < catalog.sets.size(); ++i) {
    const CatalogSet& set = catalog.sets[i];
    if (!set.permitted) continue;
    const ReferenceTarget target{ReferenceTarget::Kind::Set, i};
    add(names_, set.reference_name, target);
    add(full_names_, set.full_reference_name, target);
  }
  for (std::uint32_t i = 0; i < catalog.tools.size(); ++i) {
    const CatalogTool& tool = catalog.tools[i];
    if (!can_be_referenced(tool)) continue;
    const ReferenceTarget target{ReferenceTarget::Kind::Tool, i};
    const std::string& name = tool.data().name_for_people();
    add(names_, name, target);
    add(full_names_, tool.full_reference_name, target);
    if (!enclosing) continue;
    for (std::string& other : enclosing->other_full_names(i)) {
      if (!wanted(other)) continue;
      made_names_.push_back(std::move(other));
      add(full_names_, made_names_.back(), target);
    }
  }
}

bool CatalogReferences::can_be_referenced(const CatalogTool& tool) const {
  const ToolData& data = tool.data();
  if (!tool.enabled() || data.is_private || !is_for_model(data, model_)) return false;
  return data.can_be_referenced_in_prompt.value_or(true) || !tool.sets.empty();
}

std::optional<ReferenceTarget> CatalogReferences::find(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ReferenceTarget> CatalogReferences::find_full(std::string_view name) const {
  const auto found = full_names_.find(name);
  return found == full_names_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ReferenceTarget> CatalogReferences::find_id(std::string_view id) const {
  const CatalogTool* tool = catalog_.find_tool(id);
  if (tool == nullptr || !can_be_referenced(*tool)) return std::nullopt;
  return ReferenceTarget{ReferenceTarget::Kind::Tool,
                         static_cast<std::uint32_t>(tool - catalog_.tools.data())};
}

ReferencedTools referenced_tools(std::string_view text, const Catalog& catalog,
                                 const ModelFacts* model) {
  ReferencedTools result;
  if (!may_reference(text)) return result;
  // An index of the few names in a text costs less than one of the whole catalogue.
  const AskedNames asked;
  parse_references(text, asked);
  if (asked.names().empty()) return result;
  const CatalogReferences names(catalog, model, &asked.names());
  std::unordered_set<std::uint32_t> seen_tools;
  std::unordered_set<std::uint32_t> seen_sets;
  for (const ReferencePart& part : parse_references(text, names)) {
    if (part.kind == ReferencePart::Kind::Tool) add_once(result.tools, part.index, seen_tools);
    if (part.kind == ReferencePart::Kind::ToolSet) add_once(result.sets, part.index, seen_sets);
    if (part.kind == ReferencePart::Kind::Text) note_unknown(part.source, result.unknown);
  }
  return result;
}

}  // namespace toolgate
