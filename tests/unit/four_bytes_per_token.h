// A token meter whose counts are easy to foresee.
#pragma once

#include "wire/token_meter.h"

namespace toolgate {

class FourBytesPerToken final : public TokenMeter {
 public:
  explicit FourBytesPerToken(std::int64_t prompt_bytes) : prompt_bytes_(prompt_bytes) {}

  void add_output(std::int64_t, std::string_view text) override {
    output_bytes_ += static_cast<std::int64_t>(text.size());
  }
  std::int64_t prompt_tokens() override { return (prompt_bytes_ + 3) / 4; }
  std::int64_t output_tokens() override { return (output_bytes_ + 3) / 4; }

 private:
  std::int64_t prompt_bytes_;
  std::int64_t output_bytes_ = 0;
};

}  // namespace toolgate
