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

}  // namespace

KnownMessages::Beginning KnownMessages::find(std::string_view text) {
  if (text.size() < limits_.least_bytes) return {};
  std::size_t common = 0;
  const auto found = std::ranges::find_if(conversations_, [&](const Conversation& known) {
    if (!has_at(text, least_common(known.text), sample_of(known.text))) return false;
    common = common_size(known.text, text);
    return common >= least_common(known.text);
  });
  if (found == conversations_.end()) return {};
  std::rotate(conversations_.begin(), found, found + 1);

  const Conversation& known = conversations_.front();
  const auto messages = std::ranges::upper_bound(known.messages, common, {}, &Message::end);
  if (messages == known.messages.begin()) return {};
  const std::size_t size = std::prev(messages)->end;
  const auto ids = std::ranges::lower_bound(known.call_ids, size, {}, &CallId::begin);
  return {{known.messages.begin(), messages}, {known.call_ids.begin(), ids}, size};
}

void KnownMessages::keep(const Beginning& beginning, std::string_view text,
                         std::span<const ChatMessage> messages,
                         std::span<const std::string_view> call_ids) {
  if (text.size() < limits_.least_bytes) return;
  const bool is_known = beginning.size != 0;
  if (text.size() > limits_.most_bytes) {
    if (is_known) conversations_.erase(conversations_.begin());
    return;
  }
  if (!is_known) {
    if (!came_before(text)) return;
    conversations_.emplace(conversations_.begin());
  }
  Conversation& known = conversations_.front();
  known.messages.resize(beginning.messages.size());
  known.call_ids.resize(beginning.call_ids.size());
  known.text.resize(beginning.size);
  known.text += text.substr(beginning.size);

  const auto offset = [&](std::string_view part) {
    return static_cast<std::size_t>(part.data() - text.data());
  };
  for (const ChatMessage& message : messages.subspan(known.messages.size()))
    known.messages.push_back(
        {message.role, offset(message.raw), offset(message.raw) + message.raw.size()});
  for (const std::string_view id : call_ids.subspan(known.call_ids.size()))
    known.call_ids.push_back({offset(id), id.size()});
  forget_beyond_limits();
}

bool KnownMessages::came_before(std::string_view text) {
  const auto sighting = std::ranges::find_if(sightings_, [&](const Sighting& before) {
    return has_at(text, before.offset, before.sample);
  });
  if (sighting != sightings_.end()) {
    sightings_.erase(sighting);
    return true;
  }
  sightings_.push_front({least_common(text), std::string(sample_of(text))});
  if (sightings_.size() > limits_.sightings) sightings_.pop_back();
  return false;
}

void KnownMessages::forget_beyond_limits() {
  std::size_t bytes = 0;
  const auto beyond = [&](const Conversation& known) {
    bytes += known.text.size() + known.messages.size() * sizeof(Message);
    return bytes > limits_.all_bytes;
  };
  conversations_.erase(std::ranges::find_if(conversations_, beyond), conversations_.end());
  if (conversations_.size() > limits_.conversations) conversations_.pop_back();
}

}  // namespace toolgate
