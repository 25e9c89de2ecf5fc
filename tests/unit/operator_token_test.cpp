// The operator token's file.
#include "gateway/operator_token.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace toolgate {
namespace {

unsigned mode_of(const std::filesystem::path& path) {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777 : 0;
}

class OperatorToken : public testing::Test {
 protected:
  OperatorToken() { std::filesystem::create_directory(data_); }

  void write(std::string_view text, mode_t mode = 0600) {
    folder_.write("data/operator-token", text);
    ::chmod(file_.c_str(), mode);
  }
  Result<std::string> opened() { return open_operator_token(data_); }
  std::string error() {
    const auto token = opened();
    return token ? "no error" : token.error().message;
  }

  TemporaryFolder folder_;
  std::filesystem::path data_ = folder_.path() / "data";
  std::filesystem::path file_ = data_ / "operator-token";
};

const std::string kToken(32, 't');

TEST_F(OperatorToken, IsMadeOnceForItsOwnerOnly) {
  const auto token = opened();
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_GE(token->size(), 32u);
  EXPECT_EQ(mode_of(file_), 0600u);
  EXPECT_EQ(opened().value(), *token);
  std::ifstream stream(file_);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), *token + "\n");
}

TEST_F(OperatorToken, LeavesNothingElseBehind) {
  ASSERT_TRUE(opened());
  const auto begin = std::filesystem::directory_iterator(data_);
  EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), 1);
}

TEST_F(OperatorToken, IsAnotherInAnotherFolder) {
  const auto other = open_operator_token(folder_.path() / "other");
  ASSERT_TRUE(other);
  EXPECT_NE(*other, opened().value());
}

TEST_F(OperatorToken, AMissingFolderIsMadeForItsOwnerOnly) {
  const auto data = folder_.path() / "a/b/c";
  ASSERT_TRUE(open_operator_token(data));
  EXPECT_EQ(mode_of(data), 0700u);
}

TEST_F(OperatorToken, TheModeDoesNotDependOnTheUmask) {
  const mode_t before = ::umask(0);
  const auto token = opened();
  ::umask(before);
  ASSERT_TRUE(token);
  EXPECT_EQ(mode_of(file_), 0600u);
}

TEST_F(OperatorToken, OnesOwnTokenIsTakenWithoutItsLineEnd) {
  for (const std::string_view end : {"", "\n", "\r\n", "\n\n"}) {
    write(kToken + std::string(end));
    EXPECT_EQ(opened().value_or(""), kToken);
  }
}

TEST_F(OperatorToken, IsRefusedWhereOthersCanReadOrWriteIt) {
  for (const mode_t mode : {0640u, 0604u, 0644u, 0660u, 0602u, 0666u}) {
    write(kToken, mode);
    EXPECT_NE(error().find("chmod 600"), std::string::npos) << mode << error();
  }
  write(kToken, 0400);
  EXPECT_EQ(opened().value_or(""), kToken);
}

TEST_F(OperatorToken, AShortOneIsRefused) {
  for (const std::string& text : {std::string(), std::string("\n"), std::string(31, 't') + "\n"}) {
    write(text);
    EXPECT_NE(error().find("holds no token"), std::string::npos) << error();
  }
}

TEST_F(OperatorToken, ASymbolicLinkIsRefused) {
  const auto target = folder_.write("elsewhere", kToken);
  ::chmod(target.c_str(), 0600);
  std::filesystem::create_symlink(target, file_);
  EXPECT_NE(error().find("cannot open"), std::string::npos) << error();

  std::filesystem::remove(target);
  EXPECT_NE(error().find("cannot open"), std::string::npos) << error();
  EXPECT_FALSE(std::filesystem::exists(target)) << "it was made behind the link";
}

TEST_F(OperatorToken, AFolderInItsPlaceIsAnError) {
  std::filesystem::create_directory(file_);
  const auto token = opened();
  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().code, Errc::Io);
  EXPECT_EQ(token.error().where, file_.string());
}

TEST_F(OperatorToken, AFileInPlaceOfTheFolderIsAnError) {
  const auto file = folder_.write("file", "");
  const auto token = open_operator_token(file);
  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().code, Errc::Io);
}

}  // namespace
}  // namespace toolgate
