#include "gateway/gateway_file.h"

#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace toolgate {
namespace {

class GatewayFileTest : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "gateway.json"; }
  void write(const std::string& text, mode_t mode = 0600) {
    std::ofstream(file()) << text;
    chmod(file().c_str(), mode);
  }
  auto find() const { return find_running_gateway(folder_.path()); }

  TemporaryFolder folder_;
};

TEST_F(GatewayFileTest, IsFoundWhileTheGatewayRuns) {
  {
    const auto written = GatewayFile::write(folder_.path(), "http://127.0.0.1:4711", "/projects/ä");
    ASSERT_TRUE(written) << written.error().message;
    struct stat facts{};
    ASSERT_EQ(stat(file().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0600u);
    const auto found = find();
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->address, "http://127.0.0.1:4711");
    EXPECT_EQ((*found)->pid, getpid());
    EXPECT_EQ((*found)->workspace, "/projects/ä");
  }
  EXPECT_FALSE(std::filesystem::exists(file()));
  const auto found = find();
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_F(GatewayFileTest, OfADeadProcessDoesNotCount) {
  // Above the largest number that Linux gives.
  write(R"({"address":"http://127.0.0.1:1","pid":99999999})");
  const auto found = find();
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_F(GatewayFileTest, OfAProcessWhoseNumberAnotherHasNowDoesNotCount) {
  write(R"({"address":"http://127.0.0.1:1","pid":)" + std::to_string(getpid()) +
        R"(,"started":1})");
  EXPECT_FALSE(find().value());
  write(R"({"address":"http://127.0.0.1:1","pid":)" + std::to_string(getpid()) + "}");
  EXPECT_TRUE(find().value());
}

TEST_F(GatewayFileTest, ThatOthersCouldHaveWrittenIsNotTrusted) {
  const std::string text =
      R"({"address":"http://127.0.0.1:1","pid":)" + std::to_string(getpid()) + "}";
  write(text, 0666);
  EXPECT_FALSE(find());
  std::filesystem::remove(file());
  std::ofstream(folder_.path() / "other.json") << text;
  std::filesystem::create_symlink(folder_.path() / "other.json", file());
  EXPECT_FALSE(find());
}

TEST_F(GatewayFileTest, ThatIsNoneIsNoGateway) {
  for (const char* text : {"", "{", "[]", R"({"address":1,"pid":1})", R"({"address":"http://x"})",
                           R"({"address":"http://x","pid":-1})"}) {
    write(text);
    const auto found = find();
    ASSERT_TRUE(found) << text;
    EXPECT_FALSE(*found) << text;
  }
}

TEST_F(GatewayFileTest, OfAnotherProcessStaysWhenWeEnd) {
  {
    const auto written = GatewayFile::write(folder_.path(), "http://127.0.0.1:4711");
    ASSERT_TRUE(written);
    write(R"({"address":"http://127.0.0.1:1","pid":1})");
  }
  EXPECT_TRUE(std::filesystem::exists(file()));
}

TEST(LocalAddress, ReachesWhatListensEverywhere) {
  EXPECT_EQ(local_address("127.0.0.1", 80), "http://127.0.0.1:80");
  EXPECT_EQ(local_address("0.0.0.0", 80), "http://127.0.0.1:80");
  EXPECT_EQ(local_address("::", 80), "http://[::1]:80");
  EXPECT_EQ(local_address("localhost", 80), "http://localhost:80");
}

}  // namespace
}  // namespace toolgate
