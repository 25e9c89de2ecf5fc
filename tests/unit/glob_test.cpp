#include "base/glob.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

bool matches(std::string_view pattern, std::string_view name) {
  return Glob(pattern).matches(name);
}

// As slow and as simple as can be.
bool matches_simply(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*')
    return matches_simply(pattern.substr(1), name) ||
           (!name.empty() && matches_simply(pattern, name.substr(1)));
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
         matches_simply(pattern.substr(1), name.substr(1));
}

TEST(Glob, StarStandsForAnyRun) {
  EXPECT_TRUE(matches("get_*", "get_weather"));
  EXPECT_TRUE(matches("get_*", "get_"));
  EXPECT_FALSE(matches("get_*", "forget_it"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*file*", "read_file"));
  EXPECT_TRUE(matches("*file", "file_to_file"));
  EXPECT_FALSE(matches("*file", "file_to_disk"));
}

TEST(Glob, SlashIsNothingSpecial) {
  EXPECT_TRUE(matches("github/*", "github/issues/create"));
  EXPECT_TRUE(matches("git*create", "github/issues/create"));
}

TEST(Glob, QuestionMarkStandsForOneCharacter) {
  EXPECT_TRUE(matches("a?c", "abc"));
  EXPECT_FALSE(matches("a?c", "ac"));
  EXPECT_TRUE(matches("a?c", "aüc"));
  EXPECT_TRUE(matches("a?c", "a\U0001F600c"));
  EXPECT_FALSE(matches("a??c", "aüc"));
  EXPECT_TRUE(matches("*?c", "aüc"));
}

TEST(Glob, StarGivesBackWholeCharacters) {
  EXPECT_FALSE(matches("*??", "ü"));
  EXPECT_TRUE(matches("*?", "ü"));
}

TEST(Glob, WithoutWildcardsItIsTheName) {
  EXPECT_TRUE(matches("edit", "edit"));
  EXPECT_FALSE(matches("edit", "Edit"));
  EXPECT_FALSE(matches("edit", "editor"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(has_wildcard("edit/[a-z]{2}"));
  EXPECT_TRUE(has_wildcard("e?it"));
}

TEST(Glob, AgreesWithTheSimpleMatcher) {
  std::mt19937 random(4);
  const auto text = [&](std::string_view letters, std::size_t most) {
    std::string result(random() % (most + 1), ' ');
    for (char& c : result) c = letters[random() % letters.size()];
    return result;
  };
  for (int i = 0; i < 50'000; ++i) {
    const std::string pattern = text("ab*?", 7);
    const std::string name = text("ab", 8);
    ASSERT_EQ(matches(pattern, name), matches_simply(pattern, name)) << pattern << " " << name;
  }
}

TEST(Glob, ManyStarsDoNotExplode) {
  std::string pattern;
  for (int i = 0; i < 1'000; ++i) pattern += "*a";
  EXPECT_FALSE(matches(pattern + "b", std::string(10'000, 'a')));
  EXPECT_TRUE(matches(std::string(100'000, '*'), "a"));
  EXPECT_EQ(Glob("a**b***").pattern(), "a*b*");
}

}  // namespace
}  // namespace toolgate
