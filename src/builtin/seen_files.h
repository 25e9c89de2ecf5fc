// Which files a conversation has read, and as what: edits of a file that is another one since are
// refused, because the model would change what it has not seen. read_file notes, the tools that
// edit compare; the workbench has one.
#pragma once

#include <cstdint>
#include <ctime>
#include <list>
#include <mutex>
#include <string>
#include <sys/stat.h>
#include <unordered_map>

#include "builtin/edit_record.h"
#include "toolgate/tool.h"

namespace toolgate {

// Any thread may use it; looking at files blocks as files do: call it through offload(). It forgets
// what was read longest ago, and all of it with the process.
class SeenFiles {
 public:
  explicit SeenFiles(std::size_t most = 20'000) : most_(most) {}

  // `facts` are from before the file was read.
  void note(const ToolCall& call, const std::string& real_path, const struct stat& facts);
  // Before and after the conversation's own edit: it knows what it makes.
  void note_making(const ToolCall& call, const EditPlan& plan);
  void note_made(const ToolCall& call, const EditPlan& plan);
  // Conflict when a file of the plan was read here and has changed since. After the plan is made,
  // as that reads the files too.
  Result<void> check(const ToolCall& call, const EditPlan& plan);

 private:
  struct Seen {
    std::string key;
    std::uint64_t device = 0;
    std::uint64_t number = 0;  // inode
    std::int64_t size = 0;
    timespec changed = {};
    std::string made = {};  // sha256 of what an own edit makes of it; empty: none
  };
  using Order = std::list<Seen>;  // what was read longest ago first

  static Seen seen_as(std::string key, const struct stat& facts);
  void keep(Seen seen);
  void forget(const std::string& key);

  const std::size_t most_;
  std::mutex mutex_;
  Order order_;
  std::unordered_map<std::string, Order::iterator> by_key_;
};

}  // namespace toolgate
