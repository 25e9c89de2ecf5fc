// Upstreams number calls from 1, not at all, all with 0, or give a new id with every piece; the
// rules here find the call that was meant.
#include "wire/tool_call_deltas.h"

#include <algorithm>
#include <ranges>

#include "base/ids.h"

namespace toolgate {
namespace {

// The piece names the index or id of `call` (or comes right after it), yet starts another call.
bool begins_another(const StreamedCall& call, const ToolCallDelta& delta) {
  const bool other_id =
      !delta.id.empty() && !call.upstream_id.empty() && delta.id != call.upstream_id;
  // Some upstreams make a new id for every piece: without a name that is still the open call.
  if (other_id)
    return !delta.name.empty() || !call.arguments.started() || call.arguments.complete();
  if (delta.name.empty() || call.name.empty()) return false;
  const bool unmarked = !delta.index && delta.id.empty();
  if (unmarked && delta.beside_another) return true;
  if (delta.name != call.name) return unmarked || call.arguments.started();
  return call.arguments.complete() && (unmarked || !delta.arguments.empty());
}

}  // namespace

void ArgumentScan::add(std::string_view text) {
  for (const char c : text) {
    if (in_string_) {
      if (escaped_)
        escaped_ = false;
      else if (c == '\\')
        escaped_ = true;
      else if (c == '"')
        in_string_ = false;
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    started_ = true;
    if (c == '"') in_string_ = true;
    if (c == '{' || c == '[') ++depth_;
    if (c == '}' || c == ']') --depth_;
  }
}

StreamedCall* ToolCallJoiner::find_by_index(std::int64_t index) {
  for (StreamedCall& call : calls_ | std::views::reverse)
    if (call.upstream_index == index) return &call;
  return nullptr;
}

StreamedCall* ToolCallJoiner::find_by_id(std::string_view id) {
  for (StreamedCall& call : calls_ | std::views::reverse)
    if (call.upstream_id == id) return &call;
  return nullptr;
}

StreamedCall* ToolCallJoiner::find_target(const ToolCallDelta& delta) {
  StreamedCall* target = nullptr;
  if (delta.index) {
    target = find_by_index(*delta.index);
    if (target == nullptr)
      return delta.name.empty() && !delta.id.empty() ? find_by_id(delta.id) : nullptr;
  } else if (!delta.id.empty()) {
    target = find_by_id(delta.id);
  } else if (!calls_.empty()) {
    target = &calls_.back();
  }
  return target != nullptr && !begins_another(*target, delta) ? target : nullptr;
}

StreamedCall* ToolCallJoiner::join(const ToolCallDelta& delta) {
  StreamedCall* call = find_target(delta);
  if (call == nullptr) {
    if (calls_.size() == kMaxCalls) return nullptr;
    call = &calls_.emplace_back();
    call->upstream_index = delta.index;
  }
  if (call->upstream_id.empty()) call->upstream_id = delta.id;
  if (call->name.empty()) call->name = delta.name;
  return call;
}

void ToolCallJoiner::open(StreamedCall& call) {
  call.id = call.upstream_id.empty() || is_id_taken(call.upstream_id) ? make_id("call_")
                                                                      : call.upstream_id;
  call.number = sent_++;
}

bool ToolCallJoiner::is_id_taken(std::string_view id) const {
  return std::ranges::any_of(
      calls_, [&](const StreamedCall& call) { return call.number >= 0 && call.id == id; });
}

StreamedCall* ToolCallJoiner::continues(const ToolCallDelta& delta) {
  if (!delta.index || !delta.id.empty() || !delta.name.empty()) return nullptr;
  StreamedCall* call = find_by_index(*delta.index);
  const bool plain = call != nullptr && call->number == *delta.index && !call->carry.pending();
  return plain ? call : nullptr;
}

bool ToolCallJoiner::can_open_as_is(const ToolCallDelta& delta) const {
  constexpr std::size_t kUsualBytes = 1024;
  if (delta.index != sent_ || delta.id.empty() || delta.name.empty()) return false;
  if (delta.id.size() + delta.name.size() > kUsualBytes) return false;
  return calls_.size() < kMaxCalls && std::ranges::none_of(
                                          calls_,
                                          [&](const StreamedCall& call) {
                                            return call.upstream_index == delta.index ||
                                                   call.upstream_id == delta.id ||
                                                   call.id == delta.id;
                                          });
}

std::vector<ClassicCall> join_classic(std::span<const ToolCallDelta> deltas) {
  std::vector<ClassicCall> calls;
  for (const ToolCallDelta& delta : deltas) {
    auto known = std::ranges::find(calls, delta.id, &ClassicCall::id);
    if (delta.id.empty() && !calls.empty()) known = calls.end() - 1;
    if (known == calls.end()) known = calls.insert(calls.end(), {std::string(delta.id), {}, {}});
    if (!delta.name.empty()) known->name = delta.name;
    known->arguments += delta.arguments;
  }
  return calls;
}

}  // namespace toolgate
