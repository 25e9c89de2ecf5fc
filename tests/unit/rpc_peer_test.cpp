// Programs that speak JSON-RPC, or badly: a few words of shell that print frames.
#include "net/rpc_peer.h"

#include <csignal>
#include <sys/wait.h>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <gtest/gtest.h>

#include "test_loop.h"

namespace toolgate {
namespace {

using namespace std::chrono_literals;

bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

ChildCommand shell(std::string script) {
  ChildCommand command;
  command.arguments = {
      "/bin/sh", "-c",
      // say TEXT: one message
      "say() { printf 'Content-Length: %d\\r\\n\\r\\n%s' ${#1} \"$1\"; }; " + std::move(script)};
  command.environment = make_child_environment();
  command.error_limit = 100;
  return command;
}

struct Outcome {
  std::vector<Result<json::value>> answers;
  std::vector<std::string> notifications;
  std::string ending;
};

class RpcPeerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { std::signal(SIGPIPE, SIG_IGN); }

  // Runs the program and makes the calls one after the other, then ends it.
  Outcome talk(std::string script, std::vector<std::string> calls,
               std::chrono::milliseconds limit = 10s, RpcLimits limits = {}) {
    TestLoop loop;
    return get_soon(
        loop.start(talk_there(shell(std::move(script)), std::move(calls), limit, limits)));
  }

  Task<Outcome> talk_there(ChildCommand command, std::vector<std::string> calls,
                           std::chrono::milliseconds limit, RpcLimits limits) {
    using namespace boost::asio::experimental::awaitable_operators;
    Outcome outcome;
    auto pipes = co_await ChildPipes::start(std::move(command), cancel_);
    if (!pipes) {
      outcome.ending = pipes.error().message;
      co_return outcome;
    }
    RpcHandlers handlers;
    handlers.request = [](const std::string& method, const json::value&) -> Result<json::value> {
      if (method == "known") return json::value("yes");
      return fail(Errc::NotFound, "unknown");
    };
    handlers.notification = [&outcome](const std::string& method, const json::value&) {
      outcome.notifications.push_back(method);
    };
    RpcPeer peer(std::move(*pipes), std::move(handlers), limits);
    const auto calling = [&]() -> Task<> {
      for (const std::string& method : calls)
        outcome.answers.push_back(co_await peer.call(method, nullptr, limit, cancel_));
      peer.end(0ms);
    };
    co_await (peer.run() && calling());
    outcome.ending = peer.ending();
    co_return outcome;
  }

  CancelSource cancel_;
};

TEST_F(RpcPeerTest, AnswersReachTheirCalls) {
  const auto outcome = talk(
      R"(say '{"method":"hello"}'; say '{"id":99,"result":"lie"}'; say '{"id":"1","result":"lie"}'
         say '{"id":2,"error":{"message":"no"}}'; say '{"id":1,"result":[1]}'; cat >/dev/null)",
      {"one"});
  ASSERT_EQ(outcome.answers.size(), 1u);
  ASSERT_TRUE(outcome.answers[0]) << outcome.answers[0].error().message;
  EXPECT_EQ(write_json(*outcome.answers[0]), "[1]");
  EXPECT_EQ(outcome.notifications, std::vector<std::string>{"hello"});
  EXPECT_FALSE(has_children());
}

TEST_F(RpcPeerTest, AnErrorIsItsWords) {
  const auto outcome = talk(
      R"(say '{"id":1,"error":{"code":1,"message":"not here"}}'; say '{"id":2,"error":7}'; cat >/dev/null)",
      {"one", "two"});
  ASSERT_EQ(outcome.answers.size(), 2u);
  EXPECT_EQ(outcome.answers[0].error().code, Errc::InvalidRequest);
  EXPECT_EQ(outcome.answers[0].error().message, "not here");
  EXPECT_FALSE(outcome.answers[1]);
}

// The program prints on its standard error what it is sent.
TEST_F(RpcPeerTest, ItsOwnRequestsAreAnswered) {
  auto outcome = talk(
      R"(say '{"id":"q","method":"known"}'; say '{"id":8,"method":"other"}'; head -c 300 >&2; exit 3)",
      {"a-method-with-a-name-that-is-long-enough-to-fill-what-is-read-before-it-ends-"
       "aaaaaaaaaaaaaaaa"});
  EXPECT_FALSE(outcome.answers[0]);
  EXPECT_TRUE(outcome.ending.starts_with("ended with status 3: ")) << outcome.ending;
  EXPECT_TRUE(outcome.ending.contains(R"("result":"yes")")) << outcome.ending;
  EXPECT_TRUE(outcome.ending.contains(R"("id":8,"error":{"code":-32601)")) << outcome.ending;
}

TEST_F(RpcPeerTest, OneThatNeverAnswersIsNotWaitedForLonger) {
  const auto outcome = talk("cat >/dev/null", {"one"}, 20ms);
  ASSERT_FALSE(outcome.answers[0]);
  EXPECT_EQ(outcome.answers[0].error().code, Errc::UpstreamTimeout);
  EXPECT_EQ(outcome.answers[0].error().message, "no answer to one within 0.02 s");
}

TEST_F(RpcPeerTest, ItsEndFailsWhatWaitsAndWhatComes) {
  for (const char* script : {"echo oops >&2; exit 4",
                             "printf 'Content-Length: 50\\r\\n\\r\\n{'; echo oops >&2; exit 4"}) {
    const auto outcome = talk(script, {"one", "two"});
    for (const auto& answer : outcome.answers) {
      ASSERT_FALSE(answer);
      EXPECT_EQ(answer.error().code, Errc::UpstreamBroken);
      EXPECT_EQ(answer.error().message, "ended with status 4: oops\n");
    }
  }
  EXPECT_FALSE(has_children());
}

TEST_F(RpcPeerTest, OneThatBreaksTheProtocolIsEnded) {
  EXPECT_EQ(
      talk("echo 'hello'; echo; printf '\\r\\n\\r\\n'; exec sleep 100", {"one"}).ending,
      "was ended because it broke the protocol: a message's header has a line without a colon");
  EXPECT_EQ(talk("say '[]'; exec sleep 100", {"one"}).ending,
            "was ended because it broke the protocol: a message is no JSON object");
  EXPECT_EQ(
      talk("printf 'Content-Length: 999999999999\\r\\n\\r\\n'; exec sleep 100", {"one"}).ending,
      "was ended because it broke the protocol: a message of 999999999999 bytes is over the "
      "limit of 16777216");
  EXPECT_FALSE(has_children());
}

TEST_F(RpcPeerTest, OneThatFloodsIsEnded) {
  EXPECT_EQ(
      talk(R"(while :; do say '{"method":"noise"}'; done)", {"one"}, 10s, {.unasked_bytes = 10'000})
          .ending,
      "was ended because it flooded us with messages that nobody asked for");
}

TEST_F(RpcPeerTest, OneThatDoesNotReadIsEnded) {
  EXPECT_EQ(
      talk("exec sleep 100", {std::string(200'000, 'x'), "y"}, 20ms, {.queued_bytes = 100'000})
          .ending,
      "was ended because it did not read what it was sent");
}

TEST_F(RpcPeerTest, WhatIgnoresTheEndIsKilledWithAllItStarted) {
  const auto outcome = talk(
      R"(trap '' TERM; sleep 100 & say '{"id":1,"result":0}'; while :; do sleep 1; done)", {"one"});
  EXPECT_TRUE(outcome.answers[0]);
  EXPECT_EQ(outcome.ending, "was ended by signal 9");
  EXPECT_FALSE(has_children());
}

TEST_F(RpcPeerTest, OneThatClosesItsOutputIsEnded) {
  EXPECT_EQ(talk("exec >&-; trap '' TERM; while :; do sleep 1; done", {"one"}).ending,
            "was ended by signal 9");
}

TEST_F(RpcPeerTest, AnotherSessionThatHoldsThePipesIsNotWaitedFor) {
  const auto outcome = talk("setsid sleep 2 & exit 5", {"one"});
  EXPECT_EQ(outcome.ending, "ended with status 5");
}

TEST_F(RpcPeerTest, ACancelledCallIsTakenBack) {
  TestLoop loop;
  auto outcome = loop.start(talk_there(shell("head -c 130 >&2; exit 1"), {"one"}, 10s, {}));
  loop.call([this] { cancel_.request(CancelReason::User); });
  const auto ended = get_soon(std::move(outcome));
  if (ended.answers.empty()) {
    EXPECT_EQ(ended.ending, "the request was cancelled");  // before it was started
  } else {
    EXPECT_EQ(ended.answers[0].error().code, Errc::Cancelled);
  }
}

TEST_F(RpcPeerTest, WhatCannotBeStartedIsSaid) {
  TestLoop loop;
  ChildCommand command;
  command.arguments = {"/no/such/server"};
  EXPECT_EQ(get_soon(loop.start(talk_there(command, {}, 1s, {}))).ending,
            "cannot run '/no/such/server': No such file or directory");
}

}  // namespace
}  // namespace toolgate
