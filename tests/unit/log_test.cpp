// Log lines as they arrive on stderr.
#include "base/log.h"

#include <chrono>
#include <cstdio>
#include <regex>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

// Puts a file in the place of stderr until destroyed.
class StderrFile {
 public:
  StderrFile() : file_(std::tmpfile()), saved_(::dup(STDERR_FILENO)) {
    flush_log();
    ::dup2(::fileno(file_), STDERR_FILENO);
  }
  StderrFile(const StderrFile&) = delete;
  StderrFile& operator=(const StderrFile&) = delete;
  ~StderrFile() {
    flush_log();
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
    std::fclose(file_);
  }

  std::string text() const {
    std::string result(static_cast<std::size_t>(::lseek(::fileno(file_), 0, SEEK_END)), '\0');
    const auto size = ::pread(::fileno(file_), result.data(), result.size(), 0);
    result.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return result;
  }

 private:
  std::FILE* file_;
  int saved_;
};

class Log : public testing::Test {
 protected:
  void SetUp() override { open_log(LogLevel::Info, false); }
  void TearDown() override { set_log_level(LogLevel::Off); }
};

TEST_F(Log, ALineHasTimeLevelAndText) {
  const StderrFile file;
  log(LogLevel::Info, "{} and {}", "this", 7);
  flush_log();
  EXPECT_TRUE(std::regex_match(
      file.text(), std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info this and 7\n)")))
      << file.text();
}

TEST_F(Log, TheTimeIsUtc) {
  const StderrFile file;
  const auto stamp = [](std::time_t time) {
    char text[32];
    std::tm parts{};
    gmtime_r(&time, &parts);
    return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts));
  };
  const auto before = stamp(std::time(nullptr));
  log(LogLevel::Info, "x");
  const auto after = stamp(std::time(nullptr));
  flush_log();
  const auto written = file.text().substr(0, before.size());
  EXPECT_LE(before, written);
  EXPECT_LE(written, after);
}

TEST_F(Log, LinesBelowTheLevelAreNotWritten) {
  const StderrFile file;
  log(LogLevel::Debug, "unwanted");
  log_line(LogLevel::Debug, "unwanted");
  set_log_level(LogLevel::Error);
  log(LogLevel::Warn, "unwanted");
  EXPECT_FALSE(log_enabled(LogLevel::Warn));
  EXPECT_TRUE(log_enabled(LogLevel::Error));
  set_log_level(LogLevel::Off);
  EXPECT_FALSE(log_enabled(LogLevel::Error));
  EXPECT_FALSE(log_enabled(LogLevel::Off));
  flush_log();
  EXPECT_EQ(file.text(), "");
}

TEST_F(Log, WarningsTakeWaitingLinesWithThemAtOnce) {
  const StderrFile file;
  log(LogLevel::Info, "first");
  log(LogLevel::Warn, "second");
  const auto text = file.text();
  ASSERT_NE(text.find("info first\n"), text.npos) << text;
  EXPECT_LT(text.find("info first\n"), text.find("warning second\n"));
}

TEST_F(Log, ALineAppearsWithoutAFlush) {
  const StderrFile file;
  log(LogLevel::Info, "patient");
  for (int i = 0; i < 1000 && file.text().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_NE(file.text().find("patient"), std::string::npos);
}

TEST_F(Log, ControlCharactersCannotForgeALine) {
  const StderrFile file;
  log(LogLevel::Info, "model {}", "a\r\nb\tc\x1b[31m\x7f\xc2\x9b d\xc3\xa9\xc2\xa0\xc2");
  log_line(LogLevel::Info, std::string_view("nul\0.", 5));
  flush_log();
  const auto text = file.text();
  EXPECT_NE(text.find("model a\\r\\nb\\tc\\x1b[31m\\x7f\\u009b d\xc3\xa9\xc2\xa0\xc2\n"), text.npos)
      << text;
  EXPECT_NE(text.find("nul\\x00.\n"), text.npos) << text;
}

TEST_F(Log, BracesInALineAreText) {
  const StderrFile file;
  log_line(LogLevel::Info, "{} {0} {");
  flush_log();
  EXPECT_NE(file.text().find("info {} {0} {\n"), std::string::npos) << file.text();
}

TEST_F(Log, ThreadsDoNotMixTheirLines) {
  constexpr int kThreads = 4;
  constexpr int kLines = 2000;
  const StderrFile file;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([thread] {
        for (int i = 0; i < kLines; ++i)
          log(LogLevel::Info, "<{}>", std::string(100, char('a' + thread)));
      });
  }
  flush_log();
  const auto text = file.text();
  std::array<int, kThreads> seen{};
  std::size_t begin = 0;
  for (auto end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
    const auto line = text.substr(begin, end - begin);
    begin = end + 1;
    ASSERT_EQ(line.size(), 24 + 6 + 102u) << line;
    const char letter = line[31];
    ASSERT_TRUE(letter >= 'a' && letter < 'a' + kThreads) << line;
    ASSERT_EQ(line.substr(30), "<" + std::string(100, letter) + ">");
    ++seen[static_cast<std::size_t>(letter - 'a')];
  }
  for (const int count : seen) EXPECT_EQ(count, kLines);
}

}  // namespace
}  // namespace toolgate
