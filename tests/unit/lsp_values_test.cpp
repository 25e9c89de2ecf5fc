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

TEST(LspOutlines, NameWhatHoldsASymbol) {
  const auto tree = parsed(fmt::format(
      R"([{{"name":"geo","kind":3,"selectionRange":{0},"children":[
           {{"name":"Disc","kind":5,"selectionRange":{0},"children":[{{"name":"area","kind":6,"selectionRange":{0}}}]}},
           {{"name":"no range"}}, 7, null]}},
          {{"name":"main","kind":12,"selectionRange":{0}}}])",
      kRange));
  const auto symbols = read_outline(tree, "/a.cpp", 9);
  ASSERT_EQ(symbols.size(), 4u);
  EXPECT_EQ(symbols[2].name, "area");
  EXPECT_EQ(symbols[2].container, "geo::Disc");
  EXPECT_EQ(symbols[2].location.path, "/a.cpp");
  EXPECT_EQ(symbols[3].container, "");
  EXPECT_EQ(read_outline(tree, "/a.cpp", 2).size(), 2u);
  const auto list = read_outline(
      parsed(fmt::format(
          R"([{{"name":"f","kind":12,"containerName":"C","location":{{"uri":"file:///b","range":{}}}}}])",
          kRange)),
      "/b", 9);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].container, "C");
  EXPECT_TRUE(read_outline(parsed("null"), "/b", 9).empty());
}

TEST(LspOutlines, AreReadOnlySoDeep) {
  json::value deep = json::array();
  for (int i = 0; i < 200; ++i)
    deep = json::array{json::object{
        {"name", "x"}, {"selectionRange", parsed(kRange)}, {"children", std::move(deep)}}};
  EXPECT_EQ(read_outline(deep, "/a", 1'000).size(), 64u);
}

TEST(LspSymbolDefinitions, AreThereOrNot) {
  const auto found = read_symbol_definition(parsed(fmt::format(
      R"([{{"name":"f"}}, {{"name":"g","definitionRange":{{"uri":"file:///a","range":{}}}}}])",
      kRange)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "/a");
  for (const char* text : {"null", "[]", "[1]", R"([{"definitionRange":3}])"})
    EXPECT_FALSE(read_symbol_definition(parsed(text))) << text;
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
