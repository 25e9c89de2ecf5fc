#include "cli/prompt_history.h"

#include <fstream>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace toolgate {
namespace {

using Entries = std::vector<std::string>;

TEST(PromptHistory, KeepsPromptsForTheNextTimeAndForTheirOwnerOnly) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "chat-history";
  {
    PromptHistory history(file);
    EXPECT_EQ(history.entries(), Entries{});
    history.add("one\nof two lines", true);
    history.add("one\nof two lines", true);
    history.add("/help", false);
    EXPECT_EQ(history.entries(), (Entries{"one\nof two lines", "/help"}));
  }
  EXPECT_EQ(PromptHistory(file).entries(), Entries{"one\nof two lines"});
  struct stat facts{};
  ASSERT_EQ(stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST(PromptHistory, ForgetsTheOldest) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "chat-history";
  PromptHistory history(file);
  for (std::size_t i = 0; i < PromptHistory::kMost + 5; ++i) history.add(std::to_string(i), true);
  const PromptHistory again(file);
  ASSERT_EQ(again.entries().size(), PromptHistory::kMost);
  EXPECT_EQ(again.entries().front(), "5");
}

TEST(PromptHistory, AFileThatIsBrokenOrMissingDoesNotMatter) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "broken") << "no json\n\"good\"\n[1]\n";
  EXPECT_EQ(PromptHistory(folder.path() / "broken").entries(), Entries{"good"});
  PromptHistory nowhere(folder.path() / "no/such/file");
  nowhere.add("x", true);
  EXPECT_EQ(nowhere.entries(), Entries{"x"});
}

}  // namespace
}  // namespace toolgate
