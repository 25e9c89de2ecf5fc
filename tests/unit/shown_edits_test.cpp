#include "builtin/shown_edits.h"

#include "edits_fixture.h"

namespace toolgate {
namespace {

class ShownEditsTest : public EditsTest {
 protected:
  Result<EditPlan> plan_to_write(const std::string& text) {
    return plan([&](EditDraft& draft) { EXPECT_TRUE(draft.write("a.txt", text)); });
  }
  std::string conflict() {
    const auto checked = shown_.check_files("test", call_);
    return checked ? "" : checked.error().message;
  }

  ShownEdits shown_{data_};
  ToolCall call_{.id = "call_1", .input = "{}"};
};

TEST_F(ShownEditsTest, HoldForTheFilesThatWereShown) {
  write("a.txt", "one\n");
  EXPECT_TRUE(conflict().contains("not known any more")) << "never asked";
  EXPECT_TRUE(shown_.note("test", call_, *plan_to_write("two\n")));
  EXPECT_EQ(conflict(), "");
  EXPECT_TRUE(ShownEdits(data_).check_files("test", call_)) << "also after a restart";
  write("a.txt", "changed\n");
  EXPECT_TRUE(conflict().contains("a.txt has changed since"));
  fs::remove(folder_ / "a.txt");
  EXPECT_TRUE(conflict().contains("a.txt was removed since"));
  shown_.forget("test", call_);
  EXPECT_TRUE(conflict().contains("not known any more"));
}

TEST_F(ShownEditsTest, HoldForThePlanUnlessAPersonChangedTheInput) {
  write("a.txt", "one\n");
  const auto made = plan_to_write("two\n");
  const auto other = plan_to_write("three\n");
  EXPECT_TRUE(shown_.note("test", call_, *made));
  EXPECT_TRUE(shown_.check_plan("test", call_, *made));
  EXPECT_EQ(shown_.check_plan("test", call_, *other).error().code, Errc::Conflict);
  call_.input = "{\"by\":\"a person\"}";
  EXPECT_TRUE(shown_.check_plan("test", call_, *other));
}

TEST_F(ShownEditsTest, WithoutADataFolderNothingIsCompared) {
  EXPECT_TRUE(ShownEdits({}).check_files("test", call_));
}

}  // namespace
}  // namespace toolgate
