#include "base/nearest.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/ascii.h"

namespace toolgate {
namespace {

std::size_t distance_by_the_whole_table(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (ascii_lower(a[i]) == ascii_lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::string_view nearest_of(std::string_view name, std::initializer_list<std::string_view> names) {
  Nearest nearest(name);
  for (const std::string_view candidate : names) nearest.consider(candidate);
  return nearest.result();
}

TEST(EditDistance, CountsInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("Edit", "eDIT"), 0u);
}

TEST(EditDistance, WithinAnyLimitIsTheWholeTablesAnswer) {
  std::mt19937 random(7);
  const auto word = [&] {
    std::string result(random() % 9, ' ');
    for (char& c : result) c = "abcA"[random() % 4];
    return result;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::string a = word();
    const std::string b = word();
    const std::size_t whole = distance_by_the_whole_table(a, b);
    ASSERT_EQ(edit_distance(a, b), whole) << a << " " << b;
    for (std::size_t limit = 0; limit < 10; ++limit) {
      const std::size_t got = edit_distance(a, b, limit);
      if (whole <= limit)
        ASSERT_EQ(got, whole) << a << " " << b << " " << limit;
      else
        ASSERT_GT(got, std::min(limit, std::max(a.size(), b.size()))) << a << " " << b;
    }
  }
}

TEST(Nearest, IsTheOneThatWasMeant) {
  EXPECT_EQ(nearest_of("edtiFile", {"deleteFile", "editFile", "readFile"}), "editFile");
  EXPECT_EQ(nearest_of("Edit", {"exit", "edit"}), "edit");
}

TEST(Nearest, IsNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest_of("nope", {"edit", "web", "search"}), "");
  EXPECT_EQ(nearest_of("x", {"y", "xyz"}), "");
  EXPECT_EQ(nearest_of("", {"", "a"}), "");
}

TEST(Nearest, OfEqualsIsTheFirst) {
  EXPECT_EQ(nearest_of("wab", {"web", "wob"}), "web");
}

TEST(Nearest, AgreesWithTheWholeTable) {
  std::mt19937 random(11);
  const auto word = [&] {
    std::string result(1 + random() % 12, ' ');
    for (char& c : result) c = "abcdef_1"[random() % 8];
    return result;
  };
  for (int i = 0; i < 2'000; ++i) {
    const std::string name = word();
    std::vector<std::string> candidates(20);
    std::ranges::generate(candidates, word);
    std::string best;
    std::size_t least = (name.size() + 1) / 3 + 1;
    Nearest nearest(name);
    for (const std::string& candidate : candidates) {
      nearest.consider(candidate);
      const std::size_t distance = distance_by_the_whole_table(name, candidate);
      if (distance >= least) continue;
      least = distance;
      best = candidate;
    }
    ASSERT_EQ(nearest.result(), best) << name;
  }
}

TEST(Nearest, AHugeNameCostsNoMoreThanItsBeginning) {
  const std::string name(10'000'000, 'a');
  Nearest nearest(name);
  nearest.consider(std::string_view(name).substr(0, 90));
  EXPECT_EQ(nearest.result().size(), 90u);
}

}  // namespace
}  // namespace toolgate
