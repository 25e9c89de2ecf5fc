// One pass over a fully validated document. A chunk with anything unusual (several choices, several
// tool calls, a key given twice) is left to chunk_repair.
#include "wire/chunk_check.h"

#include "wire/dom_reading.h"

namespace toolgate {
namespace {

namespace dom = simdjson::dom;

struct CanonicalChunk {
  std::string_view id;
  std::string_view model;
  std::int64_t created = 0;
  std::int64_t choice = 0;
  bool has_role = false;
  bool has_output = false;
  bool has_content = false;
  std::string_view content;
  bool has_call = false;
  bool has_call_type = false;
  ToolCallDelta call;
};

bool read_text_or_null(dom::element value, std::string_view& out) {
  return value.is_null() || read_text(value, out);
}

bool read_function(dom::element value, CanonicalChunk& chunk) {
  dom::object function;
  if (value.get(function) != simdjson::SUCCESS) return false;
  KeySet keys;
  for (const auto [key, member] : function) {
    if (key == "arguments") {
      if (!keys.add(0) || !read_text(member, chunk.call.arguments)) return false;
    } else if (key == "name") {
      if (!keys.add(1) || !read_text(member, chunk.call.name)) return false;
    }
  }
  return true;
}

bool read_call(dom::element value, CanonicalChunk& chunk) {
  dom::object entry;
  if (value.get(entry) != simdjson::SUCCESS) return false;
  KeySet keys;
  for (const auto [key, member] : entry) {
    if (key == "index") {
      std::int64_t index = 0;
      if (!keys.add(0) || member.get(index) != simdjson::SUCCESS) return false;
      chunk.call.index = index;
    } else if (key == "id") {
      if (!keys.add(1) || !read_text(member, chunk.call.id)) return false;
    } else if (key == "function") {
      if (!keys.add(2) || !read_function(member, chunk)) return false;
    } else if (key == "type") {
      std::string_view type;
      if (!keys.add(3) || !read_text(member, type) || type != "function") return false;
      chunk.has_call_type = true;
    }
  }
  chunk.has_call = true;
  return true;
}

bool read_calls(dom::element value, CanonicalChunk& chunk) {
  dom::array calls;
  if (value.get(calls) != simdjson::SUCCESS || calls.size() != 1) return false;
  chunk.has_output = true;
  return read_call(*calls.begin(), chunk);
}

bool read_delta(dom::element value, CanonicalChunk& chunk) {
  dom::object delta;
  if (value.get(delta) != simdjson::SUCCESS) return false;
  KeySet keys;
  std::string_view text;
  for (const auto [key, member] : delta) {
    text = {};
    if (key == "content") {
      if (!keys.add(0) || !read_text_or_null(member, text)) return false;
      chunk.has_content = true;
      chunk.content = text;
    } else if (key == "role") {
      if (!keys.add(1) || !read_text(member, text) || text != "assistant") return false;
      chunk.has_role = true;
      text = {};
    } else if (key == "tool_calls") {
      if (!keys.add(2) || !read_calls(member, chunk)) return false;
    } else if (key == "function_call") {
      return false;
    } else if (key == "refusal") {
      if (!keys.add(3) || !read_text_or_null(member, text)) return false;
    } else if (member.is_string()) {
      read_text(member, text);
    }
    if (!text.empty()) chunk.has_output = true;
  }
  return true;
}

bool read_choice(dom::element value, CanonicalChunk& chunk) {
  dom::object choice;
  if (value.get(choice) != simdjson::SUCCESS) return false;
  KeySet keys;
  for (const auto [key, member] : choice) {
    if (key == "index") {
      if (!keys.add(0) || member.get(chunk.choice) != simdjson::SUCCESS) return false;
    } else if (key == "delta") {
      if (!keys.add(1) || !read_delta(member, chunk)) return false;
    } else if (key == "finish_reason") {
      if (!keys.add(2) || !member.is_null()) return false;
    } else if (key == "message") {
      return false;
    }
  }
  return keys.has_first(3);
}

bool read_choices(dom::element value, CanonicalChunk& chunk) {
  dom::array choices;
  if (value.get(choices) != simdjson::SUCCESS || choices.size() != 1) return false;
  return read_choice(*choices.begin(), chunk);
}

bool read_chunk(dom::element value, CanonicalChunk& chunk) {
  dom::object top;
  if (value.get(top) != simdjson::SUCCESS) return false;
  KeySet keys;
  for (const auto [key, member] : top) {
    if (key == "choices") {
      if (!keys.add(0) || !read_choices(member, chunk)) return false;
    } else if (key == "id") {
      if (!keys.add(1) || !read_text(member, chunk.id) || chunk.id.empty()) return false;
    } else if (key == "object") {
      std::string_view object;
      if (!keys.add(2) || !read_text(member, object) || object != "chat.completion.chunk")
        return false;
    } else if (key == "created") {
      if (!keys.add(3) || member.get(chunk.created) != simdjson::SUCCESS) return false;
    } else if (key == "model") {
      if (!keys.add(4) || !read_text(member, chunk.model) || chunk.model.empty()) return false;
    } else if (key == "usage" || key == "error") {
      if (!member.is_null()) return false;
    } else if (key == "toolgate") {
      return false;
    }
  }
  return keys.has_first(5);
}

// Whether the piece of a call fits; for a later piece `call` is the call it continues.
bool fits(const CanonicalChunk& chunk, StreamedChoice* choice, StreamedCall*& call) {
  if (!chunk.has_call) return true;
  if (choice == nullptr) {
    ToolCallJoiner none;
    return chunk.has_call_type && none.can_open_as_is(chunk.call);
  }
  call = choice->calls.continues(chunk.call);
  return call != nullptr || (chunk.has_call_type && choice->calls.can_open_as_is(chunk.call));
}

void count_as_sent(const CanonicalChunk& chunk, StreamedChoice* choice, StreamedCall* call,
                   AnswerState& state) {
  if (state.id.empty()) state.id = chunk.id;
  if (state.model.empty()) state.model = chunk.model;
  if (!state.created) state.created = chunk.created;
  if (choice == nullptr) {
    choice = &state.choices.emplace_back();
    choice->index = static_cast<int>(chunk.choice);
  }
  choice->role_sent = true;
  choice->has_output |= chunk.has_output;
  state.count_output(*choice, chunk.content);
  state.count_output(*choice, chunk.call.name);
  state.count_output(*choice, chunk.call.arguments);
  if (!chunk.has_call) return;
  if (call == nullptr) {
    call = choice->calls.join(chunk.call);
    choice->calls.open(*call);
  }
  call->arguments.add(chunk.call.arguments);
}

}  // namespace

bool accept_unchanged(std::string_view data, AnswerState& state) {
  dom::element document;
  if (thread_parser(data.size()).parse(data.data(), data.size(), false).get(document) !=
      simdjson::SUCCESS)
    return false;
  CanonicalChunk chunk;
  if (!read_chunk(document, chunk)) return false;
  if (!state.id.empty() && state.id != chunk.id) return false;
  if (chunk.choice < 0 || chunk.choice > StreamedChoice::kMaxIndex) return false;
  if (state.options.choices == 1 && chunk.choice != 0) return false;
  StreamedChoice* choice = state.find_choice(chunk.choice);
  if ((choice == nullptr || !choice->role_sent) && !chunk.has_role) return false;
  if (choice != nullptr && chunk.has_content && choice->content.pending()) return false;
  StreamedCall* call = nullptr;
  if (!fits(chunk, choice, call)) return false;
  count_as_sent(chunk, choice, call, state);
  return true;
}

}  // namespace toolgate
