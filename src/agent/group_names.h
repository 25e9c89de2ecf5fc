// Names that a model gave to groups of tools, for toolgate.virtualTools.namingModel. They are kept
// by the groups' members and are the same on all loops, so that a conversation meets the same names
// wherever its requests arrive. offer_tools.h looks them up, group_naming.h asks for what is
// missing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "models/provider.h"
#include "tools/tool_groups.h"

namespace toolgate {

using NamingTime = std::chrono::steady_clock::time_point;

// All names that are known at one moment. Immutable once published.
struct GroupNameTable {
  struct Entry {
    GroupNamer::Names names = {};  // without a name: the model gave none
    NamingTime retry_at = {};      // of such an entry: when the model may be asked again
    std::uint64_t since = 0;       // the version of the table that first had it

    bool has_names() const { return !names.name.empty(); }
  };

  std::uint64_t version = 0;
  std::unordered_map<std::string, Entry> entries;  // by group_key()
  NamingTime retry_at = NamingTime::max();         // the first of its entries'

  // Null: the model should be asked.
  const Entry* find(const std::string& key, NamingTime now) const;
  // Another one when groups that were made before might get other names now.
  std::string stage(NamingTime now) const;
};

// The members, in any order, with their descriptions, and the model.
std::string group_key(std::span<const OfferedTool> members, std::string_view model);

struct UnnamedGroup {
  std::string key;
  std::string question;  // the members as the model is told about them, clipped
};

// What a tree lacks.
struct NamingWish {
  std::shared_ptr<const ChatProvider> model;
  std::vector<UnnamedGroup> groups;
  std::vector<std::string> taken;  // names that other groups of the tree have from the model
};

// What one loop has of all this.
struct GroupNames {
  std::shared_ptr<const GroupNameTable> table = std::make_shared<const GroupNameTable>();
  std::function<void(NamingWish)> ask;  // whoever asks models, on whichever loop; does not wait
};

// Looks in a table, for one tree, and notes in `wish` what is not there. Everything given must stay
// as long as it.
class KnownGroupNames final : public GroupNamer {
 public:
  KnownGroupNames(const GroupNameTable& table, NamingTime now, NamingWish& wish)
      : table_(table), now_(now), wish_(wish) {}

  std::optional<Names> names_for(std::span<const OfferedTool> members) const override;

 private:
  const GroupNameTable& table_;
  NamingTime now_;
  NamingWish& wish_;
};

// A chat request that asks for {"name", "description"}, as JSON.
std::string write_naming_request(std::string_view model, std::string_view question);
// The body of a whole answer to it. What a model says around the object is passed over.
Result<GroupNamer::Names> read_naming_answer(std::string_view body);

}  // namespace toolgate
