// What is counted and recorded of one answer of a model. The codecs of answers fill it in on their
// way, where StreamOptions has one; agent/round_record reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

struct AnswerFacts {
  // Otherwise `id`, `model` and `finish_reasons` stay empty.
  bool wants_names = false;
  std::string id = {};
  std::string model = {};  // as the upstream calls it
  std::vector<std::string> finish_reasons = {};
  std::string finish_reason = {};  // the first
  std::optional<std::int64_t> input_tokens = {};
  std::optional<std::int64_t> output_tokens = {};

  void add_reason(std::string_view reason) {
    if (finish_reason.empty()) finish_reason = reason;
    if (wants_names) finish_reasons.emplace_back(reason);
  }
};

}  // namespace toolgate
