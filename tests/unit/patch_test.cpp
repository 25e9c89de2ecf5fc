#include "builtin/patch.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

// The result, or "error: " and the message.
std::string patched(std::string_view text, std::string_view hunks, PatchSearch search = {}) {
  const auto files =
      parse_patch("*** Begin Patch\n*** Update File: f\n" + std::string(hunks) + "*** End Patch\n");
  if (!files) return "error: " + files.error().message;
  const auto done = apply_hunks(text, files->front().hunks, "f", search);
  return done ? *done : "error: " + done.error().message;
}

std::string fault_of(std::string_view patch) {
  const auto files = parse_patch(patch);
  return files ? "none" : files.error().message;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

TEST(Patch, NamesFilesToAddDeleteUpdateAndMove) {
  const auto files = parse_patch(
      "*** Begin Patch\n*** Add File: new/a b.txt\n+one\n+\n+two\n*** Delete File: old.txt\n"
      "*** Update File: x.cpp\n*** Move to: y.cpp\n@@ class A\n@@ void f()\n a\n-b\n+c\n"
      "*** End of File\n*** End Patch");
  ASSERT_TRUE(files) << files.error().message;
  ASSERT_EQ(files->size(), 3U);
  EXPECT_EQ((*files)[0].path, "new/a b.txt");
  EXPECT_EQ((*files)[0].content, "one\n\ntwo\n");
  EXPECT_EQ((*files)[1].kind, PatchFile::Kind::Delete);
  EXPECT_EQ((*files)[2].move_to, "y.cpp");
  ASSERT_EQ((*files)[2].hunks.size(), 1U);
  EXPECT_EQ((*files)[2].hunks[0].anchors, (std::vector<std::string>{"class A", "void f()"}));
  EXPECT_EQ((*files)[2].hunks[0].lines.size(), 3U);
  EXPECT_TRUE((*files)[2].hunks[0].is_at_end);
}

TEST(Patch, WhatStandsAroundItIsPassedOver) {
  EXPECT_TRUE(
      parse_patch("apply_patch <<'EOF'\n*** Begin Patch \n*** Delete File: a\n"
                  "*** End Patch\nEOF\n"));
}

TEST(Patch, FaultsNameTheirLine) {
  EXPECT_TRUE(has(fault_of(""), "must begin with"));
  EXPECT_TRUE(has(fault_of("*** Begin Patch\n*** Delete File: a\n"), "must end with"));
  EXPECT_TRUE(has(fault_of("*** Begin Patch\n*** End Patch\n"), "names no file"));
  EXPECT_TRUE(has(fault_of("*** Begin Patch\n+a\n*** End Patch"), "line 2 of the patch"));
  EXPECT_TRUE(has(fault_of("*** Begin Patch\n*** Add File:\n*** End Patch"), "path is missing"));
  EXPECT_TRUE(has(fault_of("*** Begin Patch\n*** Add File: a\nb\n*** End Patch"), "with '+'"));
  EXPECT_TRUE(has(fault_of("*** Begin Patch\n*** Delete File: a\n+b\n*** End Patch"),
                  "a file that is deleted has no lines"));
  EXPECT_TRUE(
      has(fault_of("*** Begin Patch\n*** Update File: a\n*** End Patch"), "changes no line of a"));
  EXPECT_TRUE(has(fault_of("*** Begin Patch\n*** Update File: a\nx\n*** End Patch"),
                  "line 3 of the patch: it must begin with"));
  EXPECT_TRUE(has(fault_of("*** Begin Patch\n*** Update File: a\n*** Rename: b\n*** End Patch"),
                  "this is no line of a patch"));
  EXPECT_TRUE(
      has(fault_of("*** Begin Patch\n*** Update File: a\n-x\n*** Move to: b\n*** End Patch"),
          "stands right after"));
}

TEST(Patch, LinesAreFoundByWhatTheySay) {
  EXPECT_EQ(patched("a\nb\nc\nd\n", "@@\n b\n-c\n+C\n d\n"), "a\nb\nC\nd\n");
  EXPECT_EQ(patched("a\nb\nc\nd\n", " a\n+x\n b\n@@\n-d\n"), "a\nx\nb\nc\n");
  EXPECT_EQ(patched("a\nb\n", "-a\n-b\n+c\n"), "c\n");
  EXPECT_EQ(patched("a\n\nb\n", " a\n\n-b\n+c\n"), "a\n\nc\n") << "an empty line stands for itself";
}

TEST(Patch, NumbersOfOtherPatchesCountForNothing) {
  EXPECT_EQ(patched("a\nb\n", "@@ -7,2 +7,2 @@\n-b\n+c\n"), "a\nc\n");
  EXPECT_EQ(patched("f\nx\ng\nx\n", "@@ -1,2 +1,2 @@ g\n-x\n+y\n"), "f\nx\ng\ny\n");
}

TEST(Patch, AnAnchorSaysWhichOfSeveralPlacesIsMeant) {
  const std::string text = "class A:\n  def f():\n    x\nclass B:\n  def f():\n    x\n";
  EXPECT_EQ(patched(text, "@@ class B:\n-    x\n+    y\n"),
            "class A:\n  def f():\n    x\nclass B:\n  def f():\n    y\n");
  EXPECT_EQ(patched(text, "@@ class B:\n@@ def f():\n-    x\n+    y\n"),
            "class A:\n  def f():\n    x\nclass B:\n  def f():\n    y\n");
  EXPECT_EQ(patched(text, "@@ class B:\n+  z\n"),
            "class A:\n  def f():\n    x\nclass B:\n  z\n  def f():\n    x\n");
}

TEST(Patch, WhatFitsSeveralPlacesIsRefused) {
  const std::string error = patched("x\ny\nx\n", "-x\n+z\n");
  EXPECT_TRUE(has(error, "stand 2 times in f, at lines 1, 3")) << error;
}

TEST(Patch, WhatIsNotThereIsRefused) {
  EXPECT_TRUE(has(patched("a\n", "-b\n+c\n"), "these lines are not in f, from \"b\" on"));
  EXPECT_TRUE(has(patched("a\n", "@@ nowhere\n-a\n"), "there is no line \"nowhere\" in f"));
  EXPECT_TRUE(has(patched("a\nb\n", "-b\n+c\n@@\n-a\n"), "not in f after line 2"))
      << "hunks are in order";
}

TEST(Patch, BlanksAtLineEndsAreForgivenAndKept) {
  EXPECT_EQ(patched("a  \nb\t\nc\n", " a\n-b\n+B\n c  \n"), "a  \nB\nc\n");
  EXPECT_TRUE(has(patched("  a\nb\n", "-a\n+x\n"), "not in f")) << "indentation is not forgiven";
}

TEST(Patch, TheEndOfTheFileIsAPlace) {
  EXPECT_EQ(patched("x\ny\nx\n", "-x\n+z\n*** End of File\n"), "x\ny\nz\n");
  EXPECT_EQ(patched("a\n", "+b\n"), "a\nb\n");
  EXPECT_EQ(patched("", "+b\n"), "b\n");
  EXPECT_EQ(patched("a\nb", "-b\n+c\n"), "a\nc") << "no line feed at the end stays none";
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

// An anchor that only begins a line is looked for as a whole line first, to the end of the file.
TEST(Patch, LookingForAnchorsHasAnEnd) {
  const std::string text = repeated("ab\n", 10'000);
  const PatchSearch nearly{.comparisons = 49'000'000};  // of 50'000'000
  EXPECT_TRUE(has(patched(text, repeated("@@ a\n", 20) + "-x\n", nearly), "are not in f"));
  EXPECT_TRUE(has(patched(text, repeated("@@ a\n", 200) + "-x\n", nearly), "found in time"));
  EXPECT_TRUE(has(patched("a\nb\n", "@@ a\n-b\n", {.comparisons = 60'000'000}), "in time"))
      << "all files of a patch count together";
}

TEST(Patch, LookingForLinesCanBeStopped) {
  const std::atomic<bool> stop = true;
  EXPECT_EQ(patched("a\nb\n", "@@ a\n-b\n", {.stop = &stop}), "error: the call was cancelled");
  EXPECT_EQ(patched("a\nb\n", "-b\n", {.stop = &stop}), "error: the call was cancelled");
}

}  // namespace
}  // namespace toolgate
