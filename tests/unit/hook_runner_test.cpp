// Hooks that are real programs, a few words of shell each, and endpoints that the test plays.
#include "hosts/hook_runner.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "base/json.h"
#include "hosts/hook_message.h"
#include "net/http_client.h"
#include "raw_socket.h"
#include "temporary_folder.h"
#include "test_loop.h"

namespace toolgate {
namespace {

using namespace std::chrono_literals;
using Kind = HookVerdict::Kind;
using OnFailure = Hook::OnFailure;

Hook shell(std::string name, std::string script, OnFailure on_failure = OnFailure::Ask) {
  Hook hook;
  hook.name = std::move(name);
  hook.command = {"/bin/sh", "-c", std::move(script)};
  hook.timeout = 1h;
  hook.on_failure = on_failure;
  return hook;
}

// A program that says this.
Hook says(std::string name, std::string_view answer, OnFailure on_failure = OnFailure::Ask) {
  Hook hook = shell(std::move(name), R"(printf '%s' "$1")", on_failure);
  hook.command.insert(hook.command.end(), {"sh", std::string(answer)});
  return hook;
}

Hook endpoint(std::string name, std::string url, OnFailure on_failure = OnFailure::Ask) {
  Hook hook;
  hook.name = std::move(name);
  hook.url = std::move(url);
  hook.timeout = 1h;
  hook.on_failure = on_failure;
  return hook;
}

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

HookCall some_call() {
  return {.tool_id = "copilot_readFile",
          .tool_reference_name = "readFile",
          .source = "internal",
          .arguments = R"({"path":"/a","size":12345678901234567890,"ratio":0.70})",
          .session_id = "session-1",
          .request_id = "request-1",
          .call_id = "call-1",
          .caller = "key:ci",
          .workspace = "/work"};
}

class HookRunnerTest : public testing::Test {
 protected:
  ~HookRunnerTest() override {
    loop_.call([this] {
      runner_.reset();
      client_.reset();
    });
  }

  std::future<BeforeHooks> start_before(std::vector<Hook> hooks, HookCall call = some_call()) {
    runner_.emplace(HookSettings{.before = std::move(hooks), .after = {}}, *client_);
    return loop_.start(runner_->before(std::move(call), cancel_));
  }
  BeforeHooks before(std::vector<Hook> hooks, HookCall call = some_call()) {
    return get_soon(start_before(std::move(hooks), std::move(call)));
  }
  AfterHooks after(std::vector<Hook> hooks, std::string result = R"([{"text":"done"}])") {
    runner_.emplace(HookSettings{.before = {}, .after = std::move(hooks)}, *client_);
    return get_soon(loop_.start(runner_->after(some_call(), std::move(result), cancel_)));
  }

  // What a hook that says this means before a call.
  HookVerdict verdict_of(std::string_view answer) { return before({says("h", answer)}).verdict; }

  TemporaryFolder folder_;
  CancelSource cancel_;
  TestLoop loop_;
  std::optional<HttpClient> client_{std::in_place, loop_.loop()};
  std::optional<HookRunner> runner_;
};

TEST_F(HookRunnerTest, TheMessageHasTheCallAsItIs) {
  const auto file = folder_.path() / "message";
  before({shell("h", "cat >'" + file.string() + "'")});
  EXPECT_EQ(read_file(file),
            R"({"hook":"before","tool":{"id":"copilot_readFile","referenceName":"readFile",)"
            R"("source":"internal"},"arguments":{"path":"/a","size":12345678901234567890,)"
            R"("ratio":0.70},"session_id":"session-1","request_id":"request-1",)"
            R"("call_id":"call-1","caller":"key:ci","workspace":"/work"})");
  after({shell("h", "cat >'" + file.string() + "'")}, R"({"content":["x"]})");
  const auto told = parse_json(read_file(file));
  ASSERT_TRUE(told);
  EXPECT_EQ(*find(*told, "hook"), "after");
  EXPECT_EQ(write_json(*find(*told, "result")), R"({"content":["x"]})");
}

TEST(HookMessage, TextThatIsNoJsonCannotAddMembers) {
  HookCall call = some_call();
  call.arguments = R"({}, "caller":"admin")";
  call.session_id = "a\"b\x80";
  const auto message = parse_json(write_hook_message(HookMoment::After, call, R"(1}, {"x":2)"));
  ASSERT_TRUE(message) << message.error().message;
  EXPECT_EQ(*find(*message, "caller"), "key:ci");
  EXPECT_EQ(*find(*message, "arguments"), call.arguments.c_str());
  EXPECT_EQ(*find(*message, "session_id"), "a\"b\xEF\xBF\xBD");
  EXPECT_EQ(*find(*message, "result"), R"(1}, {"x":2)");
}

TEST(HookMessage, OfMembersWithOneNameTheOneThatTheToolGetsIsShown) {
  HookCall call = some_call();
  call.arguments = R"({"path":"/harmless","path":"/etc/shadow"})";
  EXPECT_TRUE(write_hook_message(HookMoment::Before, call)
                  .contains(R"("arguments":{"path":"/etc/shadow"},)"));
}

TEST_F(HookRunnerTest, NothingIsSaidByNoHooksAndBySilentOnes) {
  EXPECT_EQ(before({}).verdict.kind, Kind::Nothing);
  for (const std::string_view silence : {"", " \n\t", "{}", R"({"decision":null})"}) {
    const auto all = before({says("h", silence)});
    EXPECT_EQ(all.verdict.kind, Kind::Nothing) << silence;
    EXPECT_TRUE(all.problems.empty()) << silence;
    EXPECT_FALSE(all.updated_input) << silence;
  }
}

TEST_F(HookRunnerTest, AnAnswerDecides) {
  const auto ask = verdict_of(R"({"decision":"ask","reason":"big"})");
  EXPECT_EQ(ask.kind, Kind::Ask);
  EXPECT_EQ(ask.reason, "big");
  EXPECT_EQ(ask.hook, "h");
  EXPECT_EQ(verdict_of(R"({"decision":"allow"})").kind, Kind::Allow);
  EXPECT_EQ(verdict_of(R"({"decision":"approve"})").kind, Kind::Allow);
  EXPECT_EQ(verdict_of(R"({"decision":"block","reason":"no"})").kind, Kind::Deny);
  const auto deny = verdict_of(R"({"decision":"deny"})");
  EXPECT_EQ(deny.kind, Kind::Deny);
  EXPECT_EQ(deny.reason, "The hook 'h' denied this call.");
}

TEST_F(HookRunnerTest, AnswersInTheFormOfEditorsAreUnderstood) {
  const auto all = before({says("h", R"({"hookSpecificOutput":{"hookEventName":"PreToolUse",
      "permissionDecision":"deny","permissionDecisionReason":"not here",
      "updatedInput":{"path":"/b"}}})")});
  EXPECT_EQ(all.verdict.kind, Kind::Deny);
  EXPECT_EQ(all.verdict.reason, "not here");

  const auto both = verdict_of(R"({"decision":"deny","reason":"first",
      "hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":"second"}})");
  EXPECT_EQ(both.kind, Kind::Deny);
  EXPECT_EQ(both.reason, "first");
}

TEST_F(HookRunnerTest, ExitStatusTwoDeniesWithWhatWasWritten) {
  const auto all = before({shell("h", R"(echo '{"decision":"allow"}'; echo ' not on Fridays ' >&2
                                         exit 2)")});
  EXPECT_EQ(all.verdict.kind, Kind::Deny);
  EXPECT_EQ(all.verdict.reason, "not on Fridays");
  EXPECT_TRUE(all.problems.empty());
  EXPECT_EQ(before({shell("h", "exit 2")}).verdict.reason, "The hook 'h' denied this call.");

  const auto withheld = after({shell("h", "echo 'has a password' >&2; exit 2")});
  EXPECT_TRUE(withheld.withhold);
  EXPECT_EQ(withheld.reason, "has a password");
}

TEST_F(HookRunnerTest, AReasonIsCutAtAWholeCharacter) {
  // 16 KiB in three-byte characters end within one.
  const auto all =
      before({shell("h",
                    "i=0; while [ $i -lt 600 ]; do printf '%s' '€€€€€€€€€€' >&2; i=$((i+1)); done; "
                    "exit 2")});
  EXPECT_EQ(all.verdict.reason.size(), 16'384U / 3 * 3);
  EXPECT_TRUE(all.verdict.reason.ends_with("€"));
}

TEST_F(HookRunnerTest, EachHookSeesTheInputOfThoseBefore) {
  const auto file = folder_.path() / "message";
  const auto all = before({
      says("one", R"({"updatedInput":{"path":"/b","n":1.50}})"),
      shell("two", "cat >'" + file.string() + R"('; echo '{"updatedInput":null}')"),
      says("three", R"({"decision":"allow","hookSpecificOutput":{"updatedInput":{"path":"/c"}}})"),
  });
  const auto told = parse_json(read_file(file));
  ASSERT_TRUE(told);
  EXPECT_EQ(write_json(*find(*told, "arguments")), R"({"path":"/b","n":1.5})");
  EXPECT_EQ(all.updated_input, R"({"path":"/c"})");
  EXPECT_EQ(all.verdict.kind, Kind::Allow);
}

TEST_F(HookRunnerTest, AChangedInputKeepsItsNumbersAsWritten) {
  const auto all =
      before({says("h", R"({"updatedInput": {"a": 1.50, "b": 12345678901234567890}})")});
  EXPECT_EQ(all.updated_input, R"({"a":1.50,"b":12345678901234567890})");
}

TEST_F(HookRunnerTest, TheStrictestCounts) {
  const auto allow = says("allows", R"({"decision":"allow","reason":"a"})");
  const auto ask = says("asks", R"({"decision":"ask","reason":"b"})");
  const auto other = says("other", R"({"decision":"ask","reason":"c"})");
  for (const auto& hooks :
       {std::vector{allow, ask, other}, std::vector{ask, allow, other}, std::vector{ask, other}}) {
    const auto verdict = before(hooks).verdict;
    EXPECT_EQ(verdict.kind, Kind::Ask);
    EXPECT_EQ(verdict.hook, "asks");
    EXPECT_EQ(verdict.reason, "b");
  }
}

TEST_F(HookRunnerTest, ADenialIsTheLastWord) {
  const auto file = folder_.path() / "ran";
  const auto all = before({says("asks", R"({"decision":"ask"})"),
                           says("denies", R"({"decision":"deny","updatedInput":{"x":1}})"),
                           shell("late", ": >'" + file.string() + "'")});
  EXPECT_EQ(all.verdict.kind, Kind::Deny);
  EXPECT_EQ(all.verdict.hook, "denies");
  EXPECT_FALSE(all.updated_input);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(HookRunnerTest, OnlyHooksOfTheToolAreAsked) {
  const auto kind_with = [this](std::vector<std::string> tools,
                                std::string reference = "readFile") {
    auto hook = says("h", R"({"decision":"ask"})");
    hook.tools = std::move(tools);
    auto call = some_call();
    call.tool_reference_name = std::move(reference);
    return before({hook}, call).verdict.kind;
  };
  EXPECT_EQ(kind_with({"copilot_*"}), Kind::Ask);
  EXPECT_EQ(kind_with({"nothing", "readF?le"}), Kind::Ask);
  EXPECT_EQ(kind_with({"readfile", "copilot"}), Kind::Nothing);
  EXPECT_EQ(kind_with({""}, ""), Kind::Nothing);

  auto hook = says("h", R"({"decision":"block"})");
  hook.tools = {"other*"};
  EXPECT_FALSE(after({hook}).withhold);
}

struct Failing {
  Hook hook;
  std::string problem;
};

std::vector<Failing> failing_hooks() {
  auto missing = shell("h", "");
  missing.command = {"/no/such/hook"};
  auto slow = shell("h", "exec sleep 100");
  slow.timeout = 10ms;
  auto both = shell("h", "");
  both.url = "http://127.0.0.1:1/";
  return {
      {missing, "could not be run: cannot run '/no/such/hook': No such file or directory"},
      {slow, "did not answer within 0.01 s"},
      {both, "must have a command or a URL, and not both"},
      {endpoint("h", "http://user@host/"),
       "must have a usable URL: it must not contain a user name or password (@)"},
      {shell("h", "echo oops >&2; exit 1"), "ended with status 1: oops"},
      {shell("h", R"(echo '{"decision":"allow"}'; exit 3)"), "ended with status 3"},
      {shell("h", "kill -KILL $$"), "was ended by signal 9"},
      {shell("h", "head -c 1048577 /dev/zero | tr '\\0' ' '"),
       "answered with more than 1048576 bytes"},
      {says("h", "[]"), "answered with JSON that is no object"},
      {says("h", R"({"decision":"maybe"})"),
       "answered with a 'decision' that is not known before a call: 'maybe'"},
      {says("h", R"({"decision":1})"), "answered with a 'decision' that is no string"},
      {says("h", R"({"decision":"ask","reason":{}})"),
       "answered with a 'reason' that is no string"},
      {says("h", R"({"updatedInput":"{}"})"), "answered with an 'updatedInput' that is no object"},
      {says("h", R"({"hookSpecificOutput":[]})"),
       "answered with a 'hookSpecificOutput' that is no object"},
      {says("h", R"({"decision":"allow","hookSpecificOutput":{"permissionDecision":"?"}})"),
       "answered with a 'permissionDecision' that is not known before a call: '?'"},
  };
}

TEST_F(HookRunnerTest, AFailureIsNamedAndCountsAsTheHookSays) {
  for (auto& [hook, problem] : failing_hooks()) {
    const std::string words = fmt::format("The hook 'h' failed: it {}.", problem);
    const std::vector<std::string> noted{words};
    hook.on_failure = OnFailure::Ask;
    const auto asked = before({hook});
    EXPECT_EQ(asked.problems, noted);
    EXPECT_EQ(asked.verdict.kind, Kind::Ask) << problem;
    EXPECT_EQ(asked.verdict.reason, words);
    EXPECT_EQ(asked.verdict.hook, "h");

    const auto file = folder_.path() / "ran";
    const auto mark = shell("mark", ": >'" + file.string() + "'");
    hook.on_failure = OnFailure::Deny;
    const auto denied = before({hook, mark});
    EXPECT_EQ(denied.problems, noted);
    EXPECT_EQ(denied.verdict.kind, Kind::Deny) << problem;
    EXPECT_EQ(denied.verdict.reason, words);
    EXPECT_FALSE(std::filesystem::exists(file));

    hook.on_failure = OnFailure::Ignore;
    const auto ignored = before({hook, mark});
    EXPECT_EQ(ignored.problems, noted);
    EXPECT_EQ(ignored.verdict.kind, Kind::Nothing) << problem;
    EXPECT_FALSE(ignored.updated_input);
    EXPECT_TRUE(std::filesystem::remove(file)) << problem;
  }
}

TEST_F(HookRunnerTest, AnAnswerThatIsNoJsonIsAFailure) {
  for (const std::string_view answer :
       {"fine", "{\"decision\":\"allow\"", "{} {}", "{\"a\":\"\x80\"}"}) {
    const auto all = before({says("h", answer)});
    EXPECT_EQ(all.verdict.kind, Kind::Ask) << answer;
    ASSERT_EQ(all.problems.size(), 1U) << answer;
    EXPECT_TRUE(
        all.problems[0].starts_with("The hook 'h' failed: it answered with what is not JSON"))
        << all.problems[0];
  }
}

TEST_F(HookRunnerTest, AfterACallHooksWithholdOrAdd) {
  const auto added = after(
      {says("one", R"({"additionalContext":"first"})"), says("two", R"({"decision":"allow"})"),
       says("three", R"({"hookSpecificOutput":{"additionalContext":"last"}})")});
  EXPECT_FALSE(added.withhold);
  EXPECT_EQ(added.added_text, "first\nlast");
  EXPECT_TRUE(added.problems.empty());

  const auto file = folder_.path() / "ran";
  const auto withheld = after({says("one", R"({"decision":"block","reason":"secret"})"),
                               shell("late", ": >'" + file.string() + "'")});
  EXPECT_TRUE(withheld.withhold);
  EXPECT_EQ(withheld.reason, "secret");
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(after({says("h", R"({"decision":"block"})")}).reason,
            "The hook 'h' withholds the result.");
}

TEST_F(HookRunnerTest, AfterACallAFailureWithholdsUnlessItIsIgnored) {
  const std::string words =
      "The hook 'h' failed: it answered with a 'decision' that is not known after a call: 'ask'.";
  const std::string answer = R"({"decision":"ask"})";
  for (const auto on_failure : {OnFailure::Ask, OnFailure::Deny}) {
    const auto all = after({says("h", answer, on_failure)});
    EXPECT_TRUE(all.withhold);
    EXPECT_EQ(all.reason, words);
    EXPECT_EQ(all.problems, std::vector{words});
  }
  const auto all = after({says("h", answer, OnFailure::Ignore)});
  EXPECT_FALSE(all.withhold);
  EXPECT_EQ(all.problems, std::vector{words});
}

TEST_F(HookRunnerTest, AProgramSeesNoVariablesButTheUsualAndTheNamed) {
  ::setenv("TOOLGATE_TEST_SECRET", "s3cret", 1);
  ::setenv("TOOLGATE_TEST_NAMED", "named", 1);
  auto hook = shell("h", "echo \"[$TOOLGATE_TEST_SECRET][$TOOLGATE_TEST_NAMED]\" >&2; exit 2");
  hook.environment = {"TOOLGATE_TEST_NAMED"};
  EXPECT_EQ(before({hook}).verdict.reason, "[][named]");
  ::unsetenv("TOOLGATE_TEST_SECRET");
  ::unsetenv("TOOLGATE_TEST_NAMED");
}

TEST_F(HookRunnerTest, ACancelledCallIsDeniedAndItsHookEnded) {
  RawListener listener;
  auto all = start_before({endpoint("h", fmt::format("http://127.0.0.1:{}/", listener.port())),
                           says("late", R"({"decision":"allow"})")});
  auto peer = listener.accept();
  peer.receive_head();
  loop_.call([this] { cancel_.request(CancelReason::User); });
  const auto got = get_soon(std::move(all));
  EXPECT_EQ(got.verdict.kind, Kind::Deny);
  EXPECT_EQ(got.verdict.hook, "h");
  EXPECT_TRUE(got.problems.empty());
  // The next calls of the same request are over before they begin.
  const auto late = before({says("late", R"({"decision":"allow"})", OnFailure::Ignore)});
  EXPECT_EQ(late.verdict.kind, Kind::Deny);
  EXPECT_TRUE(late.problems.empty());
}

class HookEndpoint : public HookRunnerTest {
 protected:
  std::string url(std::string_view path = "/hook") const {
    return fmt::format("http://127.0.0.1:{}{}", listener_.port(), path);
  }

  // What comes of an endpoint that answers with these bytes and closes.
  BeforeHooks answered_with(std::string_view bytes, OnFailure on_failure = OnFailure::Ask) {
    auto all = start_before({endpoint("web", url(), on_failure)});
    auto peer = listener_.accept();
    peer.receive_head();
    peer.send(bytes);
    peer.close();
    return get_soon(std::move(all));
  }

  static std::string sized(std::string_view body, std::string_view status = "200 OK") {
    return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body);
  }

  RawListener listener_;
};

TEST_F(HookEndpoint, GetsTheMessageAndDecides) {
  auto all = start_before({endpoint("web", url("/my/hook/"))});
  auto peer = listener_.accept();
  const std::string message = write_hook_message(HookMoment::Before, some_call());
  EXPECT_EQ(peer.receive_head(),
            fmt::format("POST /my/hook/ HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUser-Agent: toolgate\r\n"
                        "Content-Type: application/json\r\nAccept: application/json\r\n"
                        "Content-Length: {}\r\n\r\n",
                        listener_.port(), message.size()));
  EXPECT_EQ(peer.receive(message.size()), message);
  peer.send(sized(R"({"decision":"deny","reason":"closed"})"));
  const auto got = get_soon(std::move(all));
  EXPECT_EQ(got.verdict.kind, Kind::Deny);
  EXPECT_EQ(got.verdict.reason, "closed");
  EXPECT_EQ(got.verdict.hook, "web");
}

TEST_F(HookEndpoint, AnUrlWithoutPathIsTheRoot) {
  auto all = start_before({endpoint("web", url(""))});
  auto peer = listener_.accept();
  EXPECT_TRUE(peer.receive_head().starts_with("POST / HTTP/1.1\r\n"));
  peer.send("HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(get_soon(std::move(all)).verdict.kind, Kind::Nothing);
}

TEST_F(HookEndpoint, EveryStatusOfSuccessIsAnAnswer) {
  EXPECT_EQ(answered_with(sized(R"({"decision":"allow"})", "201 Created")).verdict.kind,
            Kind::Allow);
  EXPECT_EQ(answered_with(sized("")).verdict.kind, Kind::Nothing);
  const auto changed = answered_with(sized(R"({"updatedInput":{"a":1}})"));
  EXPECT_EQ(changed.updated_input, R"({"a":1})");
}

TEST_F(HookEndpoint, AnyOtherStatusIsAFailure) {
  for (const std::string_view status : {"500 No", "302 Found", "404 Not Found"}) {
    const auto all = answered_with(sized(R"({"decision":"allow"})", status));
    EXPECT_EQ(all.verdict.kind, Kind::Ask);
    EXPECT_EQ(all.verdict.reason,
              fmt::format("The hook 'web' failed: it answered with HTTP status {}.",
                          status.substr(0, 3)));
  }
}

TEST_F(HookEndpoint, AnAnswerThatIsTooLongOrBrokenIsAFailure) {
  const auto problem_of = [this](std::string_view bytes) {
    const auto all = answered_with(bytes, OnFailure::Ignore);
    return all.problems.size() == 1 ? all.problems[0] : "none";
  };
  EXPECT_EQ(problem_of(sized(std::string((1 << 20) + 1, ' '))),
            "The hook 'web' failed: it answered with more than 1048576 bytes.");
  EXPECT_EQ(problem_of(sized(std::string(1 << 20, ' '))), "none");
  EXPECT_TRUE(problem_of("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}")
                  .starts_with("The hook 'web' failed: it broke off its answer: "));
  EXPECT_TRUE(
      problem_of("nonsense\r\n\r\n").starts_with("The hook 'web' failed: it could not be asked: "));
}

TEST_F(HookEndpoint, ItsTimeLimitCountsForTheWholeExchange) {
  auto hook = endpoint("web", url());
  hook.timeout = 10ms;
  auto all = start_before({hook});
  auto peer = listener_.accept();
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{");
  const auto got = get_soon(std::move(all));
  EXPECT_EQ(got.verdict.kind, Kind::Ask);
  EXPECT_EQ(got.verdict.reason, "The hook 'web' failed: it did not answer within 0.01 s.");
}

TEST_F(HookEndpoint, OneThatCannotBeReachedIsAFailure) {
  listener_.close();
  const auto all = before({endpoint("web", url(), OnFailure::Deny)});
  EXPECT_EQ(all.verdict.kind, Kind::Deny);
  EXPECT_TRUE(all.verdict.reason.starts_with("The hook 'web' failed: it could not be asked: "))
      << all.verdict.reason;
}

TEST(HookSettings, WhatCannotRunIsRefusedWithAReason) {
  const auto reason = [](const Hook& hook) {
    const auto checked = check_hook(hook);
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(reason(shell("h", "true")), "");
  EXPECT_EQ(reason(endpoint("h", "https://hooks.example/x")), "");
  EXPECT_EQ(reason(Hook{}), "must have a command or a URL, and not both");
  auto hook = shell("h", "true");
  hook.timeout = 0ms;
  EXPECT_EQ(reason(hook), "must have a time limit above 0");
  hook = shell("h", "true");
  hook.command[0].clear();
  EXPECT_EQ(reason(hook), "must have a command that begins with a program");
  EXPECT_EQ(reason(endpoint("h", "ftp://x")),
            "must have a usable URL: it must begin with http:// or https://");
}

}  // namespace
}  // namespace toolgate
