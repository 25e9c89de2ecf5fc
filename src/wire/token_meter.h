// Counts the tokens of one request and its answer, for upstreams that do not. The codecs of answers
// feed it; models/token_meter has the one that counts for real.
#pragma once

#include <cstdint>
#include <string_view>

namespace toolgate {

class TokenMeter {
 public:
  virtual ~TokenMeter() = default;

  // Content and arguments as they come, of one choice.
  virtual void add_output(std::int64_t choice, std::string_view text) = 0;

  // Asked at the end, and only where the upstream gave no count. The prompt's is counted once; that
  // takes long for a long one, and may be done beforehand on any thread.
  virtual std::int64_t prompt_tokens() = 0;
  virtual std::int64_t output_tokens() = 0;
};

}  // namespace toolgate
