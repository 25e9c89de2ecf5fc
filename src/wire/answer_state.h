// What is known of a streamed answer so far. The parts of the stream normaliser share it:
// chunk_check (chunks that need nothing), chunk_repair (the others), stream_ending.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "wire/openai_stream.h"
#include "wire/text_carry.h"
#include "wire/tool_call_deltas.h"

namespace toolgate {

struct StreamedChoice {
  static constexpr std::int64_t kMaxIndex = 127;

  int index = 0;
  bool role_sent = false;
  bool has_output = false;
  bool has_function_call = false;
  std::optional<std::string> finish_reason;  // the upstream's word
  json::object finish_fields;                // what else stood in the choice that ended it
  TextCarry content;
  ToolCallJoiner calls;
};

struct AnswerState {
  static constexpr std::size_t kMaxHeldBytes = std::size_t{16} << 20;

  StreamOptions options;
  std::string id;  // of every chunk, once one was sent
  std::string model;
  std::optional<std::int64_t> created;
  std::vector<StreamedChoice> choices;
  json::object extras;  // other top-level fields of the chunks that were held back
  std::optional<json::object> usage;
  std::size_t held_bytes = 0;  // of what waits for a later chunk or the end

  // Content or arguments that the client gets.
  void count_output(const StreamedChoice& choice, std::string_view text) {
    if (options.meter) options.meter->add_output(choice.index, text);
  }

  StreamedChoice* find_choice(std::int64_t index) {
    for (StreamedChoice& choice : choices)
      if (choice.index == index) return &choice;
    return nullptr;
  }
};

}  // namespace toolgate
