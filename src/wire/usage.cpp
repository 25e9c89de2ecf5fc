// OpenAI's three counts from what an upstream gave: its own, Anthropic's names, or a part of them.
#include "wire/usage.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace toolgate {
namespace {

std::optional<std::int64_t> count_in(const json::object& usage, std::string_view key) {
  const json::value* member = usage.if_contains(key);
  if (member == nullptr) return std::nullopt;
  if (member->is_int64() && member->get_int64() >= 0) return member->get_int64();
  constexpr double kMaxCount = 1e15;
  if (member->is_double() && member->get_double() >= 0 && member->get_double() < kMaxCount)
    return static_cast<std::int64_t>(member->get_double());
  return std::nullopt;
}

}  // namespace

bool is_complete_usage(const json::object& usage) {
  return std::ranges::all_of(
      std::initializer_list<std::string_view>{"prompt_tokens", "completion_tokens", "total_tokens"},
      [&](std::string_view key) {
        const json::value* member = usage.if_contains(key);
        return member != nullptr && member->is_int64() && member->get_int64() >= 0;
      });
}

json::object complete_usage(const json::object* upstream, TokenMeter* meter, TurnReport& report) {
  json::object usage = upstream == nullptr ? json::object() : *upstream;
  auto prompt = count_in(usage, "prompt_tokens");
  auto completion = count_in(usage, "completion_tokens");
  auto total = count_in(usage, "total_tokens");
  if (!prompt) prompt = count_in(usage, "input_tokens");
  if (!completion) completion = count_in(usage, "output_tokens");
  constexpr std::int64_t kMaxCount = std::int64_t{1} << 60;
  for (auto* count : {&prompt, &completion, &total})
    if (*count) **count = std::min(**count, kMaxCount);
  if (!prompt && !completion && !total)
    add_warning(report, "usage was counted by the gateway: the upstream sent none");
  else if (!total && (!prompt || !completion))
    add_warning(report, "usage was partly counted by the gateway: the upstream sent only a part");
  if (!prompt)
    prompt = total && completion ? std::max<std::int64_t>(*total - *completion, 0)
                                 : (meter ? meter->prompt_tokens() : 0);
  if (!completion)
    completion =
        total ? std::max<std::int64_t>(*total - *prompt, 0) : (meter ? meter->output_tokens() : 0);
  if (!total) total = *prompt + *completion;
  usage["prompt_tokens"] = *prompt;
  usage["completion_tokens"] = *completion;
  usage["total_tokens"] = *total;
  return usage;
}

void take_usage(const json::object& usage, AnswerFacts& facts) {
  facts.input_tokens = count_in(usage, "prompt_tokens");
  facts.output_tokens = count_in(usage, "completion_tokens");
}

void add_warning(TurnReport& report, std::string text) {
  constexpr std::size_t kMaxWarnings = 32;
  if (report.warnings.size() >= kMaxWarnings) return;
  if (std::ranges::find(report.warnings, text) != report.warnings.end()) return;
  report.warnings.push_back(std::move(text));
}

}  // namespace toolgate
