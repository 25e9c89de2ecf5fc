// Which call a streamed piece of a tool call belongs to, and which number the client sees for it.
// The stream normaliser keeps one joiner per choice.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/text_carry.h"

namespace toolgate {

// One entry of a delta's tool_calls. An empty id or name stands for none.
struct ToolCallDelta {
  std::optional<std::int64_t> index;
  std::string_view id;
  std::string_view name;
  std::string_view arguments;
  bool beside_another = false;  // stands after another entry in the same list
};

// Follows argument text without keeping it: has it begun, is a value open?
class ArgumentScan {
 public:
  void add(std::string_view text);
  bool started() const { return started_; }
  bool complete() const { return started_ && depth_ <= 0 && !in_string_; }

 private:
  std::int64_t depth_ = 0;
  bool started_ = false;
  bool in_string_ = false;
  bool escaped_ = false;
};

struct StreamedCall {
  std::optional<std::int64_t> upstream_index;
  std::string upstream_id;
  std::string name;
  int number = -1;             // the client's index, -1 until the call was sent
  std::string id;              // the client's id
  std::string held_arguments;  // what came before the name
  ArgumentScan arguments;
  TextCarry carry;
};

class ToolCallJoiner {
 public:
  static constexpr std::size_t kMaxCalls = 1024;

  // The call this piece belongs to, made when it is a new one; its names are noted, its arguments
  // are not. Null when there are too many calls. Valid until the next call of join().
  StreamedCall* join(const ToolCallDelta& delta);

  // Gives the call its number and its id, once its name is known.
  void open(StreamedCall& call);

  // The sent call that a canonical later piece continues, null when the piece needs mending.
  StreamedCall* continues(const ToolCallDelta& delta);

  // Whether a canonical first piece can be sent as it stands.
  bool can_open_as_is(const ToolCallDelta& delta) const;

  std::vector<StreamedCall>& calls() { return calls_; }
  int sent() const { return sent_; }

 private:
  StreamedCall* find_by_index(std::int64_t index);
  StreamedCall* find_by_id(std::string_view id);
  StreamedCall* find_target(const ToolCallDelta& delta);
  bool is_id_taken(std::string_view id) const;

  std::vector<StreamedCall> calls_;
  int sent_ = 0;
};

// The joining of VS Code's Copilot Chat, faults included: by id when known, else to the last call.
// Only the golden cases use it.
struct ClassicCall {
  std::string id;  // empty: none was given
  std::string name;
  std::string arguments;
};
std::vector<ClassicCall> join_classic(std::span<const ToolCallDelta> deltas);

}  // namespace toolgate
