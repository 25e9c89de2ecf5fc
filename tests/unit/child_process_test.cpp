// Real programs, most of them a few words of shell. Where a test must know that a program has come
// to some point, or that it and all it started are gone, it holds the other end of a named pipe.
#include "net/child_process.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "temporary_folder.h"
#include "test_loop.h"

namespace toolgate {
namespace {

using namespace std::chrono_literals;

ChildCommand shell(std::string script, std::vector<std::string> arguments = {}) {
  ChildCommand command;
  command.arguments = {"/bin/sh", "-c", std::move(script), "sh"};
  for (auto& argument : arguments) command.arguments.push_back(std::move(argument));
  command.environment = make_child_environment();
  return command;
}

Result<ChildOutcome> run(ChildCommand command) {
  const CancelSource never;
  TestLoop loop;
  return get_soon(loop.start(run_child(std::move(command), never)));
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

// A named pipe whose reading end is here. What does not come within 20 seconds throws.
class NamedPipe {
 public:
  NamedPipe() : path_(folder_.path() / "pipe") {
    if (::mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("mkfifo failed");
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }
  NamedPipe(const NamedPipe&) = delete;
  NamedPipe& operator=(const NamedPipe&) = delete;
  ~NamedPipe() { ::close(descriptor_); }

  std::string path() const { return path_.string(); }

  std::string read_line() {
    std::string line;
    for (char c = 0; read_some(&c, 1) == 1 && c != '\n';) line.push_back(c);
    return line;
  }
  // Waits until nobody has the writing end any more.
  void read_to_end() {
    char block[512];
    while (read_some(block, sizeof block) > 0) continue;
  }
  bool has_writers() {
    pollfd entry{descriptor_, POLLIN, 0};
    return ::poll(&entry, 1, 0) == 0;
  }

 private:
  ssize_t read_some(char* to, std::size_t size) {
    pollfd entry{descriptor_, POLLIN, 0};
    if (::poll(&entry, 1, 20'000) != 1) throw std::runtime_error("nothing came for 20 s");
    return ::read(descriptor_, to, size);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_;
  int descriptor_ = -1;
};

TEST(ChildProcess, BothOutputsAndTheExitStatusAreGiven) {
  const auto outcome = run(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->output.text, "out\n");
  EXPECT_EQ(outcome->error.text, "err\n");
  EXPECT_EQ(outcome->exit_status, 3);
  EXPECT_EQ(outcome->signal, 0);
  EXPECT_FALSE(outcome->timed_out);
  EXPECT_FALSE(outcome->left_behind);
  EXPECT_EQ(run(shell("exit 0"))->exit_status, 0);
}

TEST(ChildProcess, ASignalThatEndsItIsNamed) {
  const auto outcome = run(shell("kill -SEGV $$"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->signal, SIGSEGV);
  EXPECT_EQ(outcome->exit_status, 0);
  EXPECT_FALSE(outcome->timed_out);
}

TEST(ChildProcess, ArgumentsReachItAsTheyAre) {
  const auto outcome = run(shell(R"(printf '<%s>' "$@")", {"a b", "$(echo x)", "", "'\"\n*"}));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->output.text, "<a b><$(echo x)><><'\"\n*>");
}

TEST(ChildProcess, ItSeesTheGivenEnvironmentOnly) {
  ChildCommand command;
  command.arguments = {"env"};
  command.environment = {"A=1", "B=two words"};
  const auto outcome = run(command);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->output.text, "A=1\nB=two words\n");
}

TEST(ChildProcess, TheMadeEnvironmentHasNoSecretsUnlessTheyAreNamed) {
  ::setenv("TOOLGATE_TEST_SECRET", "s3cret", 1);
  ::setenv("LC_TOOLGATE_TEST", "yes", 1);
  const auto has = [](const std::vector<std::string>& environment, std::string_view entry) {
    return std::ranges::find(environment, entry) != environment.end();
  };
  const auto usual = make_child_environment();
  EXPECT_FALSE(has(usual, "TOOLGATE_TEST_SECRET=s3cret"));
  EXPECT_TRUE(has(usual, "LC_TOOLGATE_TEST=yes"));
  EXPECT_TRUE(has(usual, fmt::format("PATH={}", ::getenv("PATH"))));
  const std::vector<std::string> names{"TOOLGATE_TEST_SECRET", "TOOLGATE_TEST_UNSET"};
  const auto named = make_child_environment(names);
  EXPECT_TRUE(has(named, "TOOLGATE_TEST_SECRET=s3cret"));
  EXPECT_EQ(named.size(), usual.size() + 1);
  ::unsetenv("TOOLGATE_TEST_SECRET");
  ::unsetenv("LC_TOOLGATE_TEST");
}

TEST(ChildProcess, ItRunsInTheGivenFolder) {
  const TemporaryFolder folder;
  const auto program = folder.write("sub/program", "#!/bin/sh\npwd\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ChildCommand command;
  command.arguments = {"./program"};
  command.folder = (folder.path() / "sub").string();
  const auto outcome = run(command);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->output.text, command.folder + "\n");
}

TEST(ChildProcess, WhatCannotBeStartedIsAnErrorThatNamesIt) {
  const TemporaryFolder folder;
  const std::string plain = folder.write("plain.txt", "no program\n").string();
  const auto error_of = [](std::vector<std::string> arguments, std::string in = "") {
    ChildCommand command;
    command.arguments = std::move(arguments);
    command.folder = std::move(in);
    const auto outcome = run(std::move(command));
    return outcome ? Error{Errc::Internal, "it ran", {}} : outcome.error();
  };
  const auto missing = error_of({"/no/such/program", "x"});
  EXPECT_EQ(missing.code, Errc::Io);
  EXPECT_EQ(missing.message, "cannot run '/no/such/program': No such file or directory");
  EXPECT_EQ(missing.where, "/no/such/program");
  EXPECT_EQ(error_of({"toolgate-no-such-program"}).message,
            "cannot run 'toolgate-no-such-program': No such file or directory");
  EXPECT_EQ(error_of({plain}).message, fmt::format("cannot run '{}': Permission denied", plain));
  EXPECT_EQ(error_of({"true"}, "/no/such/folder").message,
            "cannot run 'true': there is no folder '/no/such/folder'");
  EXPECT_EQ(error_of({}).code, Errc::InvalidRequest);
  EXPECT_EQ(error_of({""}).code, Errc::InvalidRequest);
  EXPECT_EQ(error_of({"echo", std::string("a\0b", 3)}).code, Errc::InvalidRequest);
  EXPECT_FALSE(has_children());
}

TEST(ChildProcess, ItReadsItsInputToTheEnd) {
  auto command = shell("cat");
  command.input = std::string(5'000'000, 'i') + "end";
  command.output_limit = 6'000'000;
  const auto outcome = run(command);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->output.text == command.input);
  EXPECT_EQ(run(shell("cat; echo done"))->output.text, "done\n");
}

TEST(ChildProcess, InputThatIsNotReadDoesNoHarm) {
  auto command = shell("exec <&-; echo fine");
  command.input = std::string(10'000'000, 'i');
  const auto outcome = run(command);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->output.text, "fine\n");
  EXPECT_EQ(outcome->exit_status, 0);
}

TEST(ChildProcess, OutputOverTheLimitIsDroppedAndCounted) {
  auto command = shell("head -c 10000000 /dev/zero; head -c 300000 /dev/zero >&2; exit 5");
  command.output_limit = 1'000;
  command.error_limit = 0;
  const auto outcome = run(command);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->output.text, std::string(1'000, '\0'));
  EXPECT_EQ(outcome->output.dropped, 9'999'000U);
  EXPECT_EQ(outcome->error.text, "");
  EXPECT_EQ(outcome->error.dropped, 300'000U);
  EXPECT_EQ(outcome->exit_status, 5);

  command.output_limit = 10'000'000;
  const auto whole = run(command);
  EXPECT_EQ(whole->output.text.size(), 10'000'000U);
  EXPECT_EQ(whole->output.dropped, 0U);
}

TEST(ChildProcess, OneThatHasWrittenEnoughIsEnded) {
  ChildCommand command = shell("while :; do echo line; done");
  std::size_t seen = 0;
  command.wants_more = [&seen](std::string_view piece) { return (seen += piece.size()) < 100'000; };
  const auto outcome = run(std::move(command));
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->was_enough);
  EXPECT_FALSE(outcome->timed_out);
  EXPECT_GE(outcome->output.text.size(), 100'000u);
  EXPECT_FALSE(has_children());
}

TEST(ChildProcess, OneThatEndsBeforeItIsEnoughSaysSo) {
  ChildCommand command = shell("echo one; echo two >&2");
  std::string seen;
  command.wants_more = [&seen](std::string_view piece) {
    seen += piece;
    return true;
  };
  const auto outcome = run(std::move(command));
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->was_enough);
  EXPECT_EQ(seen, "one\n");
}

TEST(ChildProcess, ItHasNoDescriptorOfOurs) {
  // As Asio opens them: a new program would have it.
  const int leaking = ::socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(leaking, 0);
  const auto outcome = run(shell("ls /proc/self/fd"));
  ::close(leaking);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->output.text, "0\n1\n2\n3\n");  // ls has opened the folder as 3
}

TEST(ChildProcess, SignalsAreAsAProgramExpectsThem) {
  const auto before = std::signal(SIGUSR1, SIG_IGN);
  const auto outcome = run(shell("sed -n 's/^Sig\\(Blk\\|Ign\\):[^0-9a-f]*//p' /proc/self/status"));
  std::signal(SIGUSR1, before);
  ASSERT_TRUE(outcome);
  std::istringstream lines(outcome->output.text);
  std::uint64_t blocked = 1;
  std::uint64_t ignored = 1;
  lines >> std::hex >> blocked >> ignored;
  EXPECT_EQ(blocked, 0U);
  // 32 and 33 are the C library's own, which it ignores in what it spawns.
  EXPECT_EQ(ignored & ~0x1'8000'0000U, 0U);
}

TEST(ChildProcess, ItIsAloneInASessionOfItsOwn) {
  // Fields 5 and 6 of stat are the group and the session.
  const auto outcome =
      run(shell("read -r _ _ _ _ group session _ </proc/$$/stat; "
                "echo $((group == $$ && session == $$))"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->output.text, "1\n");
}

TEST(ChildProcess, WhenItsTimeIsOverItIsTerminated) {
  auto command = shell("echo begun; exec sleep 100");
  command.time_limit = 1ms;
  const auto outcome = run(command);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->timed_out);
  EXPECT_EQ(outcome->signal, SIGTERM);
  EXPECT_FALSE(has_children());
}

TEST(ChildProcess, OneThatIgnoresTerminationIsKilled) {
  // However slow the machine is, at some limit the program has come to ignore the signal.
  for (auto limit = 20ms;; limit *= 2) {
    auto command = shell("trap '' TERM; echo ready; exec sleep 100");
    command.time_limit = limit;
    command.grace = 20ms;
    const auto outcome = run(command);
    ASSERT_TRUE(outcome);
    ASSERT_TRUE(outcome->timed_out);
    if (!outcome->output.text.starts_with("ready")) continue;
    EXPECT_EQ(outcome->output.text, "ready\n");
    EXPECT_EQ(outcome->signal, SIGKILL);
    break;
  }
  EXPECT_FALSE(has_children());
}

TEST(ChildProcess, OneThatEndsInTimeWithinItsGraceSaysHow) {
  for (auto limit = 20ms;; limit *= 2) {
    auto command = shell(
        "steps=$(seq 10000); trap 'echo bye; exit 7' TERM; echo ready; for i in $steps; do sleep "
        "0.01; done");
    command.time_limit = limit;
    command.grace = 1h;
    const auto outcome = run(command);
    ASSERT_TRUE(outcome);
    ASSERT_TRUE(outcome->timed_out);
    if (!outcome->output.text.starts_with("ready")) continue;
    EXPECT_EQ(outcome->output.text, "ready\nbye\n");
    EXPECT_EQ(outcome->exit_status, 7);
    EXPECT_EQ(outcome->signal, 0);
    break;
  }
}

TEST(ChildProcess, ATimeLimitIsNothingToOneThatEndsBefore) {
  auto command = shell("echo quick");
  command.time_limit = 1h;
  const auto outcome = run(command);
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->timed_out);
  EXPECT_EQ(outcome->output.text, "quick\n");
}

TEST(ChildProcess, AProcessThatHoldsTheOutputDoesNotHoldUs) {
  NamedPipe pipe;
  const auto outcome =
      run(shell("sh -c 'exec 9>\"$0\"; echo $$ >&9; exec sleep 100' \"$1\" & echo mine; exit 4",
                {pipe.path()}));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->output.text, "mine\n");
  EXPECT_EQ(outcome->exit_status, 4);
  EXPECT_TRUE(outcome->left_behind);
  const pid_t left = std::atoi(pipe.read_line().c_str());
  EXPECT_TRUE(pipe.has_writers()) << "what a program leaves when it ends by itself stays";
  ASSERT_GT(left, 1);
  ::kill(left, SIGKILL);
  pipe.read_to_end();
}

TEST(ChildProcess, OneThatFloodsTheOutputItHoldsDoesNotHoldUs) {
  auto command = shell("yes & echo $! >&2");
  command.output_limit = 4;
  const auto outcome = run(command);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->left_behind);
  EXPECT_LE(outcome->output.text.size(), 4U);
  EXPECT_FALSE(outcome->error.text.empty());  // yes itself ends with the pipe
}

class Cancelled : public testing::Test {
 protected:
  // Cancels the command when a line has come through the pipe.
  Result<ChildOutcome> run_until_ready(ChildCommand command) {
    auto outcome = loop_.start(run_child(std::move(command), cancel_));
    EXPECT_EQ(pipe_.read_line(), "ready");
    loop_.call([this] { cancel_.request(CancelReason::User); });
    return get_soon(std::move(outcome));
  }

  NamedPipe pipe_;
  CancelSource cancel_;
  TestLoop loop_;
};

TEST_F(Cancelled, EndsTheProgramAndAllItStarted) {
  const auto outcome = run_until_ready(
      shell("exec 9>\"$1\"; sleep 100 & (sleep 100; true) & echo ready >&9; wait", {pipe_.path()}));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::Cancelled);
  pipe_.read_to_end();
  EXPECT_FALSE(has_children());
}

TEST_F(Cancelled, KillsWhatItStartedWhenThatIgnoresTermination) {
  auto command = shell(
      "(exec 9>\"$1\"; trap '' TERM; echo ready >&9; "
      "exec sleep 100) & wait",
      {pipe_.path()});
  command.grace = 20ms;
  EXPECT_FALSE(run_until_ready(command));
  pipe_.read_to_end();
  EXPECT_FALSE(has_children());
}

TEST_F(Cancelled, AlsoWhatHasClosedItsOutputs) {
  auto command = shell(
      "(exec 9>\"$1\" >&- 2>&-; trap '' TERM; echo ready >&9; "
      "exec sleep 100) & wait",
      {pipe_.path()});
  command.grace = 1h;
  EXPECT_FALSE(run_until_ready(command));
  pipe_.read_to_end();
}

TEST_F(Cancelled, BeforeItBeginsNothingIsStarted) {
  cancel_.request(CancelReason::ClientGone);
  const TemporaryFolder folder;
  const auto mark = folder.path() / "mark";
  const auto outcome =
      get_soon(loop_.start(run_child(shell(": >\"$1\"", {mark.string()}), cancel_)));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::Cancelled);
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST(ChildProcess, ALoopThatEndsBeforeTakesItsProgramsWithIt) {
  NamedPipe pipe;
  CancelSource cancel;
  std::string said;
  {
    auto command = shell(
        "exec 9>\"$1\"; steps=$(seq 10000); trap 'echo no >&9' TERM; echo ready >&9; "
        "for i in $steps; do sleep 0.01; done",
        {pipe.path()});
    command.grace = 1h;
    Loop loop;
    boost::asio::co_spawn(loop.context(), run_child(std::move(command), cancel),
                          [](std::exception_ptr, auto) { ADD_FAILURE() << "it ended"; });
    std::jthread reader([&] {
      said = pipe.read_line();
      loop.post([&cancel] { cancel.request(CancelReason::User); });
      said += " " + pipe.read_line();
      loop.stop();
    });
    loop.run();
  }
  EXPECT_EQ(said, "ready no");
  pipe.read_to_end();
  EXPECT_FALSE(has_children());
}

TEST(ChildProcess, ManyAtOnceLeaveNothingBehind) {
  constexpr int kCount = 200;
  const CancelSource never;
  TestLoop loop;
  get_soon(loop.start(run_child(shell("true"), never)));  // the threads that start programs exist
  const std::size_t before = open_descriptors();
  std::vector<std::future<Result<ChildOutcome>>> running;
  for (int i = 0; i < kCount; ++i) {
    auto command =
        shell("read -r line; echo \"$line\"; echo err >&2; exit \"$1\"", {std::to_string(i % 100)});
    command.input = fmt::format("line {}\n", i);
    running.push_back(loop.start(run_child(std::move(command), never)));
  }
  for (int i = 0; i < kCount; ++i) {
    const auto outcome = get_soon(std::move(running[i]));
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->output.text, fmt::format("line {}\n", i));
    EXPECT_EQ(outcome->error.text, "err\n");
    EXPECT_EQ(outcome->exit_status, i % 100);
  }
  // A task's frame is gone once the loop has come to what was posted after its end.
  loop.call([] {});
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

TEST(ChildProcess, WithoutDescriptorsToSpareItFailsAndLeavesNothing) {
  const CancelSource never;
  TestLoop loop;
  get_soon(loop.start(run_child(shell("true"), never)));
  const std::size_t before = open_descriptors();
  rlimit usual{};
  ::getrlimit(RLIMIT_NOFILE, &usual);
  // Room for ever more of what it needs, until it has enough.
  bool ran = false;
  for (rlim_t room = 0; !ran && room < 20; ++room) {
    const rlimit tight{before + room, usual.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &tight);
    const auto outcome = get_soon(loop.start(run_child(shell("true"), never)));
    ::setrlimit(RLIMIT_NOFILE, &usual);
    if (!outcome) EXPECT_EQ(outcome.error().code, Errc::Io);
    ran = outcome.has_value();
    if (room == 0) EXPECT_FALSE(ran);
  }
  EXPECT_TRUE(ran);
  loop.call([] {});
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

}  // namespace
}  // namespace toolgate
