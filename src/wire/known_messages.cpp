#include "wire/known_messages.h"

#include <algorithm>
#include <cstring>

namespace toolgate {
namespace {

// memcmp does not tell where texts part, but is the quickest to tell that they do not.
std::size_t common_size(std::string_view one, std::string_view other) {
  constexpr std::size_t kBlock = 4096;
  const std::size_t size = std::min(one.size(), other.size());
  std::size_t at = 0;
  while (size - at >= kBlock && std::memcmp(one.data() + at, other.data() + at, kBlock) == 0)
    at += kBlock;
  const auto end = one.begin() + static_cast<std::ptrdiff_t>(size);
  const auto [parted, unused] = std::mismatch(one.begin() + static_cast<std::ptrdiff_t>(at), end,
                                              other.begin() + static_cast<std::ptrdiff_t>(at));
  return static_cast<std::size_t>(parted - one.begin());
}

// A text is another turn of a conversation when it has three quarters of it. One that has less may
// only share its system prompt, and would take its place.
std::size_t least_common(std::string_view conversation) {
  return conversation.size() / 4 * 3;
}

// A few bytes tell most others from it.
std::string_view sample_of(std::string_view conversation) {
  constexpr std::size_t kSample = 64;
  return conversation.substr(least_common(conversation), kSample);
}

bool has_at(std::string_view text, std::size_t offset, std::string_view sample) {
  return offset < text.size() && text.substr(offset).starts_with(sample);
}

// Less than a vector takes by itself, which would double.
template <class T>
void make_room(std::vector<T>& list, std::size_t size) {
  if (list.capacity() < size) list.reserve(size + size / 8);
}

}  // namespace

std::size_t KnownMessages::Conversation::bytes() const {
  return text.capacity() + messages.capacity() * sizeof(Message) +
         call_ids.capacity() * sizeof(CallId);
}

// Nothing when `other` is no turn of it.
std::size_t KnownMessages::Conversation::common_with(std::string_view other) const {
  const std::string_view own(text.data(), text.size());
  if (!has_at(other, least_common(own), sample_of(own))) return 0;
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
    const std::size_t size = known->caller == caller ? known->common_with(text) : 0;
    if (size <= common) continue;
    common = size;
    found = known;
  }
  if (found == conversations_.end()) return {};
  std::rotate(conversations_.begin(), found, found + 1);

  const Conversation& known = conversations_.front();
  const auto messages = std::ranges::upper_bound(known.messages, common, {}, &Message::end);
  const std::size_t size = std::prev(messages)->end;
  const auto ids = std::ranges::lower_bound(known.call_ids, size, {}, &CallId::begin);
  return {{known.messages.begin(), messages}, {known.call_ids.begin(), ids}, size};
}

void KnownMessages::keep(std::string_view caller, const Beginning& beginning, std::string_view text,
                         std::span<const ChatMessage> messages,
                         std::span<const std::string_view> call_ids) {
  if (text.size() < limits_.least_bytes) return;
  const bool is_known = beginning.size != 0;
  if (text.size() > limits_.most_bytes) {
    if (is_known) conversations_.erase(conversations_.begin());
    return;
  }
  if (is_known) {
    conversations_.front().cut(beginning);
    conversations_.front().append(text, messages, call_ids);
  } else if (was_read_before(caller, text)) {
    Conversation added{.caller = std::string(caller)};
    added.append(text, messages, call_ids);
    conversations_.insert(conversations_.begin(), std::move(added));
  }
  forget_beyond_limits();
}

bool KnownMessages::was_read_before(std::string_view caller, std::string_view text) {
  const auto sighting = std::ranges::find_if(sightings_, [&](const Sighting& before) {
    return before.caller == caller && has_at(text, before.offset, before.sample);
  });
  if (sighting != sightings_.end()) {
    sightings_.erase(sighting);
    return true;
  }
  sightings_.push_front({std::string(caller), least_common(text), std::string(sample_of(text))});
  if (sightings_.size() > limits_.sightings) sightings_.pop_back();
  return false;
}

void KnownMessages::forget_beyond_limits() {
  std::size_t sum = 0;
  const auto beyond = [&](const Conversation& known) {
    sum += known.bytes();
    return sum > limits_.all_bytes;
  };
  conversations_.erase(std::ranges::find_if(conversations_, beyond), conversations_.end());
  if (conversations_.size() > limits_.conversations) conversations_.pop_back();
}

std::size_t KnownMessages::bytes() const {
  std::size_t sum = 0;
  for (const Conversation& known : conversations_) sum += known.bytes();
  return sum;
}

}  // namespace toolgate
