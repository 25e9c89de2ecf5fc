#include "builtin/source_files.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "builtin/code_search.h"
#include "temporary_folder.h"

namespace toolgate {
namespace {

class SourceFilesTest : public testing::Test {
 protected:
  std::vector<std::string> found(SourceSearch search) {
    search.extensions = {".cpp", ".h"};
    const Workspace workspace({(folder_.path() / "work").string()},
                              {(folder_.path() / "work/data").string()});
    result_ = find_source_files(workspace, search, stop_);
    std::vector<std::string> names;
    for (const std::string& path : result_.paths) names.push_back(workspace.shown(path));
    return names;
  }

  TemporaryFolder folder_;
  std::atomic<bool> stop_ = false;
  SourceFiles result_;
};

using Names = std::vector<std::string>;

TEST_F(SourceFilesTest, AreThoseThatHaveTheWordNearestFirst) {
  folder_.write("work/z.cpp", "int area();");
  folder_.write("work/sub/a.h", "area");
  folder_.write("work/a.cpp", "int my_area;");
  folder_.write("work/b.txt", "area");
  EXPECT_EQ(found({.text = "area"}), (Names{"z.cpp", "sub/a.h"}));
  EXPECT_EQ(found({.text = "AREA", .whole_word = false}), (Names{"a.cpp", "z.cpp", "sub/a.h"}));
  EXPECT_TRUE(result_.is_complete);
}

TEST_F(SourceFilesTest, LeaveOutWhatWasBuiltIsHiddenOrALink) {
  for (const char* name : {"work/.git/a.cpp", "work/node_modules/a.cpp", "work/build/a.cpp",
                           "work/data/a.cpp", "outside/a.cpp"})
    folder_.write(name, "area");
  std::filesystem::create_symlink(folder_.path() / "outside/a.cpp", folder_.path() / "work/l.cpp");
  std::filesystem::create_directory_symlink(folder_.path() / "outside", folder_.path() / "work/l");
  EXPECT_EQ(found({.text = "area"}), Names{});
}

TEST_F(SourceFilesTest, LimitsAreNoticed) {
  for (const char* name : {"work/a.cpp", "work/b.cpp", "work/c.cpp"}) folder_.write(name, "area");
  EXPECT_EQ(found({.text = "area", .most_found = 2}), (Names{"a.cpp", "b.cpp"}));
  EXPECT_FALSE(result_.is_complete);
  EXPECT_EQ(found({.text = "area", .most_files = 1}), (Names{"a.cpp"}));
  EXPECT_FALSE(result_.is_complete);
  EXPECT_EQ(found({.text = "area", .most_source_bytes = 3}), Names{});
  EXPECT_EQ(result_.too_long, Names{});
  stop_ = true;
  EXPECT_EQ(found({.text = "area"}), Names{});
  EXPECT_FALSE(result_.is_complete);
}

TEST_F(SourceFilesTest, ThatAreTooLongToBeShownAreNamed) {
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  folder_.write("work/begins.cpp", "area" + std::string(kPiece, ' '));
  folder_.write("work/between.cpp", std::string(kPiece - 2, ' ') + "area" + std::string(9, ' '));
  folder_.write("work/ends.cpp", std::string(2 * kPiece, ' ') + "area");
  folder_.write("work/lacks.cpp", std::string(2 * kPiece, ' ') + "areas");
  folder_.write("work/short.cpp", "area");
  EXPECT_EQ(found({.text = "area"}), (Names{"short.cpp"}));
  Names names;
  for (const std::string& path : result_.too_long)
    names.push_back(std::filesystem::path(path).filename());
  EXPECT_EQ(names, (Names{"begins.cpp", "between.cpp", "ends.cpp"}));
  EXPECT_TRUE(result_.is_complete);
}

TEST(SymbolNames, AreTakenApart) {
  const auto parts = [](std::string_view text) {
    const auto name = parse_symbol_name(text);
    return name ? name->qualifier + "|" + name->word : "error";
  };
  EXPECT_EQ(parts("area"), "|area");
  EXPECT_EQ(parts("Shape::area"), "Shape|area");
  EXPECT_EQ(parts("a::b::c"), "a::b|c");
  EXPECT_EQ(parts("shape.area()"), "shape|area");
  EXPECT_EQ(parts("p->x"), "p|x");
  EXPECT_EQ(parts("A::~A"), "A|~A");
  EXPECT_EQ(parts(""), "error");
  EXPECT_EQ(parts("()"), "error");
  EXPECT_EQ(parts("a b"), "error");
  EXPECT_EQ(parts("a\n"), "error");
  EXPECT_EQ(parts(std::string(501, 'x')), "error");
}

TEST(SymbolNames, FitASymbolByTheEndOfItsPath) {
  const auto fits = [](std::string name, std::string container, std::string_view wanted) {
    return is_named({.name = std::move(name), .container = std::move(container), .location = {}},
                    parse_symbol_name(wanted).value());
  };
  for (const char* wanted :
       {"area", "Disc::area", "Disc.area()", "Disc->area", "geo::Disc::area"}) {
    EXPECT_TRUE(fits("area", "geo::Disc", wanted)) << wanted;
    EXPECT_TRUE(fits("Disc::area", "geo", wanted)) << wanted;
    EXPECT_TRUE(fits("geo::Disc<std::vector<int>>::area", "", wanted)) << wanted;
    EXPECT_TRUE(fits("area", "geo::(anonymous namespace)::Disc<T>", wanted)) << wanted;
  }
  EXPECT_FALSE(fits("area", "Shape", "Disc::area"));
  EXPECT_FALSE(fits("area", "BigDisc", "Disc::area"));
  EXPECT_FALSE(fits("area", "", "Disc::area"));
  EXPECT_FALSE(fits("areas", "Disc", "Disc::area"));
  EXPECT_FALSE(fits("Disc", "area", "Disc::area"));
  EXPECT_FALSE(fits("", "", "Disc::area"));
}

TEST(CodeLinesTest, AreWrittenWithTheirPlace) {
  const TemporaryFolder folder;
  folder.write("work/a.cpp", "one\n\tint x = 1; // \xE2\x80\xAE\n" + std::string(300, 'y'));
  const auto outside = folder.write("secret.h", "secret\n");
  const auto root = (folder.path() / "work").string();
  const Workspace workspace({root});
  CodeLines lines(workspace);
  EXPECT_EQ(lines.describe({root + "/a.cpp", {{1, 5}, {1, 6}}}),
            "a.cpp:2:6: int x = 1; // ⟨U+202E⟩");
  EXPECT_EQ(lines.describe({root + "/a.cpp", {{2, 0}, {2, 1}}}),
            "a.cpp:3:1: " + std::string(200, 'y') + "…");
  EXPECT_EQ(lines.describe({root + "/a.cpp", {{4'294'967'295, 0}, {4'294'967'295, 0}}}),
            "a.cpp:4294967296:1");
  EXPECT_EQ(lines.describe({outside.string(), {{0, 0}, {0, 1}}}), outside.string() + ":1:1");
}

}  // namespace
}  // namespace toolgate
