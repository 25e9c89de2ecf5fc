#include "invoke/approvals.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace toolgate {
namespace {

constexpr std::array<std::string_view, 2> kSideNames{"before", "results"};
constexpr std::array<std::string_view, 3> kTargetNames{"tool", "server", "arguments"};
constexpr std::array kScopesInOrder{ApprovalScope::Workspace, ApprovalScope::Profile,
                                    ApprovalScope::Session};

// The caller's length keeps two pairs of caller and key apart that read the same together.
std::string index_key(ApprovalSide side, ApprovalTarget target, std::string_view caller,
                      std::string_view key) {
  return fmt::format("{}{}{}:{}{}", std::to_underlying(side), std::to_underlying(target),
                     caller.size(), caller, key);
}

std::string index_key(const Approval& approval) {
  return index_key(approval.side, approval.target, approval.caller, approval.key);
}

const std::string& key_in(const ApprovalQuery& query, ApprovalTarget target) {
  switch (target) {
    case ApprovalTarget::Tool:
      return query.tool_id;
    case ApprovalTarget::Server:
      return query.server_key;
    case ApprovalTarget::Arguments:
      break;
  }
  return query.arguments_key;
}

const std::string& definition_in(const ApprovalQuery& query, ApprovalTarget target) {
  return target == ApprovalTarget::Server ? query.server_definition_hash : query.definition_hash;
}

bool is_expired(const Approval& approval, std::int64_t now) {
  return approval.expires_at != 0 && approval.expires_at <= now;
}

bool is_in_scope(const Approval& approval, const ApprovalQuery& query) {
  switch (approval.scope) {
    case ApprovalScope::Profile:
      return true;
    case ApprovalScope::Workspace:
      return !query.workspace.empty() && approval.scope_id == query.workspace;
    case ApprovalScope::Session:
      return !query.session_id.empty() && approval.scope_id == query.session_id;
    case ApprovalScope::Once:
      break;
  }
  return false;
}

std::size_t rank_of(ApprovalScope scope) {
  return static_cast<std::size_t>(std::ranges::find(kScopesInOrder, scope) -
                                  kScopesInOrder.begin());
}

}  // namespace

std::string_view name_of(ApprovalSide side) {
  return kSideNames[std::to_underlying(side)];
}

std::string_view name_of(ApprovalTarget target) {
  return kTargetNames[std::to_underlying(target)];
}

std::optional<ApprovalTarget> parse_approval_target(std::string_view name) {
  for (std::size_t i = 0; i < kTargetNames.size(); ++i)
    if (kTargetNames[i] == name) return static_cast<ApprovalTarget>(i);
  return std::nullopt;
}

Approvals::Match Approvals::find_target(const ApprovalQuery& query, ApprovalTarget target,
                                        std::int64_t now) {
  const std::string& key = key_in(query, target);
  if (key.empty()) return {};
  const auto found = by_key_.find(index_key(query.side, target, query.caller, key));
  if (found == by_key_.end()) return {};

  Match match;
  std::optional<Order::iterator> best;
  for (const Order::iterator at : found->second) {
    if (is_expired(*at, now) || !is_in_scope(*at, query)) continue;
    if (at->definition_hash != definition_in(query, target))
      match.outdated = &*at;
    else if (!best || rank_of(at->scope) < rank_of((*best)->scope))
      best = at;
  }
  if (!best) return match;
  Order& order = order_of((*best)->scope);
  order.splice(order.end(), order, *best);
  match.approval = &**best;
  return match;
}

Approvals::Match Approvals::find(const ApprovalQuery& query, std::int64_t now) {
  Match match;
  for (const ApprovalTarget target :
       {ApprovalTarget::Arguments, ApprovalTarget::Tool, ApprovalTarget::Server}) {
    const Match found = find_target(query, target, now);
    if (match.outdated == nullptr) match.outdated = found.outdated;
    match.approval = found.approval;
    if (match.approval != nullptr) break;
  }
  return match;
}

std::vector<Approval> Approvals::remember(Approval approval) {
  std::vector<Approval> thrown_out;
  const std::string id = approval.id;
  if (const auto same = by_id_.find(id); same != by_id_.end()) (void)take(same->second);
  if (const auto found = by_key_.find(index_key(approval)); found != by_key_.end()) {
    const Matches rivals = found->second;  // take() changes what it is a copy of
    for (const Order::iterator at : rivals)
      if (at->scope != approval.scope || at->scope_id == approval.scope_id)
        thrown_out.push_back(take(at));
  }
  Order& order = order_of(approval.scope);
  insert(std::move(approval));
  while (order.size() > limit_) thrown_out.push_back(take(order.begin()));
  return thrown_out;
}

std::optional<Approval> Approvals::revoke(std::string_view id) {
  const auto found = by_id_.find(std::string(id));
  if (found == by_id_.end()) return std::nullopt;
  return take(found->second);
}

std::vector<Approval> Approvals::reset() {
  std::vector<Approval> all;
  all.reserve(size());
  for (Order& order : orders_) {
    all.insert(all.end(), std::make_move_iterator(order.begin()),
               std::make_move_iterator(order.end()));
    order.clear();
  }
  by_id_.clear();
  by_key_.clear();
  return all;
}

std::vector<Approval> Approvals::drop_expired(std::int64_t now) {
  std::vector<Approval> expired;
  for (Order& order : orders_)
    for (auto at = order.begin(); at != order.end();) {
      const auto next = std::next(at);
      if (is_expired(*at, now)) expired.push_back(take(at));
      at = next;
    }
  return expired;
}

std::vector<const Approval*> Approvals::list() const {
  std::vector<const Approval*> all;
  all.reserve(size());
  for (const Order& order : orders_)
    for (const Approval& approval : order) all.push_back(&approval);
  std::ranges::sort(all, [](const Approval* a, const Approval* b) {
    return std::tie(b->created_at, b->id) < std::tie(a->created_at, a->id);
  });
  return all;
}

void Approvals::insert(Approval approval) {
  Order& order = order_of(approval.scope);
  order.push_back(std::move(approval));
  const auto at = std::prev(order.end());
  by_id_.emplace(at->id, at);
  by_key_[index_key(*at)].push_back(at);
}

Approval Approvals::take(Order::iterator at) {
  by_id_.erase(at->id);
  const auto found = by_key_.find(index_key(*at));
  std::erase(found->second, at);
  if (found->second.empty()) by_key_.erase(found);
  Approval approval = std::move(*at);
  order_of(approval.scope).erase(at);
  return approval;
}

}  // namespace toolgate
