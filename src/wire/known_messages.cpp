#include "wire/known_messages.h"

#include <algorithm>
#include <cstring>

namespace toolgate {
namespace {

// memcmp does not tell where texts part, but is the quickest to tell that they do not: it is asked
// about ever smaller blocks.
std::size_t common_size(std::string_view one, std::string_view other) {
  const std::size_t size = std::min(one.size(), other.size());
  std::size_t at = 0;
  for (std::size_t block = 4096; block > 0; block /= 4)
    while (size - at >= block && std::memcmp(one.data() + at, other.data() + at, block) == 0)
      at += block;
  return at;
}

// A text is another turn of a conversation when it has three quarters of it. One that has less may
// only share its system prompt, and would take its place.
std::size_t least_common(std::string_view conversation) {
  return conversation.size() / 4 * 3;
}

// Less than a vector takes by itself, which would double.
template <class T>
void make_room(std::vector<T>& list, std::size_t size) {
  if (list.capacity() < size) list.reserve(size + size / 8);
}

}  // namespace

// A few bytes tell most others from it: as many as a string holds in itself.
void KnownMessages::Mark::move_to(std::string_view text) {
  constexpr std::size_t kSample = 15;
  offset = least_common(text);
  sample = text.substr(offset, kSample);
}

bool KnownMessages::Mark::fits(std::string_view other_caller, std::string_view text) const {
  return caller == other_caller && offset < text.size() && text.substr(offset).starts_with(sample);
}

std::size_t KnownMessages::Conversation::bytes() const {
  return text.capacity() + messages.capacity() * sizeof(Message) +
         call_ids.capacity() * sizeof(CallId);
}

// Nothing when `other` is no turn of it.
std::size_t KnownMessages::Conversation::common_with(std::string_view other) const {
  const std::string_view own(text.data(), text.size());
  const std::size_t common = common_size(own, other);
  return common >= std::max(least_common(own), messages.front().end) ? common : 0;
}

void KnownMessages::Conversation::cut(const Beginning& beginning) {
  const auto cut_to = [](auto& list, std::size_t size) {
    list.resize(size);
    if (list.capacity() / 2 > size) list.shrink_to_fit();
  };
  cut_to(messages, beginning.messages.size());
  cut_to(call_ids, beginning.call_ids.size());
  cut_to(text, beginning.size);
}

// Text and ids come before the messages that need them: memory may run out at any line.
void KnownMessages::Conversation::append(std::string_view whole,
                                         std::span<const ChatMessage> all_messages,
                                         std::span<const std::string_view> all_ids) {
  const auto offset = [&](std::string_view part) {
    return static_cast<std::size_t>(part.data() - whole.data());
  };
  make_room(text, whole.size());
  text.insert(text.end(), whole.begin() + static_cast<std::ptrdiff_t>(text.size()), whole.end());
  make_room(call_ids, all_ids.size());
  for (const std::string_view id : all_ids.subspan(call_ids.size()))
    call_ids.push_back({offset(id), id.size()});
  make_room(messages, all_messages.size());
  for (const ChatMessage& message : all_messages.subspan(messages.size()))
    messages.push_back(
        {message.role, offset(message.raw), offset(message.raw) + message.raw.size()});
}

KnownMessages::Beginning KnownMessages::find(std::string_view caller, std::string_view text) {
  if (text.size() < limits_.least_bytes) return {};
  std::size_t common = 0;
  auto found = conversations_.end();
  for (auto known = conversations_.begin(); known != conversations_.end(); ++known) {
    const std::size_t size = known->mark.fits(caller, text) ? known->common_with(text) : 0;
    if (size <= common) continue;
    common = size;
    found = known;
  }
  if (found == conversations_.end()) return {};
  found->last_used = ++uses_;
  const auto messages = std::ranges::upper_bound(found->messages, common, {}, &Message::end);
  const std::size_t size = std::prev(messages)->end;
  const auto ids = std::ranges::lower_bound(found->call_ids, size, {}, &CallId::begin);
  return {{found->messages.begin(), messages},
          {found->call_ids.begin(), ids},
          size,
          static_cast<std::size_t>(found - conversations_.begin())};
}

void KnownMessages::keep(std::string_view caller, const Beginning& beginning, std::string_view text,
                         std::span<const ChatMessage> messages,
                         std::span<const std::string_view> call_ids) {
  if (text.size() < limits_.least_bytes) return;
  const bool is_known = beginning.size != 0;
  const auto known = conversations_.begin() + static_cast<std::ptrdiff_t>(beginning.conversation);
  if (text.size() > limits_.most_bytes) {
    if (is_known) conversations_.erase(known);
    return;
  }
  if (is_known) {
    known->cut(beginning);
    known->append(text, messages, call_ids);
    known->mark.move_to(text);
  } else if (was_read_before(caller, text)) {
    Conversation added{.mark = {.caller = std::string(caller)}, .last_used = ++uses_};
    added.append(text, messages, call_ids);
    added.mark.move_to(text);
    conversations_.push_back(std::move(added));
  }
  forget_beyond_limits();
}

bool KnownMessages::was_read_before(std::string_view caller, std::string_view text) {
  const auto sighting = std::ranges::find_if(
      sightings_, [&](const Mark& before) { return before.fits(caller, text); });
  if (sighting != sightings_.end()) {
    sightings_.erase(sighting);
    return true;
  }
  sightings_.push_front({.caller = std::string(caller)});
  sightings_.front().move_to(text);
  if (sightings_.size() > limits_.sightings) sightings_.pop_back();
  return false;
}

void KnownMessages::forget_beyond_limits() {
  while (conversations_.size() > limits_.conversations || bytes() > limits_.all_bytes)
    conversations_.erase(std::ranges::min_element(conversations_, {}, &Conversation::last_used));
}

std::size_t KnownMessages::bytes() const {
  std::size_t sum = 0;
  for (const Conversation& known : conversations_) sum += known.bytes();
  return sum;
}

}  // namespace toolgate
