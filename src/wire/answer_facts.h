// What is counted and recorded of one answer of a model. The codecs of answers fill it in on their
// way, where StreamOptions has one; agent/round_record reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace toolgate {

struct AnswerFacts {
  bool wants_names = false;  // otherwise `id` and `model` stay empty
  std::string id = {};
  std::string model = {};  // as the upstream calls it
  std::vector<std::string> finish_reasons = {};
  std::optional<std::int64_t> input_tokens = {};
  std::optional<std::int64_t> output_tokens = {};
};

}  // namespace toolgate
