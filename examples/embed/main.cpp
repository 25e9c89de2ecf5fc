// A program with one tool of its own: registers it, lists the catalogue, checks what a model might
// write, and calls it.
#include <sstream>
#include <string>

#include <boost/json.hpp>
#include <fmt/core.h>

#include "toolgate/toolgate.h"

using namespace toolgate;

static Result<ToolResult> count_words(const ToolCall& call, const Cancel&) {
  const auto input = boost::json::parse(call.input);  // as the schema wants it: it was checked
  std::istringstream text(boost::json::value_to<std::string>(input.at("text")));
  int count = 0;
  for (std::string word; text >> word;) ++count;
  return text_result(fmt::format("words: {}", count));
}

int main() {
  Registry registry;
  ToolData data;
  data.id = "word_count";
  data.model_description = "Counts the words of a text.";
  data.input_schema = R"({"type": "object", "required": ["text"],
    "properties": {"text": {"type": "string"}}})";
  const auto registration = registry.add(std::move(data), make_function_tool(count_words));
  if (!registration) return fmt::print("{}\n", registration.error().message), 1;

  const auto catalog = registry.catalog();
  for (const CatalogTool& tool : catalog->tools)
    fmt::print("{}: {}\n", tool.data().id, tool.state());

  const CatalogTool* tool = catalog->find_tool("word_count");
  for (const char* input : {R"({"txt": "typo"})", R"({"text": 42})", R"({"text": "to be"})"}) {
    const CheckedInput checked = tool->check_input(input);
    fmt::print("\n{}\n", input);
    if (!checked.valid) {
      fmt::print("for the model: {}\n", checked.message);
      continue;
    }
    const ToolCall call{.id = "call_1", .input = checked.input};
    const CancelSource never;
    const auto result = run_task(tool->implementation->invoke(call, never));
    fmt::print("{} -> {}\n", call.input, result ? result->content[0].text : result.error().message);
  }
}
