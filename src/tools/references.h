// References in a chat text: #tool, #toolset, @agent, /command. The chat endpoint asks for the
// tools and sets that a message names; the parts, with their places, are for whoever shows or
// rewrites it.
//
// Where a part may begin, how a name ends and which parts exclude each other is as in VS Code. Ours
// on top, and on unless switched off: `#full/name` and `#tool:full/name`, the quoted `#"My Tool"`
// and
// `#tool:"My Tool"`, and a tool's id where no name fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "toolgate/catalog.h"

namespace toolgate {

struct ReferencePart {
  enum class Kind : std::uint8_t {
    Text,
    Tool,
    ToolSet,
    Agent,
    Subcommand,  // of the agent before it
    Slash,
    Prompt,
    Dynamic,  // told by the caller to stand here
  };
  struct Place {
    std::size_t line = 1;    // only LF begins a new one
    std::size_t column = 1;  // from 1, in UTF-16 units
  };

  Kind kind = Kind::Text;
  std::string_view source;  // the bytes of the input; the sources of all parts are the input
  std::string_view text;    // `source` without the ":12" behind a name
  std::size_t start = 0;    // in UTF-16 units
  std::size_t end = 0;
  Place from;
  Place to;
  std::string_view name;    // without its mark; of a Dynamic one its id
  std::uint32_t index = 0;  // of the tool or set, as ReferenceNames told

  // What of it a model is shown: agents and their commands are not part of the prompt.
  std::string_view prompt_text() const;
};

// A reference that somebody else knows: it covers these columns, where a part may begin.
struct DynamicReference {
  std::string id;
  std::size_t line = 1;
  std::size_t start_column = 1;
  std::size_t end_column = 1;
};

struct ReferenceTarget {
  enum class Kind : std::uint8_t { Tool, Set };
  Kind kind = Kind::Tool;
  std::uint32_t index = 0;
};

// What may be referenced.
class ReferenceNames {
 public:
  virtual ~ReferenceNames() = default;
  // A tool by its reference name or, if it has none, its display name; else a set.
  virtual std::optional<ReferenceTarget> find(std::string_view name) const = 0;
  // By full reference name.
  virtual std::optional<ReferenceTarget> find_full(std::string_view name) const = 0;
  // A tool by its id.
  virtual std::optional<ReferenceTarget> find_id(std::string_view id) const = 0;
};

struct ReferenceOptions {
  struct Agent {
    std::string name;
    std::vector<std::string> commands;
  };

  bool additions = true;
  std::vector<Agent> agents;
  std::vector<std::string> slash_commands;
  std::vector<std::string> prompts;
  std::vector<DynamicReference> dynamic;
};

// After that many references the rest is text.
inline constexpr std::size_t kMostReferences = 10'000;
// A quoted or full name is looked for within that many bytes.
inline constexpr std::size_t kLongestName = 256;

// The parts view `text` and `options`. What is not UTF-8 counts as one unit per ill-formed
// sequence, as if it were U+FFFD.
std::vector<ReferencePart> parse_references(std::string_view text, const ReferenceNames& names,
                                            const ReferenceOptions& options = {});

// The prompt texts in a row, without white space at the front.
std::string prompt_of(const std::vector<ReferencePart>& parts);

// The names of a catalogue's enabled tools and permitted sets, for a model or for any. Views the
// catalogue. Of several with one name the last one registered counts. Tools whose author says that
// they cannot be referenced count only as members of sets.
class CatalogReferences : public ReferenceNames {
 public:
  using NameSet = std::unordered_set<std::string_view>;

  // Names that are not in `wanted` are left out; null: all are there.
  explicit CatalogReferences(const Catalog& catalog, const ModelFacts* model = nullptr,
                             const NameSet* wanted = nullptr);

  std::optional<ReferenceTarget> find(std::string_view name) const override;
  std::optional<ReferenceTarget> find_full(std::string_view name) const override;
  std::optional<ReferenceTarget> find_id(std::string_view id) const override;

 private:
  using Index = std::unordered_map<std::string_view, ReferenceTarget>;

  bool can_be_referenced(const CatalogTool& tool) const;

  const Catalog& catalog_;
  const ModelFacts* model_;
  Index names_;
  Index full_names_;
  std::deque<std::string> made_names_;  // that stand nowhere in the catalogue
};

struct ReferencedTools {
  std::vector<std::uint32_t> tools;  // indexes in the catalogue, each once, as they appear
  std::vector<std::uint32_t> sets;
  // Names after "#tool:" that are nobody's, 16 at most. A plain "#name" may be anything, a heading
  // or an issue, and is not reported.
  std::vector<std::string> unknown;
};

// What a text names with '#'. A text that names nothing costs one look for a '#' behind white
// space.
ReferencedTools referenced_tools(std::string_view text, const Catalog& catalog,
                                 const ModelFacts* model = nullptr);

}  // namespace toolgate
