// Text that a model's server cut inside a character: bytes of UTF-8 or halves of an escaped
// surrogate pair in two deltas. The stream normaliser keeps one carry per text it joins.
#pragma once

#include <string>
#include <string_view>

namespace toolgate {

// JSON text in which every escaped surrogate without its other half is replaced by its three bytes
// in UTF-8's manner, which mend_text and TextCarry understand. JSON parsers refuse the escape.
std::string unescape_lone_surrogates(std::string_view json);

// Joins surrogates that found each other; everything else that is no UTF-8 becomes U+FFFD.
std::string mend_text(std::string_view text);

class TextCarry {
 public:
  // What was kept back and `piece`, mended; the beginning of a character at its end is kept back.
  std::string join(std::string_view piece);

  // What is still kept back, as U+FFFD; empty when nothing is.
  std::string flush();

  bool pending() const { return !tail_.empty(); }

 private:
  std::string tail_;
};

}  // namespace toolgate
