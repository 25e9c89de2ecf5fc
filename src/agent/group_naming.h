// Asks a model for the names of groups, in the background: no chat request waits for it. Lives on
// one loop, which all others post their wishes to; what it has learned is published to all.
// gateway/ owns it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/group_names.h"
#include "async/loop.h"
#include "net/http_client.h"
#include "toolgate/cancel.h"

namespace toolgate {

struct NamingLimits {
  std::size_t at_once = 3;
  std::chrono::milliseconds patience{30'000};  // for one answer
  std::size_t failures_in_a_row = 3;           // the rest is then not asked
  std::chrono::minutes retry_after{10};        // what failed is left alone for so long
  std::size_t questions_per_hour = 500;
  std::size_t kept = 2'048;  // groups; those known for longest are forgotten
};

class GroupNaming {
 public:
  using Publish = std::function<void(std::shared_ptr<const GroupNameTable>)>;
  using Clock = std::function<NamingTime()>;

  GroupNaming(Loop& loop, HttpClient& client, Publish publish, NamingLimits limits = {},
              Clock now = std::chrono::steady_clock::now);
  GroupNaming(const GroupNaming&) = delete;
  GroupNaming& operator=(const GroupNaming&) = delete;

  // On its loop. One wish at a time, whose names are published together: the names of a tree change
  // once. What is wanted meanwhile is not kept, because it is wanted again after that.
  void want(NamingWish wish);
  // On its loop. What is under way ends, and nothing more is asked.
  void stop() { cancel_.request(CancelReason::Shutdown); }

 private:
  struct Round {
    NamingWish wish;
    std::size_t next = 0;  // of the wish's groups
    std::vector<std::pair<std::string, GroupNameTable::Entry>> learned = {};
    std::size_t named = 0;
    std::size_t failures_in_a_row = 0;
    std::string failure = {};  // the first
  };
  class Asker;

  Task<> ask_in_turn();
  Task<Result<GroupNamer::Names>> ask(const UnnamedGroup& group);
  bool may_ask();
  void keep(const UnnamedGroup& group, Result<GroupNamer::Names> names);
  std::string make_unique(std::string name);
  void end_round();
  std::shared_ptr<const GroupNameTable> next_table(Round& round) const;
  void tell(const Round& round);

  Loop& loop_;
  HttpClient& client_;
  Publish publish_;
  const NamingLimits limits_;
  Clock now_;
  CancelSource cancel_;
  std::shared_ptr<const GroupNameTable> table_ = std::make_shared<const GroupNameTable>();
  std::optional<Round> round_;
  std::size_t askers_ = 0;
  NamingTime hour_began_ = {};
  std::size_t asked_this_hour_ = 0;
  std::string told_;  // the failure that was logged last
};

}  // namespace toolgate
