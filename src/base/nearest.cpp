#include "base/nearest.h"

#include <algorithm>

#include "base/ascii.h"

namespace toolgate {
namespace {

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
    : size_(cut(name).size()), limit_(std::min(limit, kComparedBytes)) {
  for (std::size_t i = 0; i < size_; ++i) {
    const auto lower = static_cast<unsigned char>(ascii_lower(name[i]));
    places_[lower] |= 1ULL << i;
    if (lower >= 'a' && lower <= 'z') places_[lower - 'a' + 'A'] |= 1ULL << i;
  }
}

// A column of the table of edit_distance() as bits, each saying how a cell differs from the one
// above it (G. Myers, 1999; H. Hyyrö, 2003): one byte of the candidate costs a dozen operations.
std::size_t Nearest::distance_to(std::string_view candidate) const {
  const std::uint64_t bottom = 1ULL << (size_ - 1);
  std::uint64_t more = ~0ULL;
  std::uint64_t less = 0;
  std::size_t distance = size_;  // the cell at the bottom
  std::size_t left = candidate.size();
  for (const char c : candidate) {
    const std::uint64_t same = places_[static_cast<unsigned char>(c)];
    const std::uint64_t across = (((same & more) + more) ^ more) | same;
    std::uint64_t more_across = less | ~(across | more);
    std::uint64_t less_across = more & across;
    if (more_across & bottom) ++distance;
    if (less_across & bottom) --distance;
    if (distance > limit_ + --left) return limit_ + 1;
    more_across = more_across << 1 | 1;
    less_across <<= 1;
    const std::uint64_t down = same | less;
    more = less_across | ~(down | more_across);
    less = more_across & down;
  }
  return distance;
}

void Nearest::consider(std::string_view candidate) {
  if (done_ || candidate.empty() || size_ == 0) return;
  const std::string_view compared = cut(candidate);
  if (difference(compared.size(), size_) > limit_) return;
  const std::size_t distance = distance_to(compared);
  if (distance > limit_) return;
  result_ = candidate;
  if (distance == 0)
    done_ = true;
  else
    limit_ = distance - 1;
}

}  // namespace toolgate
