// The pure parts of the tools that search.
#include <filesystem>

#include <gtest/gtest.h>

#include "builtin/folder_tree.h"
#include "builtin/git_command.h"
#include "builtin/git_status.h"
#include "builtin/grep_matches.h"
#include "builtin/search_glob.h"

namespace toolgate {
namespace {

using std::string_view_literals::operator""sv;

std::string pattern_of(std::string_view given) {
  const Workspace workspace({"/no/such/place"});
  const auto glob = SearchGlob::parse(workspace, given);
  return glob ? glob->patterns().front() : glob.error().message;
}

TEST(SearchGlob, HoldsAnywhereUnlessItSaysWhere) {
  EXPECT_EQ(pattern_of("*.js"), "**/*.js");
  EXPECT_EQ(pattern_of("**/*.js"), "**/*.js");
  EXPECT_EQ(pattern_of("src/*.js"), "**/src/*.js");
  EXPECT_EQ(pattern_of("./src/*.js"), "src/*.js");
  EXPECT_EQ(pattern_of("src/"), "**/src/**");
  EXPECT_EQ(pattern_of("."), "**");
  EXPECT_EQ(pattern_of("/no/such/place/*.js"), "*.js");
  EXPECT_EQ(pattern_of("/no/such/place"), "**");
  EXPECT_EQ(pattern_of("/no/such/place/a/"), "a/**");
}

TEST(SearchGlob, RefusesWhatLeadsOut) {
  for (const char* given : {"..", "../a", "a/..", "a/../b"})
    EXPECT_TRUE(pattern_of(given).contains("cannot go up")) << given;
  for (const char* given : {"/", "/etc/*", "/no/such/places/*", "/no/such"})
    EXPECT_TRUE(pattern_of(given).contains("outside the workspace")) << given;
  EXPECT_EQ(pattern_of("a..b"), "**/a..b");
}

TEST(SearchGlob, AFolderStandsForWhatIsBelow) {
  const Workspace workspace({"/no/such/place"});
  const auto glob = SearchGlob::parse_with_folders(workspace, "src/deep");
  EXPECT_TRUE(glob->matches("src/deep"));
  EXPECT_TRUE(glob->matches("src/deep/a/b.c"));
  EXPECT_TRUE(glob->matches("lib/src/deep/a"));
  EXPECT_FALSE(glob->matches("src/deeper/a"));
}

TEST(SearchGlob, RulesAreLines) {
  const Workspace workspace({"/no/such/place"});
  EXPECT_EQ(write_ignore_rules(*SearchGlob::parse(workspace, "./a\nb  ")), "*\n!*/\n!/a?b??\n");
  EXPECT_EQ(escape_glob("a*[b]{c}\n!"), "a\\*\\[b\\]\\{c\\}?\\!");
}

std::string match_line(std::string_view path, int line) {
  return fmt::format(
      R"({{"type":"match","data":{{"path":{{"text":"./{}"}},"lines":{{"text":"x\n"}},"line_number":{},"absolute_offset":5,"submatches":[{{"match":{{"text":"x"}},"start":3,"end":4}}]}}}})"
      "\n",
      path, line);
}

TEST(GrepMatches, AreInOrder) {
  const auto matches = parse_grep_matches(match_line("b", 1) + match_line("a", 20) +
                                          match_line("a", 3) + "{\"type\":\"end\"}\n");
  ASSERT_EQ(matches.size(), 3u);
  EXPECT_EQ(matches[0].path, "a");
  EXPECT_EQ(matches[0].line, 3u);
  EXPECT_EQ(matches[0].offset, 5u);
  EXPECT_EQ(matches[0].start, 3u);
  EXPECT_EQ(matches[0].text, "x\n");
  EXPECT_EQ(matches[2].path, "b");
}

TEST(GrepMatches, WhatIsBrokenOffIsLeftOut) {
  const std::string whole = match_line("a", 1) + match_line("b", 2);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(parse_grep_matches(std::string_view(whole).substr(0, size)).size(),
              size < match_line("a", 1).size() ? 0u : 1u);
  EXPECT_TRUE(
      parse_grep_matches("{\"type\":\"match\"}\n{\"type\":\"match\",\"data\":7}\n").empty());
}

TEST(GrepMatches, BytesAreDecoded) {
  const auto matches = parse_grep_matches(
      "{\"type\":\"match\",\"data\":{\"path\":{\"bytes\":\"Li//\"},\"lines\":{\"bytes\":\"6Q==\"},"
      "\"line_number\":1,\"absolute_offset\":0,\"submatches\":[]}}\n");
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].path, "\xFF");
  EXPECT_EQ(matches[0].text, "\xE9");
}

TEST(GrepMatches, AreCountedInPiecesOfAnySize) {
  const std::string all = match_line("a", 1) + "{\"type\":\"end\"}\n" + match_line("b", 2);
  for (std::size_t size = 1; size < 40; ++size) {
    GrepMatchCounter counter;
    for (std::size_t at = 0; at < all.size(); at += size)
      counter.add(std::string_view(all).substr(at, size));
    EXPECT_EQ(counter.add(""), 2u) << size;
  }
}

TEST(Excerpt, ShowsWhatWasFound) {
  EXPECT_EQ(excerpt("short\r\n", 0, 10), "short");
  EXPECT_EQ(excerpt("0123456789", 0, 4), "0123…");
  EXPECT_EQ(excerpt("0123456789", 9, 4), "…6789");
  EXPECT_EQ(excerpt("0123456789", 5, 4), "…4567…");
  EXPECT_EQ(excerpt("ääää", 4, 3), "…ä…");
  EXPECT_EQ(excerpt("a\xFF", 0, 10), "a\uFFFD");
}

TEST(EscapePattern, MeansTheTextItself) {
  EXPECT_EQ(escape_pattern("a.b(c)[d]{e}\\"), R"(a\.b\(c\)\[d\]\{e\}\\)");
  EXPECT_EQ(escape_pattern("a\r\nb\nc"), R"(a\r?\nb\r?\nc)");
  EXPECT_TRUE(has_line_break("a\\nb", true));
  EXPECT_FALSE(has_line_break("a\\nb", false));
  EXPECT_TRUE(has_line_break("a\nb", false));
}

TEST(FolderTreeTest, ShowsFoldersFirst) {
  FolderTree tree;
  for (const char* path : {"z.txt", "b/two.txt", "a/deep/x", "b/one.txt", "a.txt"}) tree.add(path);
  EXPECT_EQ(tree.files(), 5u);
  EXPECT_EQ(tree.describe(), "a/\n  deep/\n    x\nb/\n  one.txt\n  two.txt\na.txt\nz.txt\n");
}

TEST(FolderTreeTest, IsCutLevelByLevel) {
  FolderTree tree;
  for (int folder = 0; folder < 3; ++folder)
    for (int file = 0; file < 4; ++file) tree.add(fmt::format("d{}/s/f{}", folder, file));
  EXPECT_EQ(tree.describe({.entries = 3}), "d0/ … 4 files\nd1/ … 4 files\nd2/ … 4 files\n");
  EXPECT_EQ(tree.describe({.entries = 7}),
            "d0/\n  s/\n    f0\n    … 3 more files\nd1/\n  s/ … 4 files\nd2/\n  s/ … 4 files\n");
  EXPECT_EQ(tree.describe({.entries = 2}), "d0/ … 4 files\nd1/ … 4 files\n… 1 more folders\n");
  FolderTree wide;
  for (int i = 0; i < 5; ++i) wide.add(fmt::format("f{}", i));
  EXPECT_EQ(wide.describe({.of_one_folder = 2}), "f0\nf1\n… 3 more files\n");
  EXPECT_EQ(FolderTree().describe(), "");
}

TEST(GitStatusTest, TellsStatesApart) {
  const GitStatus status = parse_git_status(
      "M  staged\0 M un staged\0MM both\0?? new\nline\0UU c1\0AA c2\0DD c3\0DU c4\0"
      "!! ignored\0 D gone\0A  added\0x\0"sv);
  EXPECT_EQ(status.of(GitState::Staged), (std::vector<std::string>{"staged", "both", "added"}));
  EXPECT_EQ(status.of(GitState::Unstaged), (std::vector<std::string>{"un staged", "both", "gone"}));
  EXPECT_EQ(status.of(GitState::Conflict), (std::vector<std::string>{"c1", "c2", "c3", "c4"}));
  EXPECT_EQ(status.of(GitState::Untracked), (std::vector<std::string>{"new\nline"}));
}

TEST(GitSettings, SilenceTheRepositorysOwnFilters) {
  const auto settings = silence_filters(
      "system\0filter.s.clean\0local\0filter.a.b=c.clean\0local\0core.bare\0worktree\0filter.w."
      "process\0global\0"
      "filter.lfs.clean\0local\0filter.\0local\0filter.x\0"sv);
  std::vector<std::string> names;
  for (const GitSetting& setting : settings) names.push_back(setting.name + "=" + setting.value);
  EXPECT_EQ(names, (std::vector<std::string>{"filter.a.b=c.clean=", "filter.a.b=c.smudge=",
                                             "filter.a.b=c.process=", "filter.a.b=c.required=false",
                                             "filter.w.clean=", "filter.w.smudge=",
                                             "filter.w.process=", "filter.w.required=false"}));
}

}  // namespace
}  // namespace toolgate
