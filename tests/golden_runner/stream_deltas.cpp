// stream_deltas.json: how pieces of streamed tool calls are joined.
#include <optional>
#include <vector>

#include "golden_runner/kinds.h"
#include "wire/tool_call_deltas.h"

namespace toolgate {
namespace {

std::vector<ToolCallDelta> deltas_of(const json::value& chunks) {
  std::vector<ToolCallDelta> deltas;
  for (const json::value& chunk : chunks.as_array()) {
    for (const json::value& choice : chunk.at("choices").as_array()) {
      const json::value* delta = find(choice, "delta");
      const json::value* calls = delta == nullptr ? nullptr : find(*delta, "tool_calls");
      if (calls == nullptr || !calls->is_array()) continue;
      for (const json::value& call : calls->get_array()) {
        const json::value* function = find(call, "function");
        const json::value none;
        const json::value& named = function == nullptr ? none : *function;
        deltas.push_back({std::nullopt, text_in(call, "id"), text_in(named, "name"),
                          text_in(named, "arguments")});
      }
    }
  }
  return deltas;
}

}  // namespace

// The vectors describe the classic joining; openai_stream_test runs the same file through ours.
void run_stream_deltas(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("cases").as_array()) {
    json::array calls;
    for (const ClassicCall& call : join_classic(deltas_of(entry.at("chunks")))) {
      json::object object;
      if (call.id.empty())
        object["id"] = nullptr;
      else
        object["id"] = call.id;
      object["name"] = call.name;
      object["arguments"] = call.arguments;
      calls.push_back(std::move(object));
    }
    tally.compare(text_in(entry, "note"), write_json(entry.at("calls")), write_json(calls));
  }
}

}  // namespace toolgate
