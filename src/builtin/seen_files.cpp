#include "builtin/seen_files.h"

#include <optional>

#include "builtin/file_look.h"
#include "invoke/canonical.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

using Kind = FileState::Kind;

// A conversation is a caller's session, or else what it asks for in one request.
std::string key_of(const ToolCall& call, const std::string& real_path) {
  const bool has_session = !call.session_id.empty();
  return with_lengths({call.caller, has_session ? "session" : "request",
                       has_session ? call.session_id : call.request_id, real_path});
}

// Nothing: there is no such file, or nobody may look.
std::optional<struct stat> facts_of(const FileChange& change) {
  const auto place = find_change_place(change);
  struct stat facts = {};
  if (!place ||
      ::fstatat(place->folder.get(), place->name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return facts;
}

}  // namespace

SeenFiles::Seen SeenFiles::seen_as(std::string key, const struct stat& facts) {
  return {std::move(key), facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtim, {}};
}

void SeenFiles::note(const ToolCall& call, const std::string& real_path, const struct stat& facts) {
  keep(seen_as(key_of(call, real_path), facts));
}

void SeenFiles::note_making(const ToolCall& call, const EditPlan& plan) {
  const std::lock_guard lock(mutex_);
  for (const FileChange& change : plan.changes)
    if (const auto known = by_key_.find(key_of(call, change.path)); known != by_key_.end())
      known->second->made = change.after.sha256;
}

// By its content alone: somebody may have written there since.
void SeenFiles::note_made(const ToolCall& call, const EditPlan& plan) {
  for (const FileChange& change : plan.changes) {
    std::string key = key_of(call, change.path);
    if (change.after.kind == Kind::File)
      keep({.key = std::move(key), .made = change.after.sha256});
    else
      forget(key);
  }
}

Result<void> SeenFiles::check(const ToolCall& call, const EditPlan& plan) {
  for (const FileChange& change : plan.changes) {
    if (change.before.kind != Kind::File) continue;
    const auto facts = facts_of(change);
    const std::lock_guard lock(mutex_);
    const auto known = by_key_.find(key_of(call, change.path));
    if (known == by_key_.end()) continue;
    const Seen& seen = *known->second;
    const bool is_own = !seen.made.empty() && seen.made == change.before.sha256;
    const bool is_same = facts && facts->st_dev == seen.device && facts->st_ino == seen.number &&
                         facts->st_size == seen.size &&
                         facts->st_mtim.tv_sec == seen.changed.tv_sec &&
                         facts->st_mtim.tv_nsec == seen.changed.tv_nsec;
    if (!is_same && !is_own)
      return fail(Errc::Conflict,
                  "{} has changed since you read it: read it again, then make the edit anew",
                  visible_text(change.shown, false));
  }
  return {};
}

void SeenFiles::keep(Seen seen) {
  const std::lock_guard lock(mutex_);
  if (const auto known = by_key_.find(seen.key); known != by_key_.end()) {
    *known->second = std::move(seen);
    order_.splice(order_.end(), order_, known->second);
    return;
  }
  order_.push_back(std::move(seen));
  by_key_.emplace(order_.back().key, std::prev(order_.end()));
  if (order_.size() <= most_) return;
  by_key_.erase(order_.front().key);
  order_.pop_front();
}

void SeenFiles::forget(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto known = by_key_.find(key);
  if (known == by_key_.end()) return;
  order_.erase(known->second);
  by_key_.erase(known);
}

}  // namespace toolgate
