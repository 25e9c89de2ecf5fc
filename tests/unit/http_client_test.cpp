// HttpClient against an upstream that the test plays by hand.
#include "net/http_client.h"

#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "raw_socket.h"
#include "test_client.h"

namespace toolgate {
namespace {

using namespace std::chrono_literals;

std::string url(const RawListener& listener) {
  return fmt::format("http://127.0.0.1:{}/v1", listener.port());
}

std::string sized(std::string_view body, std::string_view fields = "") {
  return fmt::format("HTTP/1.1 200 OK\r\n{}Content-Length: {}\r\n\r\n{}", fields, body.size(),
                     body);
}

// One request that must succeed, answered on `peer`.
void exchange(TestClient& client, RawSocket& peer) {
  auto answer = client.send();
  peer.receive_head();
  peer.send(sized("ok"));
  EXPECT_EQ(get_soon(std::move(answer)).body, "ok");
}

// What the client makes of an answer after which the upstream closes.
ClientAnswer answer_to(std::string_view bytes, std::string method = "POST") {
  RawListener listener;
  TestClient client(url(listener));
  auto answer = client.send({}, std::move(method));
  auto peer = listener.accept();
  peer.receive_head();
  peer.send(bytes);
  peer.close();
  return get_soon(std::move(answer));
}

TEST(HttpClient, SendsHeadAndBodyAsGiven) {
  RawListener listener;
  TestClient client(url(listener));
  const std::string body(3'000'000, 'b');
  auto answer = client.send(body);
  auto peer = listener.accept();
  EXPECT_EQ(peer.receive_head(), fmt::format("POST /v1/x HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n"
                                             "Content-Length: 3000000\r\n\r\n",
                                             listener.port()));
  EXPECT_TRUE(peer.receive(body.size()) == body);
  peer.send(sized("fine"));
  const auto got = get_soon(std::move(answer));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "fine");
}

TEST(HttpClient, ReadsEveryFraming) {
  EXPECT_EQ(answer_to(sized("abc")).body, "abc");
  EXPECT_EQ(answer_to("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "3\r\nabc\r\n2\r\nde\r\n0\r\nT: u\r\n\r\n")
                .body,
            "abcde");
  EXPECT_EQ(answer_to("HTTP/1.1 200 OK\r\n\r\nuntil the end").body, "until the end");
  EXPECT_EQ(answer_to("HTTP/1.0 200 OK\r\n\r\n").body, "");
  EXPECT_EQ(answer_to(sized("")).body, "");

  const auto none = answer_to("HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(none.status, 204);
  EXPECT_FALSE(none.error);
  const auto unchanged = answer_to("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n");
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_FALSE(unchanged.error);
  const auto head = answer_to("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "HEAD");
  EXPECT_FALSE(head.error);
  EXPECT_EQ(head.body, "");
}

TEST(HttpClient, AnAnswerMayComeByteByByte) {
  for (const std::string& bytes :
       {sized("abc"), std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                  "1\r\na\r\n2;x\r\nbc\r\n0\r\n\r\n")}) {
    RawListener listener;
    TestClient client(url(listener));
    auto answer = client.send();
    auto peer = listener.accept();
    peer.receive_head();
    for (const char& c : bytes) peer.send({&c, 1});
    EXPECT_EQ(get_soon(std::move(answer)).body, "abc");
  }
}

TEST(HttpClient, InterimAnswersArePassedOver) {
  const auto got = answer_to(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" + sized("abc"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "abc");
}

TEST(HttpClient, AnAnswerCutShortIsAnError) {
  for (const std::string_view bytes :
       {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    const auto got = answer_to(bytes);
    ASSERT_TRUE(got.error) << bytes;
    EXPECT_EQ(got.error->code, Errc::UpstreamBroken) << bytes;
  }
}

TEST(HttpClient, WhatIsNotHttpIsAnErrorAndNotRetried) {
  for (const std::string& bytes :
       {std::string("SSH-2.0-OpenSSH_9.2\r\n\r\n"), std::string("HTTP/1.1 2000 OK\r\n\r\n"),
        "HTTP/1.1 200 OK\r\nX: " + std::string(300'000, 'x'),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx")}) {
    RawListener listener;
    TestClient client(url(listener));
    auto answer = client.send();
    auto peer = listener.accept();
    peer.receive_head();
    peer.send(bytes);
    const auto got = get_soon(std::move(answer));
    ASSERT_TRUE(got.error) << bytes;
    EXPECT_EQ(got.error->code, Errc::UpstreamBroken);
    EXPECT_TRUE(peer.ends());
    EXPECT_FALSE(listener.has_connection_within(0));
  }
}

TEST(HttpClient, ADamagedChunkIsAnError) {
  const auto got = answer_to("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n");
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::UpstreamBroken);
}

TEST(HttpClient, AnAnswerOverItsLimitIsAnError) {
  RawListener listener;
  TestClient client(url(listener));
  auto opened = std::async(std::launch::async, [&] { return client.open(); });
  auto peer = listener.accept();
  peer.receive_head();
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + std::string(1000, 'x'));
  auto response = get_soon(std::move(opened));
  ASSERT_TRUE(response);
  const auto read = client.loop().run([&]() -> Task<Result<std::string>> {
    auto body = co_await response->read_all(999, client.cancel_token());
    response.reset();
    co_return body;
  });
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("toolgate.limits.answerBytes"), std::string::npos);
  EXPECT_TRUE(peer.ends());
}

TEST(HttpClient, KeepsAConnectionForTheNextRequest) {
  RawListener listener;
  TestClient client(url(listener));
  auto first = client.send();
  auto peer = listener.accept();
  peer.receive_head();
  peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n");
  EXPECT_EQ(get_soon(std::move(first)).body, "ok");
  for (int i = 0; i < 5; ++i) exchange(client, peer);
  EXPECT_FALSE(listener.has_connection_within(0));
}

TEST(HttpClient, RequestsAtTheSameTimeHaveConnectionsOfTheirOwn) {
  RawListener listener;
  TestClient client(url(listener));
  auto first = client.send();
  auto first_peer = listener.accept();
  auto second = client.send();
  auto second_peer = listener.accept();
  first_peer.receive_head();
  second_peer.receive_head();
  second_peer.send(sized("2"));
  first_peer.send(sized("1"));
  EXPECT_EQ(get_soon(std::move(first)).body, "1");
  EXPECT_EQ(get_soon(std::move(second)).body, "2");
}

TEST(HttpClient, DoesNotKeepWhatTheUpstreamWillClose) {
  for (const std::string& bytes : {sized("x", "Connection: close\r\n"),
                                   std::string("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx")}) {
    RawListener listener;
    TestClient client(url(listener));
    auto answer = client.send();
    auto peer = listener.accept();
    peer.receive_head();
    peer.send(bytes);
    EXPECT_EQ(get_soon(std::move(answer)).body, "x");
    EXPECT_TRUE(peer.ends());
    auto next = client.send();
    auto other = listener.accept();
    other.receive_head();
    other.send(sized("y"));
    EXPECT_EQ(get_soon(std::move(next)).body, "y");
  }
}

TEST(HttpClient, DoesNotTrustAConnectionWithBytesNobodyAskedFor) {
  RawListener listener;
  TestClient client(url(listener));
  auto first = client.send();
  auto peer = listener.accept();
  peer.receive_head();
  peer.send(sized("ok") + sized("forged"));
  EXPECT_EQ(get_soon(std::move(first)).body, "ok");
  auto second = client.send();
  auto other = listener.accept();
  other.receive_head();
  other.send(sized("true"));
  EXPECT_EQ(get_soon(std::move(second)).body, "true");

  // The same where they come later.
  other.send(sized("forged"));
  std::this_thread::sleep_for(50ms);
  auto third = client.send();
  auto last = listener.accept();
  last.receive_head();
  last.send(sized("true too"));
  EXPECT_EQ(get_soon(std::move(third)).body, "true too");
}

TEST(HttpClient, AKeptConnectionThatTheUpstreamClosesIsForgotten) {
  RawListener listener;
  TestClient client(url(listener));
  auto first = client.send();
  auto peer = listener.accept();
  peer.receive_head();
  peer.send(sized("ok"));
  get_soon(std::move(first));
  peer.shut_down_writing();
  EXPECT_TRUE(peer.ends()) << "the client closes its side";
  auto second = client.send();
  auto other = listener.accept();
  other.receive_head();
  other.send(sized("ok"));
  EXPECT_EQ(get_soon(std::move(second)).body, "ok");
}

// The upstream closes as the request is on its way.
TEST(HttpClient, AStaleConnectionIsReplacedWithoutLoss) {
  const std::string body(100'000, 'b');
  for (const bool reset : {false, true}) {
    RawListener listener;
    TestClient client(url(listener));
    auto first = client.send();
    auto peer = listener.accept();
    peer.receive_head();
    peer.send(sized("ok"));
    get_soon(std::move(first));

    auto second = client.send(body);
    peer.receive_head();
    reset ? peer.reset() : peer.close();
    auto fresh = listener.accept();
    fresh.receive_head();
    EXPECT_TRUE(fresh.receive(body.size()) == body);
    fresh.send(sized("again"));
    EXPECT_EQ(get_soon(std::move(second)).body, "again");
  }
}

TEST(HttpClient, AConnectionBrokenBeforeTheAnswerIsRetriedOnce) {
  RawListener listener;
  TestClient client(url(listener));
  auto saved = client.send("body");
  listener.accept().receive_head();
  auto peer = listener.accept();
  peer.receive_until("body");
  peer.send(sized("ok"));
  EXPECT_EQ(get_soon(std::move(saved)).body, "ok");
  peer.close();

  TestClient other(url(listener));  // without a kept connection, which would be tried first
  auto lost = other.send();
  for (int i = 0; i < 2; ++i) {
    auto broken = listener.accept();
    broken.receive_head();
    broken.reset();
  }
  const auto got = get_soon(std::move(lost));
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::UpstreamBroken);
  EXPECT_FALSE(listener.has_connection_within(0));
}

TEST(HttpClient, NothingIsRetriedAfterTheFirstByte) {
  for (const std::string_view bytes :
       {"H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n"}) {
    RawListener listener;
    TestClient client(url(listener));
    auto answer = client.send();
    {
      auto peer = listener.accept();
      peer.receive_head();
      peer.send(bytes);
    }
    const auto got = get_soon(std::move(answer));
    ASSERT_TRUE(got.error) << bytes;
    EXPECT_EQ(got.error->code, Errc::UpstreamBroken) << bytes;
    EXPECT_FALSE(listener.has_connection_within(150)) << bytes;
  }
}

TEST(HttpClient, ARefusedConnectionIsTriedThreeTimesInAll) {
  RawListener listener;
  TestClient client(url(listener));
  listener.close();
  const auto started = std::chrono::steady_clock::now();
  const auto got = get_soon(client.send());
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::UpstreamUnreachable);
  EXPECT_EQ(got.error->where, "");
  EXPECT_NE(got.error->message.find("cannot connect to 127.0.0.1"), std::string::npos);
  EXPECT_GE(std::chrono::steady_clock::now() - started, 300ms) << "it did not pause";
}

TEST(HttpClient, AnUnknownHostIsToldClearly) {
  TestClient client("http://no-such-host.invalid");
  const auto got = get_soon(client.send());
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::UpstreamUnreachable);
  EXPECT_NE(got.error->message.find("no-such-host.invalid"), std::string::npos);
}

TEST(HttpClient, AHostNameIsResolved) {
  RawListener listener;
  TestClient client(fmt::format("http://localhost:{}", listener.port()));
  auto answer = client.send();
  auto peer = listener.accept();
  peer.receive_head();
  peer.send(sized("ok"));
  EXPECT_EQ(get_soon(std::move(answer)).body, "ok");
}

// The upstream refuses a body that it has not read, and closes.
TEST(HttpClient, AnEarlyErrorAnswerIsNotLost) {
  RawListener listener(16 << 10);
  TestClient client(url(listener));
  auto answer = client.send(std::string(20'000'000, 'b'));
  {
    auto peer = listener.accept();
    peer.receive_head();
    peer.send("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig");
    std::this_thread::sleep_for(50ms);
  }
  const auto got = get_soon(std::move(answer));
  EXPECT_EQ(got.status, 413) << (got.error ? got.error->message : "");
  EXPECT_EQ(got.body, "big");
}

TEST(HttpClient, AnUpstreamThatDoesNotTakeTheRequestIsATimeout) {
  RawListener listener(16 << 10);
  TestClient client(url(listener));
  client.times.idle = 50ms;
  auto answer = client.send(std::string(20'000'000, 'b'));
  auto peer = listener.accept();
  const auto got = get_soon(std::move(answer));
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::UpstreamTimeout);
}

TEST(HttpClient, NoAnswerInTimeIsATimeoutAndNotRetried) {
  RawListener listener;
  TestClient client(url(listener));
  client.times.first_byte = 50ms;
  auto answer = client.send();
  auto peer = listener.accept();
  peer.receive_head();
  const auto got = get_soon(std::move(answer));
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::UpstreamTimeout);
  EXPECT_NE(got.error->message.find("0.05"), std::string::npos) << got.error->message;
  EXPECT_TRUE(peer.ends());
  EXPECT_FALSE(listener.has_connection_within(0));
}

TEST(HttpClient, ABodyThatStallsIsATimeout) {
  RawListener listener;
  TestClient client(url(listener));
  client.times.idle = 50ms;
  auto answer = client.send();
  auto peer = listener.accept();
  peer.receive_head();
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc");
  const auto got = get_soon(std::move(answer));
  EXPECT_EQ(got.status, 200);
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::UpstreamTimeout);
  EXPECT_TRUE(peer.ends());
}

// The times between bytes are each under the limit, their sum is over it.
TEST(HttpClient, TheIdleTimeBeginsAnewWithEveryByte) {
  RawListener listener;
  TestClient client(url(listener));
  client.times.idle = 1200ms;
  auto answer = client.send();
  auto peer = listener.accept();
  peer.receive_head();
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
  for (int i = 0; i < 9; ++i) {
    std::this_thread::sleep_for(150ms);
    peer.send("x");
  }
  EXPECT_EQ(get_soon(std::move(answer)).body, "xxxxxxxxx");
}

TEST(HttpClient, CancellingBeforeTheAnswerClosesTheSocketAtOnce) {
  RawListener listener;
  TestClient client(url(listener));
  auto answer = client.send();
  auto peer = listener.accept();
  peer.receive_head();
  client.cancel();
  EXPECT_TRUE(peer.ends());
  const auto got = get_soon(std::move(answer));
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::Cancelled);
  EXPECT_FALSE(listener.has_connection_within(0));
}

TEST(HttpClient, CancellingInTheBodyClosesTheSocketAtOnce) {
  RawListener listener;
  TestClient client(url(listener));
  auto answer = client.send();
  auto peer = listener.accept();
  peer.receive_head();
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc");
  std::this_thread::sleep_for(20ms);
  client.cancel();
  EXPECT_TRUE(peer.ends());
  const auto got = get_soon(std::move(answer));
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::Cancelled);
}

TEST(HttpClient, CancellingEndsTheWriteOfABody) {
  RawListener listener(16 << 10);
  TestClient client(url(listener));
  auto answer = client.send(std::string(20'000'000, 'b'));
  auto peer = listener.accept();
  peer.receive_head();
  client.cancel();
  const auto got = get_soon(std::move(answer));
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::Cancelled);
}

TEST(HttpClient, CancellingEndsThePauseBetweenTries) {
  RawListener listener;
  TestClient client(url(listener));
  listener.close();
  auto answer = client.send();
  client.cancel();
  const auto got = get_soon(std::move(answer));
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, Errc::Cancelled);
}

TEST(HttpClient, AResponseDestroyedEarlyClosesItsConnection) {
  RawListener listener;
  TestClient client(url(listener));
  auto opened = std::async(std::launch::async, [&] { return client.open(); });
  auto peer = listener.accept();
  peer.receive_head();
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc");
  auto response = get_soon(std::move(opened));
  ASSERT_TRUE(response);
  EXPECT_FALSE(peer.has_more_within(50)) << "closed too early";
  client.loop().call([&] { response.reset(); });
  EXPECT_TRUE(peer.ends());
}

TEST(HttpClient, NoMoreIdleConnectionsAreKeptThanTheLimit) {
  RawListener listener;
  TestClient client(url(listener));
  client.call([](HttpClient& running) { running.set_idle_limit(2); });
  std::vector<std::future<ClientAnswer>> answers;
  std::vector<RawSocket> peers;
  for (int i = 0; i < 4; ++i) {
    answers.push_back(client.send());
    peers.push_back(listener.accept());
  }
  for (std::size_t i = 0; i < peers.size(); ++i) {
    peers[i].receive_head();
    peers[i].send(sized("ok"));
    get_soon(std::move(answers[i]));
  }
  EXPECT_TRUE(peers[2].ends());
  EXPECT_TRUE(peers[3].ends());
  EXPECT_FALSE(peers[0].has_more_within(20));
  exchange(client, peers[1]);
}

TEST(HttpClient, TheEndOfTheClientClosesWhatItKept) {
  RawListener listener;
  std::optional<RawSocket> peer;
  {
    TestClient client(url(listener));
    auto answer = client.send();
    peer = listener.accept();
    peer->receive_head();
    peer->send(sized("ok"));
    get_soon(std::move(answer));
    EXPECT_FALSE(peer->has_more_within(20));
  }
  EXPECT_TRUE(peer->ends());
}

}  // namespace
}  // namespace toolgate
