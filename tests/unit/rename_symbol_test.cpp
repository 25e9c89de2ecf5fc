// Renames through a server of a few lines that answers what it finds in answer.json, and through
// clangd where it is installed.
#include "builtin/rename_symbol.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "builtin/language_servers.h"
#include "temporary_folder.h"
#include "test_loop.h"

namespace toolgate {
namespace {

constexpr std::string_view kServer = R"(
import json, os, sys
documents = {}
def send(message):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b'Content-Length: %d\r\n\r\n' % len(body) + body)
    sys.stdout.buffer.flush()
while line := sys.stdin.buffer.readline():
    size = int(line.split(b':')[1])
    sys.stdin.buffer.readline()
    message = json.loads(sys.stdin.buffer.read(size))
    method, params = message['method'], message['params']
    if method in ('textDocument/didOpen', 'textDocument/didChange'):
        document = params['textDocument']
        send({'method': 'textDocument/publishDiagnostics', 'params': {'uri': document['uri'], 'version': document['version'], 'diagnostics': []}})
    if method == 'exit':
        break
    if 'id' not in message:
        continue
    result = None
    if method == 'initialize':
        result = {'capabilities': {'renameProvider': True}}
    if method == 'textDocument/rename':
        with open('answer.json') as file:
            result = json.loads(file.read().replace('ROOT', 'file://' + os.getcwd()))
    send({'id': message['id'], 'result': result})
)";

class RenameSymbol : public testing::Test {
 protected:
  static void SetUpTestSuite() { std::signal(SIGPIPE, SIG_IGN); }

  RenameSymbol() {
    server_ = folder_.write("server.py", kServer).string();
    root_ = (folder_.path() / "work").string();
    std::filesystem::create_directories(root_);
    settings_.workspace = std::make_shared<const Workspace>(std::vector{root_});
    settings_.languages = make_languages(std::vector<LanguageServerSetting>{
        {.language = "fake", .command = {"python3", server_}, .extensions = {".fake"}}});
  }

  void answer(std::string_view json) { folder_.write("work/answer.json", json); }

  Result<std::vector<RenamedFile>> rename(RenameRequest request) {
    TestLoop loop;
    return get_soon(loop.start(rename_symbol(servers_, settings_, std::move(request), never_)));
  }
  std::string error_of(RenameRequest request) {
    const auto renamed = rename(std::move(request));
    return renamed ? "renamed" : renamed.error().message;
  }

  TemporaryFolder folder_;
  std::string server_;
  std::string root_;
  CodeSettings settings_;
  LanguageServers servers_;
  CancelSource never_;
};

TEST_F(RenameSymbol, GivesTheFilesAsTheyWouldBeAndWritesNothing) {
  folder_.write("work/a.fake", "é😀 old\r\nold\r\n");
  folder_.write("work/b.fake", "old");
  answer(R"({"documentChanges": [
    {"textDocument": {"uri": "ROOT/a.fake", "version": 1}, "edits": [
      {"range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}}, "newText": "new"},
      {"range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 7}}, "newText": "new"}]},
    {"textDocument": {"uri": "ROOT/b.fake", "version": null}, "edits": [
      {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}, "newText": "new"}]}]})");
  const auto renamed = rename({.symbol = "old", .new_name = "new", .file = "a.fake"});
  ASSERT_TRUE(renamed) << renamed.error().message;
  ASSERT_EQ(renamed->size(), 2u);
  EXPECT_EQ(renamed->at(0).path, root_ + "/a.fake");
  EXPECT_EQ(renamed->at(0).before, "é😀 old\r\nold\r\n");
  EXPECT_EQ(renamed->at(0).after, "é😀 new\r\nnew\r\n");
  EXPECT_EQ(renamed->at(1).after, "new");
}

TEST_F(RenameSymbol, RefusesAllWhenOneEditMakesNoSense) {
  folder_.write("work/a.fake", "old\n");
  folder_.write("secret.txt", "old");
  const RenameRequest request{.symbol = "old", .new_name = "new", .file = "a.fake"};
  const std::string good =
      R"({"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}, "newText": "new"})";
  answer(R"({"changes": {"ROOT/a.fake": [)" + good + R"(], "ROOT/../secret.txt": [)" + good +
         "]}}");
  EXPECT_TRUE(error_of(request).contains("outside the workspace"));
  answer(R"({"changes": {"ROOT/a.fake": [)" + good + "," + good + "]}}");
  EXPECT_EQ(error_of(request),
            "the language server's edits of a.fake make no sense: two edits overlap in line 1");
  answer(R"({"changes": {"ROOT/a.fake": [{"newText": "x"}]}})");
  EXPECT_TRUE(error_of(request).contains("makes no sense"));
  answer(R"({"documentChanges": [{"kind": "delete", "uri": "ROOT/a.fake"}]})");
  EXPECT_EQ(error_of(request), "the rename would also delete files, which this tool does not do");
  answer("null");
  EXPECT_EQ(error_of(request), "nothing is renamed: 'old' is no symbol there");
}

TEST_F(RenameSymbol, TheLineSaysWhichIsMeant) {
  folder_.write("work/a.fake", "old one\nold two\n");
  answer("null");
  EXPECT_EQ(error_of({.symbol = "old", .new_name = "new", .file = "a.fake", .line = 3}),
            "'old' does not stand in line 3 of a.fake");
  EXPECT_EQ(
      error_of({.symbol = "old", .new_name = "new", .file = "a.fake", .line_content = "three"}),
      "'old' does not stand in such a line of a.fake");
  EXPECT_EQ(error_of({.symbol = "other", .new_name = "new", .file = "a.fake"}),
            "'other' does not stand in a.fake");
  EXPECT_EQ(error_of({.symbol = "old", .new_name = "a b", .file = "a.fake"}),
            "'a b' cannot be a symbol's new name");
  EXPECT_TRUE(error_of({.symbol = "old", .new_name = "new", .file = "../x.fake"})
                  .contains("outside the workspace"));
  folder_.write("work/a.txt", "old");
  EXPECT_EQ(error_of({.symbol = "old", .new_name = "new", .file = "a.txt"}),
            "no language server is known for a.txt");
}

TEST_F(RenameSymbol, OfARealServerReachesAllFiles) {
  const char* path = std::getenv("PATH");
  if (!find_command(settings_.languages.front(), path ? path : "", {})) GTEST_SKIP() << "no clangd";
  folder_.write("work/a.h", "int area();\n");
  folder_.write("work/a.cpp", "#include \"a.h\"\nint area() { return 1; }  // area\n");
  folder_.write("work/b.cpp", "#include \"a.h\"\r\nint b = area();\r\n");
  const auto renamed = rename({.symbol = "area", .new_name = "size", .file = "b.cpp"});
  ASSERT_TRUE(renamed) << renamed.error().message;
  ASSERT_EQ(renamed->size(), 3u);
  EXPECT_EQ(renamed->at(0).after, "#include \"a.h\"\nint size() { return 1; }  // area\n");
  EXPECT_EQ(renamed->at(1).after, "int size();\n");
  EXPECT_EQ(renamed->at(2).after, "#include \"a.h\"\r\nint b = size();\r\n");
}

}  // namespace
}  // namespace toolgate
