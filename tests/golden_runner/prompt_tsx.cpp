// prompt-tsx.json: trees that tools return, as the text people see (vscodeFlatText), as the text a
// model reads (reRenderedText, with a number behind it for a budget in characters), and what stands
// for values that are no such tree (fallbackText).
#include "tokens/prompt_tsx.h"

#include <charconv>

#include "base/json_tree.h"
#include "golden_runner/kinds.h"

namespace toolgate {
namespace {

constexpr std::string_view kRendered = "reRenderedText";
constexpr std::string_view kBudget = "reRenderedTextBudget";

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  return count;
}

std::string answer_for(std::string_view field, const JsonNode& value) {
  if (field == "vscodeFlatText" || field == "fallbackText") return flatten_prompt_tsx(value);
  if (field == kRendered) return render_prompt_tsx(value);
  std::size_t budget = 0;
  const std::string_view digits = field.substr(kBudget.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), budget);
  return render_prompt_tsx(value, budget, count_characters).text;
}

bool is_answer(std::string_view field) {
  return field == "vscodeFlatText" || field == "fallbackText" || field.starts_with(kRendered);
}

}  // namespace

// Cases without `json` record what the library refuses to make: such a value never arrives.
void run_prompt_tsx(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("vectors").as_array()) {
    const json::value* input = find(entry, "json");
    if (input == nullptr) continue;
    const std::string text = write_json(*input);
    JsonTree tree;
    const auto value = tree.parse(text);
    if (!value) throw std::runtime_error(value.error().message);
    for (const auto& member : entry.as_object()) {
      const std::string_view field(member.key().data(), member.key().size());
      if (!is_answer(field) || !member.value().is_string()) continue;
      tally.compare(fmt::format("{} {}", text_in(entry, "name"), field),
                    std::string(member.value().as_string()), answer_for(field, **value));
    }
  }
}

}  // namespace toolgate
