// What commands print of trails, explanations and progress.
#include <gtest/gtest.h>

#include "cli/audit_lines.h"
#include "cli/explanation.h"
#include "cli/json_document.h"
#include "cli/status_line.h"

namespace toolgate {
namespace {

std::string details(std::string_view kind, std::string_view data) {
  const auto document =
      JsonDocument::parse(fmt::format(R"({{"kind":"{}","data":{}}})", kind, data));
  return details_of(document->root());
}

TEST(AuditLines, SayWhatBelongsToTheirKind) {
  EXPECT_EQ(details("proposed", R"({"source":"x","arguments":{"city":"Oslo"}})"), "city \"Oslo\"");
  EXPECT_EQ(details("proposed", R"({"edited":true,"arguments":{"n":1}})"), "edited: n 1");
  EXPECT_EQ(details("decided", R"({"decision":"UserAction","scope":"once"})"), "allowed once");
  EXPECT_EQ(details("decided", R"({"decision":"Denied","message":"no"})"), "denied: no");
  EXPECT_EQ(details("decided", R"({"decision":"Timeout","message":"late"})"),
            "nobody decided in time");
  EXPECT_EQ(details("decided", R"({"decision":"Setting","rule":"chat.x: is on"})"),
            "allowed: chat.x: is on");
  EXPECT_EQ(details("ended", R"({"bytes":1234,"durationMs":1500})"), "1.5 s, 1,234 bytes");
  EXPECT_EQ(details("ended", R"({"bytes":4,"durationMs":15,"error":"no route"})"),
            "failed: no route, 15 ms");
  EXPECT_EQ(details("remembered", R"({"side":"before","target":"tool","scope":"always"})"),
            "tool, always");
  EXPECT_EQ(details("revoked", R"({"target":"tool","scope":"always","why":"it was revoked"})"),
            "tool, always: it was revoked");
  EXPECT_EQ(details("started", "{}"), "");
  EXPECT_EQ(details("undo", R"({"edit":"edit_1","outcome":"begun","files":["a.txt","b\nc"]})"),
            "begun, edit_1: a.txt, b c");
  EXPECT_EQ(details("undo", R"({"edit":"edit_1","outcome":"done","force":true,
                                "undone_by":"edit_2","files":["a.txt"],"more_files":7})"),
            "done by force, edit_1 by edit_2: a.txt and 7 more");
  EXPECT_EQ(details("undo", R"({"edit":"edit_1","outcome":"refused","files":["a.txt"],
                                "problem":"a.txt has changed since this edit"})"),
            "refused, edit_1 stays: a.txt has changed since this edit");
}

TEST(AuditLines, AreOneLineEachWhateverIsInThem) {
  const auto document = JsonDocument::parse(
      R"({"sequence":1,"at":1740000000000,"kind":"decided","tool_id":"a\nb\u001b[2J","actor":"x\ty",
          "data":{"decision":"Denied","message":"one\ntwo\u202e"}})");
  ASSERT_TRUE(document);
  for (const std::size_t width : {40u, 100u}) {
    const std::string line = audit_line(document->root(), Terminal(stdout, width, false));
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_EQ(line.find('\x1b'), line.npos);
    EXPECT_EQ(line.find("\u202e"), line.npos);
  }
  const std::string line = audit_line(document->root(), Terminal(stdout, 100, false));
  EXPECT_LE(columns_of(line), 101u);
}

TEST(Explanation, NamesEveryRuleUpToTheOneThatDecided) {
  const auto text = describe_explanation(
      R"({"tool":"t","verdict":"ask","trail":[
          {"rule":"hooks","outcome":"say nothing","decided":false},
          {"rule":"the tool","outcome":"asks","decided":true}]})",
      Terminal(stdout, 80, false));
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            "  A person would be asked.\n"
            "    hooks     say nothing\n"
            "  → the tool  asks\n");
}

TEST(Explanation, OfARuleInAFileCannotMoveTheCursor) {
  const auto text = describe_explanation(
      R"({"verdict":"refuse","trail":[{"rule":"a\u001b[2J","outcome":"b\u202e\nc","decided":true}]})",
      Terminal(stdout, 80, false));
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find('\x1b'), text->npos);
  EXPECT_EQ(text->find("\u202e"), text->npos);
  EXPECT_TRUE(text->starts_with("  It would be refused.\n"));
}

TEST(Progress, HasPercentMessageAndTime) {
  using std::chrono::milliseconds;
  EXPECT_EQ(progress_text("get", 0, "", milliseconds(0)), "⠋ get");
  EXPECT_EQ(progress_text("get", 0.425, "half\nway", milliseconds(3'100)),
            "⠙ get  42%  half way  3 s");
  EXPECT_EQ(progress_text("get", 7, "\x1b[2J", milliseconds(0)), "⠋ get  100%  ⟨U+001B⟩[2J");
}

}  // namespace
}  // namespace toolgate
