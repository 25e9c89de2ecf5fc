// The messages of the last conversations, by their text: with every turn an agent sends all of them
// again and a few more, and to read those again would tell nothing new. Of what was read only once
// a few bytes are kept. wire/chat_reader asks it. Not shared between threads: each loop has its
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/openai_chat.h"

namespace toolgate {

class KnownMessages {
 public:
  struct Limits {
    std::size_t least_bytes = 8 << 10;  // what is shorter is read sooner than found
    std::size_t most_bytes = 4 << 20;   // of one conversation's text
    std::size_t all_bytes = 8 << 20;    // what all take together
    std::size_t conversations = 32;
    std::size_t sightings = 64;  // of what was read once
  };
  struct Message {
    Role role;
    std::size_t begin = 0;  // where it stands in the text
    std::size_t end = 0;
  };
  struct CallId {
    std::size_t begin = 0;  // where it stands in the text
    std::size_t size = 0;
  };
  // What a text has in common with a conversation: its first messages, as many as are the same.
  struct Beginning {
    std::span<const Message> messages;
    std::span<const CallId> call_ids;  // of the calls that assistants made in them
    std::size_t size = 0;              // from the first message to the end of the last one
    std::size_t conversation = 0;      // for keep()
  };

  KnownMessages() = default;
  explicit KnownMessages(const Limits& limits) : limits_(limits) {}

  // `text` begins with the first element of a list of messages. Nothing when it does not go on like
  // a conversation of this caller that is known: how long an answer takes tells nobody what others
  // send. Until the next keep().
  Beginning find(std::string_view caller, std::string_view text);
  // `text` has `messages`, read and found good, and nothing before or behind them. `beginning` is
  // what find() told about it: the rest is added to that conversation, in place of how it went on.
  // Without one, it is kept if it was read before.
  void keep(std::string_view caller, const Beginning& beginning, std::string_view text,
            std::span<const ChatMessage> messages, std::span<const std::string_view> call_ids);

  std::size_t bytes() const;  // that all conversations take

 private:
  // By what a text is recognised before that of the conversation is touched.
  struct Mark {
    std::string caller;
    std::size_t offset = 0;
    std::string sample;  // what stood there

    void move_to(std::string_view text);
    bool fits(std::string_view other_caller, std::string_view text) const;
  };
  struct Conversation {
    Mark mark;
    std::uint64_t last_used = 0;
    std::vector<char> text;
    std::vector<Message> messages;
    std::vector<CallId> call_ids;

    std::size_t bytes() const;
    std::size_t common_with(std::string_view other) const;
    void cut(const Beginning& beginning);
    void append(std::string_view whole, std::span<const ChatMessage> all_messages,
                std::span<const std::string_view> all_ids);
  };
  bool was_read_before(std::string_view caller, std::string_view text);  // if not, it is noted
  void forget_beyond_limits();

  Limits limits_;
  std::deque<Mark> sightings_;  // the last one first
  std::vector<Conversation> conversations_;
  std::uint64_t uses_ = 0;
};

}  // namespace toolgate
