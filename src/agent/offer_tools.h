// Registered tools for a chat request: chosen by use_vscode_tools, include and exclude lists and
// #references, shaped for the model's family, and grouped where they are too many.
// gateway/endpoints/chat calls it before the model is asked.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "agent/group_names.h"
#include "models/provider.h"
#include "schema/families.h"
#include "toolgate/catalog.h"
#include "toolgate/selection.h"
#include "tools/references.h"
#include "tools/tool_groups.h"
#include "wire/turn_report.h"

namespace toolgate {

// What is worked out once per catalogue and used again while nothing changes. One per loop, and not
// shared between threads. A request that began with an older catalogue finds nothing and keeps
// nothing.
class ToolOffers {
 public:
  using Choice = std::shared_ptr<const Result<Selection>>;
  using Tree = std::shared_ptr<const GroupTree>;
  using Tools = std::vector<std::uint32_t>;  // indexes in the catalogue

  // What is offered in the end.
  struct Added {
    std::shared_ptr<const AddedTools> tools;
    std::vector<std::string> warnings;  // about tools that had to be left out
  };

  // Each is null when it is not known yet.
  Choice find_choice(const Catalog& catalog, std::string_view model, const ToolFilter& filter);
  // `plan` names what the groups depend on beside the tools.
  Tree find_tree(const Catalog& catalog, const Tools& tools, std::string_view plan);
  // The key names model, family and entries; groups among them are those of the tree.
  std::shared_ptr<const Added> find_added(const Catalog& catalog, const Tree& tree,
                                          std::string_view key);

  // Lists of more than some KB are not kept.
  void keep(const Catalog& catalog, std::string model, const ToolFilter& filter, Choice choice);
  void keep(const Catalog& catalog, Tools tools, std::string plan, Tree tree);
  void keep(const Catalog& catalog, Tree tree, std::string key, std::shared_ptr<const Added> added);

 private:
  struct ChoiceEntry {
    std::string model;
    ToolFilter filter;
    Choice choice;
  };
  struct TreeEntry {
    Tools tools;
    std::string plan;
    Tree tree;
  };
  struct AddedEntry {
    Tree tree;
    std::string key;
    std::shared_ptr<const Added> added;
  };

  // Forgets everything when the catalogue is a newer one; false when it is an older one.
  bool turn_to(const Catalog& catalog);

  std::uint64_t version_ = 0;
  // Newest first, a few of each.
  std::list<ChoiceEntry> choices_;
  std::list<TreeEntry> trees_;
  std::list<AddedEntry> added_;
};

struct OfferSettings {
  const ModelInfo& model;
  SchemaChanges changes = 0;
  std::size_t limit = 128;       // toolgate.limits.tools
  std::int64_t threshold = 128;  // github.copilot.chat.virtualTools.threshold
  // toolgate.virtualTools.namingModel and what it has named so far; without: no model is asked.
  std::shared_ptr<const ChatProvider> naming_model = nullptr;
  const GroupNames* group_names = nullptr;
  // Gets what was chosen, hidden in groups or not: indexes in the catalogue. Null: nobody asks.
  ToolOffers::Tools* chosen = nullptr;
};

// Sets `added` where registered tools are offered. Fails where the lists leave no tool. The
// catalogue must stay until it is done.
Task<Result<void>> offer_tools(ChatRequest& request, const Catalog& catalog,
                               const OfferSettings& settings, ToolOffers& offers,
                               TurnReport& report, const Cancel& cancel);

}  // namespace toolgate
