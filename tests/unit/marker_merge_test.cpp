#include "builtin/marker_merge.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::string merged(std::string_view text, std::string_view code) {
  const auto done = merge_by_markers(text, code, "f");
  return done ? *done : "error: " + done.error().message;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

constexpr std::string_view kFile =
    "#include <a>\n\nint one() {\n  return 1;\n}\n\nint two() {\n  return 2;\n}\n";

TEST(MarkerMerge, MarkersAreCommentsOfAnyLanguage) {
  for (const std::string_view line :
       {"// ...existing code...", "  # ... existing code ...", "/* …existing code… */",
        "<!-- ...existing code... -->", "{/* ...Existing Code... */}", "-- ...existing code",
        "...existing code..."})
    EXPECT_TRUE(is_existing_code_marker(line)) << line;
  for (const std::string_view line :
       {"// existing code", "// keep the existing code...", "x = 1; // ...existing code...", "",
        "// ...existing code... of f"})
    EXPECT_FALSE(is_existing_code_marker(line)) << line;
}

TEST(MarkerMerge, WithoutMarkersTheCodeIsTheFile) {
  EXPECT_EQ(merged(kFile, "all new\n"), "all new\n");
}

TEST(MarkerMerge, WhatIsBetweenKnownLinesIsReplaced) {
  EXPECT_EQ(
      merged(kFile,
             "// ...existing code...\nint one() {\n  return 11;\n}\n// ...existing code...\n"),
      "#include <a>\n\nint one() {\n  return 11;\n}\n\nint two() {\n  return 2;\n}\n");
  EXPECT_EQ(merged(kFile, "// ...existing code...\n\nint two() {\n  return 22;\n}\n"),
            "#include <a>\n\nint one() {\n  return 1;\n}\n\nint two() {\n  return 22;\n}\n");
}

TEST(MarkerMerge, SeveralPiecesAreInOrder) {
  EXPECT_EQ(
      merged(kFile,
             "#include <a>\n#include <b>\n// ...existing code...\nint two() {\n  return 3;\n}\n"),
      "#include <a>\n#include <b>\n\nint one() {\n  return 1;\n}\n\nint two() {\n  return "
      "3;\n}\n");
  EXPECT_TRUE(has(merged(kFile,
                         "// ...existing code...\nint two() {\n  return 3;\n}\n// ...existing "
                         "code...\nint one() {\n  return 4;\n}\n// ...existing code...\n"),
                  "cannot be placed"));
}

TEST(MarkerMerge, NewCodeGoesToTheEndsOrBesideAKnownLine) {
  EXPECT_EQ(merged("a1\nb1\n", "// ...existing code...\nnew\n"), "a1\nb1\nnew\n");
  EXPECT_EQ(merged("a1\nb1\n", "new\n// ...existing code...\n"), "new\na1\nb1\n");
  EXPECT_EQ(merged("a1\nb1\nc1\n", "// ...existing code...\nb1\nnew\n// ...existing code...\n"),
            "a1\nb1\nnew\nc1\n");
  EXPECT_EQ(merged("a1\nb1\nc1\n", "// ...existing code...\nnew\nb1\n// ...existing code...\n"),
            "a1\nnew\nb1\nc1\n");
}

TEST(MarkerMerge, WhatIsTheSameChangesNothing) {
  EXPECT_EQ(merged(kFile,
                   "// ...existing code...\nint one() {\n  return 1;\n}\n// ...existing code...\n"),
            kFile);
}

TEST(MarkerMerge, WhatCouldMeanTwoThingsIsRefused) {
  EXPECT_TRUE(
      has(merged("x1\ny1\nx1\nz1\n", "// ...existing code...\nx1\nnew\n// ...existing code...\n"),
          "fits 2 places in f, near lines 1, 3"));
  EXPECT_TRUE(has(merged(kFile, "// ...existing code...\nnothing known\n// ...existing code...\n"),
                  "none of its lines is in f"));
  EXPECT_TRUE(has(merged(kFile, "int two() {\n  return 3;\n}\n// ...existing code...\n"),
                  "it is in the middle of f, at line 7"));
  EXPECT_TRUE(has(merged(kFile, "// ...existing code...\nint one() {\n  return 3;\n}\n"),
                  "goes on after line 5"));
}

TEST(MarkerMerge, BlanksAtLineEndsOfTheFileStay) {
  EXPECT_EQ(merged("a1  \nb1\nc1\n", "a1\nnew  \nb1\n// ...existing code...\n"),
            "a1  \nnew  \nb1\nc1\n");
  EXPECT_EQ(merged("a1\nb1", "// ...existing code...\nnew\n"), "a1\nb1\nnew");
}

}  // namespace
}  // namespace toolgate
