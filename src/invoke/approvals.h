// What people have allowed for longer than one call. One Approvals holds all of a store's in
// memory; book.h looks in it for every call and writes its changes down. Times are milliseconds
// since 1970, given by the caller.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "invoke/states.h"

namespace toolgate {

enum class ApprovalSide : std::uint8_t { Before, Results };
enum class ApprovalTarget : std::uint8_t { Tool, Server, Arguments };

std::string_view name_of(ApprovalSide side);      // "before", "results"
std::string_view name_of(ApprovalTarget target);  // "tool", "server", "arguments"
std::optional<ApprovalTarget> parse_approval_target(std::string_view name);

struct Approval {
  std::string id = {};
  ApprovalSide side = ApprovalSide::Before;
  ApprovalTarget target = ApprovalTarget::Tool;
  ApprovalScope scope = ApprovalScope::Session;
  std::string scope_id = {};  // the session or the workspace; empty for Profile
  std::string key = {};       // tool id, server key, or hash of tool id and canonical arguments
  std::string tool_id = {};   // for which it was given
  std::string label = {};     // for people: a tool's name, a server's, or the arguments
  std::string caller = {};    // whose calls it lets run
  std::string definition_hash = {};  // of what was trusted
  std::string definition = {};       // its text, to show what changed
  std::string by = {};
  std::int64_t created_at = 0;
  std::int64_t last_used_at = 0;
  std::int64_t expires_at = 0;  // 0: never
};

// What is known of a call when approvals are looked for.
struct ApprovalQuery {
  ApprovalSide side = ApprovalSide::Before;
  std::string tool_id = {};
  std::string server_key = {};     // empty: its tool is of no server
  std::string arguments_key = {};  // empty: exact arguments are not asked about
  std::string session_id = {};     // with its caller; empty: no session
  std::string workspace = {};
  std::string caller = {};
  std::string definition_hash = {};         // of the tool
  std::string server_definition_hash = {};  // of all tools of the server
};

class Approvals {
 public:
  // The least recently used one of a scope goes when there are more; sessions count together.
  explicit Approvals(std::size_t limit_per_scope = 1000) : limit_(limit_per_scope) {}
  Approvals(Approvals&&) = default;  // no copies: its indexes point into its own lists
  Approvals& operator=(Approvals&&) = default;

  struct Match {
    const Approval* approval = nullptr;
    // Of those that would have matched, one whose definition is another one now.
    const Approval* outdated = nullptr;
  };
  // Arguments first, then tool, then server; within each workspace, profile, session. What has
  // expired does not match, nor what is of another caller. Empty fields of a query find nothing. A
  // match counts as use.
  Match find(const ApprovalQuery& query, std::int64_t now);

  // Setting one scope clears the other two of the same key and caller, and replaces what there was
  // in it. Gives what that and the limit threw out, but for one of the same id.
  std::vector<Approval> remember(Approval approval);
  // Nothing when there is no such id.
  std::optional<Approval> revoke(std::string_view id);
  std::vector<Approval> reset();
  std::vector<Approval> drop_expired(std::int64_t now);

  // Newest first.
  std::vector<const Approval*> list() const;
  std::size_t size() const { return by_id_.size(); }

 private:
  using Order = std::list<Approval>;  // least recently used first
  using Matches = std::vector<Order::iterator>;

  Order& order_of(ApprovalScope scope) { return orders_[static_cast<std::size_t>(scope)]; }
  void insert(Approval approval);
  Approval take(Order::iterator at);
  Match find_target(const ApprovalQuery& query, ApprovalTarget target, std::int64_t now);

  std::size_t limit_;
  Order orders_[4];
  // An iterator stays good while its approval is here, whatever order it is moved to.
  std::unordered_map<std::string, Order::iterator> by_id_;
  std::unordered_map<std::string, Matches> by_key_;  // side, target, caller and key
};

}  // namespace toolgate
