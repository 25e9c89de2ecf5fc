#include "builtin/lsp_values.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

json::value parsed(std::string_view text) {
  auto value = parse_json(text);
  if (!value) ADD_FAILURE() << value.error().message;
  return value ? *value : json::value();
}

constexpr std::string_view kRange =
    R"({"start":{"line":1,"character":2},"end":{"line":1,"character":5}})";

TEST(LspUris, AndPathsAreInverse) {
  for (const std::string path : {"/", "/a/b.cpp", "/a b/ü#?%.txt", "/new\nline"})
    EXPECT_EQ(path_of_uri(uri_of_path(path)), path);
  EXPECT_EQ(uri_of_path("/a b/ü"), "file:///a%20b/%C3%BC");
  for (const char* uri :
       {"", "http://x/y", "file:", "file://host/x", "untitled:1", "file:///a%00b"})
    EXPECT_EQ(path_of_uri(uri), std::nullopt) << uri;
}

TEST(LspLocations, OfAllShapesAreRead) {
  const auto location = fmt::format(R"({{"uri":"file:///a.cpp","range":{}}})", kRange);
  const LspLocation expected{"/a.cpp", {{1, 2}, {1, 5}}};
  EXPECT_EQ(read_locations(parsed(location), 9), std::vector{expected});
  EXPECT_EQ(read_locations(parsed("[" + location + "]"), 9), std::vector{expected});
  EXPECT_EQ(
      read_locations(
          parsed(fmt::format(
              R"([{{"targetUri":"file:///a.cpp","targetRange":null,"targetSelectionRange":{}}}])",
              kRange)),
          9),
      std::vector{expected});
  EXPECT_EQ(read_locations(parsed("null"), 9).size(), 0u);
  EXPECT_EQ(read_locations(parsed("[" + location + "," + location + "]"), 1).size(), 1u);
}

TEST(LspLocations, ThatMakeNoSenseAreLeftOut) {
  for (
      const char* text :
      {R"([1,"x",null,{}])", R"({"uri":"file:///a"})", R"({"uri":1,"range":{}})",
       R"({"uri":"file:///a","range":{"start":{"line":-1,"character":0},"end":{"line":0,"character":0}}})",
       R"({"uri":"file:///a","range":{"start":{"line":1.5,"character":0},"end":{"line":2,"character":0}}})",
       R"({"uri":"file:///a","range":{"start":{"line":99999999999,"character":0},"end":{"line":99999999999,"character":0}}})",
       R"({"uri":"file:///a","range":{"start":{"line":2,"character":0},"end":{"line":1,"character":0}}})",
       R"({"uri":"ftp://a","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}})"})
    EXPECT_EQ(read_locations(parsed(text), 9).size(), 0u) << text;
}

TEST(LspDiagnostics, AreReadWithSeverityAndOrigin) {
  const auto list = read_diagnostics(
      parsed(fmt::format(
          R"([{{"range":{0},"message":"m","severity":2,"source":"clang","code":"c"}},
              {{"range":{0},"message":"n","severity":77,"code":12}}, {{"message":"no range"}}])",
          kRange)),
      9);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].severity, 2);
  EXPECT_EQ(list[0].origin, "clang c");
  EXPECT_EQ(list[1].severity, 1);
  EXPECT_EQ(list[1].origin, "12");
}

TEST(LspDiagnostics, OfTsserverCountFromOne) {
  const auto list = read_tsserver_diagnostics(
      parsed(
          R"({"body":[{"start":{"line":1,"offset":34},"end":{"line":1,"offset":35},"text":"t","code":2345,"category":"error"},
                        {"start":{"line":0,"offset":1},"end":{"line":1,"offset":1},"text":"t"},
                        {"start":{"line":3,"offset":1},"end":{"line":3,"offset":2},"text":"s","category":"suggestion"}]})"),
      9);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].range, (LspRange{{0, 33}, {0, 34}}));
  EXPECT_EQ(list[0].severity, 1);
  EXPECT_EQ(list[1].severity, 4);
}

TEST(LspSymbols, HaveAKindInWords) {
  const auto list = read_symbols(
      parsed(fmt::format(
          R"([{{"name":"f","kind":12,"containerName":"C","location":{{"uri":"file:///a","range":{}}}}}, {{"name":"g"}}])",
          kRange)),
      9);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].container, "C");
  EXPECT_EQ(name_of_symbol_kind(list[0].kind), "function");
  EXPECT_EQ(name_of_symbol_kind(0), "symbol");
  EXPECT_EQ(name_of_symbol_kind(-3), "symbol");
  EXPECT_EQ(name_of_symbol_kind(27), "symbol");
}

TEST(LspWorkspaceEdits, OfBothShapesAreRead) {
  const std::string edits = fmt::format(R"([{{"range":{},"newText":"x"}}])", kRange);
  for (
      const std::string& text :
      {fmt::format(R"({{"changes":{{"file:///a":{}}}}})", edits),
       fmt::format(
           R"({{"documentChanges":[{{"textDocument":{{"uri":"file:///a","version":1}},"edits":{}}}]}})",
           edits)}) {
    const auto read = read_workspace_edit(parsed(text));
    ASSERT_TRUE(read) << text;
    ASSERT_EQ(read->size(), 1u);
    EXPECT_EQ(read->at("/a").at(0).new_text, "x");
  }
  EXPECT_TRUE(read_workspace_edit(parsed("null"))->empty());
}

TEST(LspWorkspaceEdits, ThatMakeNoSenseRefuseAll) {
  for (const char* text :
       {R"({"documentChanges":[{"kind":"rename","oldUri":"a","newUri":"b"}]})",
        R"({"documentChanges":[{"edits":[]}]})", R"({"changes":{"http://a":[]}})",
        R"({"changes":{"file:///a":1}})", R"({"changes":{"file:///a":[{"newText":"x"}]}})"})
    EXPECT_FALSE(read_workspace_edit(parsed(text))) << text;
}

}  // namespace
}  // namespace toolgate
