// The name that was probably meant: for "did you mean" in warnings about settings, tools and sets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace toolgate {

// How many bytes are put in, taken out or replaced to get from `a` to `b`; the case of ASCII
// letters does not count. Above `limit` the answer is `limit` + 1, found without looking at
// everything.
std::size_t edit_distance(std::string_view a, std::string_view b,
                          std::size_t limit = std::string_view::npos - 1);

// Is shown candidates and keeps the nearest, the first of equals. Only the first kComparedBytes of
// a name are looked at, so that one candidate costs little whatever was written.
class Nearest {
 public:
  static constexpr std::size_t kComparedBytes = 64;
  static constexpr std::size_t kAnyDistance = std::string_view::npos - 1;

  // Up to a third of the name may differ.
  explicit Nearest(std::string_view name) : Nearest(name, (cut(name).size() + 1) / 3) {}
  Nearest(std::string_view name, std::size_t limit);

  void consider(std::string_view candidate);
  // Empty: nothing is near. Views the candidate that was shown.
  std::string_view result() const { return result_; }

 private:
  static std::string_view cut(std::string_view name) { return name.substr(0, kComparedBytes); }
  std::size_t distance_to(std::string_view candidate) const;

  std::size_t size_;                         // of the name
  std::size_t limit_;                        // a candidate must not be farther than this
  std::array<std::uint64_t, 256> places_{};  // of each byte in the name, as bits
  bool done_ = false;                        // nothing can be nearer
  std::string_view result_;
};

}  // namespace toolgate
