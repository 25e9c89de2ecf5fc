// A note of which keys of an object were seen.
#pragma once

#include <cstddef>

namespace toolgate {

// A key that comes a second time makes a document unusual, since two readers of it could disagree.
class KeySet {
 public:
  bool add(std::size_t bit) {
    const unsigned before = seen_;
    seen_ |= 1U << bit;
    return seen_ != before;
  }
  bool has(std::size_t bit) const { return (seen_ & (1U << bit)) != 0; }
  // Whether the keys numbered 0 to count - 1 are all there.
  bool has_first(std::size_t count) const {
    const unsigned wanted = (1U << count) - 1;
    return (seen_ & wanted) == wanted;
  }

 private:
  unsigned seen_ = 0;
};

}  // namespace toolgate
