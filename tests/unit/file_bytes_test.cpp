#include "builtin/file_bytes.h"

#include <fcntl.h>

#include <gtest/gtest.h>

#include "base/descriptor.h"
#include "builtin/below.h"
#include "temporary_folder.h"

namespace toolgate {
namespace {

TEST(FileBytes, AreReadUpToALimitFromAnyPlace) {
  const TemporaryFolder folder;
  const std::string text(10'000, 'x');
  const auto path = folder.write("a", text + "end");
  const Descriptor file(::open(path.c_str(), O_RDONLY));
  EXPECT_EQ(read_bytes(file.get(), 0, 5, "a").value(), "xxxxx");
  EXPECT_EQ(read_bytes(file.get(), 9'999, 100, "a").value(), "xend");
  EXPECT_EQ(read_bytes(file.get(), 20'000, 100, "a").value(), "");
  EXPECT_EQ(read_bytes(file.get(), 0, 0, "a").value(), "");
  EXPECT_EQ(read_whole_file(file.get(), 10'003, "a").value(), text + "end");
  const auto refused = read_whole_file(file.get(), 10'002, "a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::TooLarge);
  EXPECT_EQ(refused.error().message, "a is longer than 10002 bytes");
  EXPECT_EQ(read_whole_file(path).value(), text + "end");
  EXPECT_EQ(read_whole_file(folder.path() / "none").error().code, Errc::NotFound);
}

TEST(FileBytes, OfAFileThatDoesNotTellItsSizeAreReadToo) {
  const Descriptor file(::open("/proc/self/smaps", O_RDONLY));
  EXPECT_GT(read_whole_file(file.get(), 10 << 20, "smaps").value().size(), 8'192U);
}

TEST(Below, PathsAreSeenFromTheirFolder) {
  static_assert(path_below("/a/b", "/a") == "b");
  static_assert(path_below("/a/b/c", "/") == "a/b/c");
  static_assert(path_below("/a", "/a") == "");
  static_assert(path_below("/a/", "/a") == "");
  static_assert(!path_below("/ab", "/a"));
  static_assert(is_below(".git/hooks", ".git") && !is_below(".github", ".git"));
}

}  // namespace
}  // namespace toolgate
