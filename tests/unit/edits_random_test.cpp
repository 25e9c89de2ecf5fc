// Random edits of random files: whatever was done, undone it has never been.
#include <algorithm>
#include <random>

#include "edits_fixture.h"

namespace toolgate {
namespace {

using Tree = std::map<std::string, std::string>;

class RandomEdits : public EditsTest, public testing::WithParamInterface<unsigned> {
 protected:
  std::size_t pick(std::size_t count) { return random_() % count; }

  std::string any_name() { return std::string(kNames[pick(std::size(kNames))]); }

  std::string any_text() {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    constexpr std::string_view kEnds[] = {"\n", "\r\n", "\r\n\n"};
    std::string text(pick(3) == 0 ? kMark : "");
    const std::string_view end = kEnds[pick(std::size(kEnds))];
    for (std::size_t line = pick(4); line-- > 0;) text += fmt::format("línea {}{}", pick(9), end);
    if (pick(2) == 0) text += "no break here";
    return text;
  }

  // Some of the names are there, one as a link to another and one below a folder that is a link.
  void SetUp() override {
    fs::create_directories(folder_ / "real");
    constexpr mode_t kModes[] = {0644, 0600, 0755, 0664, 0700, 0640};
    for (const std::string_view name : kNames)
      if (!name.starts_with("link") && pick(2) == 0)
        write(std::string(name), any_text(), kModes[pick(std::size(kModes))]);
    fs::create_symlink("real/a", folder_ / "link");
    fs::create_directory_symlink("real", folder_ / "linked");
  }

  void change_once(EditDraft& draft) {
    const std::string name = any_name();
    switch (pick(5)) {
      case 0:
        (void)draft.create(name, any_text());
        break;
      case 1:
        (void)draft.remove(name);
        break;
      case 2:
        (void)draft.move(name, any_name());
        break;
      case 3:
        (void)draft.make_folder(fmt::format("made/{}/{}", pick(3), pick(3)));
        break;
      default:
        (void)draft.write(name, any_text());
    }
  }

  Result<EditRecord> change() {
    return apply([&](EditDraft& draft) {
      for (std::size_t i = 0; i <= pick(3); ++i) change_once(draft);
    });
  }

  bool is_of(const EditRecord& edit, const std::string& name) {
    return std::ranges::any_of(edit.changes, [&](const FileChange& change) {
      return change.path == (folder_ / name).string();
    });
  }

  static constexpr std::string_view kNames[] = {"a",       "b",      "d/a",    "d/b",  "d/e/c",
                                                "f/g/h/i", "z ñ\nz", "real/a", "link", "linked/b"};
  std::mt19937 random_{GetParam()};
};

TEST_P(RandomEdits, UndoneBackwardsTheyHaveNeverBeen) {
  std::vector<std::pair<std::string, Tree>> done;
  for (int step = 0; step < 20; ++step) {
    Tree before = tree_of(folder_);
    const auto edit = change();
    if (!edit) {
      ASSERT_EQ(tree_of(folder_), before);
      continue;
    }
    done.emplace_back(edit->id, std::move(before));
    // Some are undone at once, and those undos later.
    if (pick(4) != 0) continue;
    Tree now = tree_of(folder_);
    const auto undo = edits_.undo(edit->id, {});
    ASSERT_TRUE(undo) << undo.error().message;
    ASSERT_EQ(tree_of(folder_), done.back().second);
    done.emplace_back(undo->id, std::move(now));
  }
  ASSERT_GT(done.size(), 5U);
  Edits after_restart(data_);
  for (auto each = done.rbegin(); each != done.rend(); ++each) {
    const auto undone = after_restart.undo(each->first, {});
    ASSERT_TRUE(undone) << undone.error().message;
    ASSERT_EQ(tree_of(folder_), each->second);
  }
}

// In any order: what an edit changed is as before it, and nothing else is touched; or nothing is.
TEST_P(RandomEdits, UndoneInAnyOrderTheyChangeWhatTheyDidOrNothing) {
  std::vector<EditRecord> done;
  for (int step = 0; step < 12; ++step)
    if (auto edit = change()) done.push_back(std::move(*edit));
  std::ranges::shuffle(done, random_);
  std::size_t undone = 0;
  for (const EditRecord& edit : done) {
    Tree before = tree_of(folder_);
    const auto undo = edits_.undo(edit.id, {});
    Tree after = tree_of(folder_);
    if (!undo) {
      ASSERT_EQ(undo.error().code, Errc::Conflict) << undo.error().message;
      ASSERT_EQ(after, before);
      continue;
    }
    ++undone;
    for (const FileChange& change : edit.changes) {
      // A folder that holds what others made stays.
      if (change.after.kind == FileState::Kind::Folder) continue;
      const auto now = look_at_change(change);
      ASSERT_TRUE(now) << now.error().message;
      ASSERT_TRUE(now->state.is_same(change.before)) << change.shown;
    }
    for (Tree* tree : {&before, &after})
      std::erase_if(*tree, [&](const auto& entry) { return is_of(edit, entry.first); });
    ASSERT_EQ(after, before);
  }
  EXPECT_GT(undone, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomEdits, testing::Range(1U, 25U));

}  // namespace
}  // namespace toolgate
