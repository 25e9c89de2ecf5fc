#include "base/nearest.h"

#include <algorithm>
#include <bit>

#include "base/ascii.h"

namespace toolgate {
namespace {

// One bit per letter, case apart; other bytes share bits.
std::uint64_t letters_in(std::string_view name) {
  std::uint64_t letters = 0;
  for (const char c : name) letters |= 1ULL << (static_cast<unsigned char>(ascii_lower(c)) % 64);
  return letters;
}

std::size_t difference(std::size_t a, std::size_t b) {
  return a > b ? a - b : b - a;
}

}  // namespace

// Cells of the table that are farther than `limit` from its diagonal cannot lie on a path of that
// length and are left out.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t longest = std::max(a.size(), b.size());
  limit = std::min(limit, longest);
  if (difference(a.size(), b.size()) > limit) return limit + 1;
  const std::size_t far = longest + 1;
  std::vector<std::size_t> row(b.size() + 1, far);
  for (std::size_t j = 0; j <= std::min(limit, b.size()); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::size_t first = i > limit ? i - limit : 1;
    const std::size_t last = std::min(b.size(), i + limit);
    std::size_t diagonal = row[first - 1];
    row[first - 1] = first == 1 ? i : far;
    std::size_t least = row[first - 1];
    for (std::size_t j = first; j <= last; ++j) {
      const bool same = ascii_lower(a[i - 1]) == ascii_lower(b[j - 1]);
      const std::size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, diagonal + 1, row[j - 1] + 1});
      least = std::min(least, row[j]);
    }
    if (least > limit) return limit + 1;
  }
  return std::min(row.back(), limit + 1);
}

Nearest::Nearest(std::string_view name, std::size_t limit)
    : name_(cut(name)), letters_(letters_in(name_)), limit_(limit) {}

void Nearest::consider(std::string_view candidate) {
  if (done_ || candidate.empty()) return;
  const std::string_view compared = cut(candidate);
  if (difference(compared.size(), name_.size()) > limit_) return;
  // A letter that only one of them has costs a change.
  const std::uint64_t letters = letters_in(compared);
  const auto missing =
      std::max(std::popcount(letters_ & ~letters), std::popcount(letters & ~letters_));
  if (static_cast<std::size_t>(missing) > limit_) return;
  const std::size_t distance = edit_distance(name_, compared, limit_);
  if (distance > limit_) return;
  result_ = candidate;
  if (distance == 0)
    done_ = true;
  else
    limit_ = distance - 1;
}

}  // namespace toolgate
