// Tools behind URLs: where they may go and are led to, how often, and for how long.
#include <gtest/gtest.h>

#include "http_tool_fixture.h"
#include "toolgate/run.h"

namespace toolgate::http_tool_test {
namespace {

TEST(HttpTool, FollowsRedirectsOfGetWithItsHeadersOnItsOwnOrigin) {
  RawListener listener;
  const auto tool = local_tool(listener, "/a/b?q={q}", R"("method":"GET","headers":{"X-Key":"k"})");
  ToolLoop loop;
  auto answer = loop.start(*tool, R"({"q":1})");
  for (const auto& [target, location] : std::initializer_list<std::pair<std::string, std::string>>{
           {"/a/b?q=1", "c?d"},
           {"/a/c?d", fmt::format("http://127.0.0.1:{}/e", listener.port())}}) {
    auto peer = listener.accept();
    const Received request = receive(peer);
    EXPECT_EQ(request.first_line(), fmt::format("GET {} HTTP/1.1", target));
    EXPECT_TRUE(request.has("X-Key: k"));
    peer.send(redirect(location, 307));
  }
  auto peer = listener.accept();
  const Received request = receive(peer);
  EXPECT_EQ(request.first_line(), "GET /e HTTP/1.1");
  EXPECT_TRUE(request.has("X-Key: k"));
  peer.send(ok("text/plain", "there"));
  const Answer got = get_soon(std::move(answer));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(text_of(*got), "there");
}

TEST(HttpTool, ItsHeadersAreForItsOwnOriginOnly) {
  RawListener own;
  RawListener other;
  const auto tool = local_tool(
      own, "/", R"("method":"GET","headers":{"X-Plain":"p"},"headersEnv":{"X-Key":"KEY"})",
      {{"KEY", std::string(kSentinel)}});
  ToolLoop loop;
  auto answer = loop.start(*tool);
  auto first = own.accept();
  EXPECT_TRUE(receive(first).head.contains(kSentinel));
  first.send(redirect(fmt::format("http://127.0.0.1:{}/x", other.port())));
  auto second = other.accept();
  const Received foreign = receive(second);
  EXPECT_FALSE(foreign.head.contains("X-Plain")) << foreign.head;
  EXPECT_FALSE(foreign.head.contains(kSentinel)) << foreign.head;
  EXPECT_TRUE(foreign.has(fmt::format("Host: 127.0.0.1:{}", other.port())));
  // Not even when it sends us back.
  second.send(redirect(fmt::format("http://127.0.0.1:{}/y", own.port())));
  auto third = own.accept();
  EXPECT_FALSE(receive(third).head.contains(kSentinel));
  third.send(redirect("/z"));
  auto fourth = own.accept();
  EXPECT_FALSE(receive(fourth).head.contains(kSentinel));
  fourth.send(ok("text/plain", "there"));
  EXPECT_TRUE(get_soon(std::move(answer)));
}

TEST(HttpTool, FollowsFiveRedirectsAndNoMore) {
  for (const int count : {5, 6}) {
    RawListener listener;
    const auto tool = local_tool(listener, "/0", R"("method":"GET")");
    ToolLoop loop;
    auto answer = loop.start(*tool);
    for (int i = 1; i <= count; ++i) {
      auto peer = listener.accept();
      receive(peer);
      peer.send(redirect(fmt::format("/{}", i)));
    }
    if (count == 5) {
      auto peer = listener.accept();
      EXPECT_EQ(receive(peer).first_line(), "GET /5 HTTP/1.1");
      peer.send(ok("text/plain", "there"));
      EXPECT_TRUE(get_soon(std::move(answer)));
    } else {
      const Error error = failure(get_soon(std::move(answer)));
      EXPECT_EQ(error.code, Errc::UpstreamBroken);
      EXPECT_TRUE(error.message.contains("more than 5 times")) << error.message;
      EXPECT_FALSE(listener.has_connection_within(0));
    }
  }
}

TEST(HttpTool, ARedirectToWhatIsNoHttpUrlIsAnError) {
  for (const std::string_view location :
       {"file:///etc/passwd", "ftp://127.0.0.1/", "http://user@127.0.0.1/", "http:///x"}) {
    RawListener listener;
    const auto tool = local_tool(listener, "/", R"("method":"GET")");
    const Error error = failure(exchange(listener, *tool, "{}", redirect(location)).answer);
    EXPECT_EQ(error.code, Errc::UpstreamBroken) << error.message;
    EXPECT_TRUE(error.message.contains("redirects to an address that is refused")) << error.message;
  }
}

TEST(HttpTool, OtherMethodsThanGetAreNotRedirected) {
  for (const std::string_view method : {"POST", "PUT", "PATCH", "DELETE"}) {
    RawListener listener;
    const auto tool = local_tool(listener, "/", fmt::format(R"("method":"{}")", method));
    const auto done = exchange(listener, *tool, "{}", redirect("/x"));
    ASSERT_TRUE(done.answer) << done.answer.error().message;
    EXPECT_TRUE(done.answer->is_error);
    EXPECT_TRUE(text_of(*done.answer).starts_with("HTTP 302: redirects are followed for GET only"));
    EXPECT_FALSE(listener.has_connection_within(0));
  }
}

// However it is written, what counts is the address that would be connected to.
TEST(HttpTool, PrivateAddressesAreRefusedWhenConnecting) {
  RawListener listener;
  ToolLoop loop;
  for (const std::string_view host : {"127.0.0.1",
                                      "127.9.9.9",
                                      "[::1]",
                                      "[::ffff:127.0.0.1]",
                                      "[::ffff:7f00:1]",
                                      "2130706433",
                                      "0x7f.1",
                                      "0177.0.0.1",
                                      "127.1",
                                      "localhost",
                                      "LOCALHOST",
                                      "0.0.0.0",
                                      "0",
                                      "[::]",
                                      "[64:ff9b::7f00:1]",
                                      "[2002:7f00:1::]",
                                      "169.254.169.254",
                                      "10.0.0.1",
                                      "192.168.0.1",
                                      "[fd00::1]",
                                      "[fe80::1]"}) {
    const auto tool = make_tool(fmt::format("http://{}:{}/", host, listener.port()));
    const Error error = failure(loop.call(*tool));
    EXPECT_EQ(error.code, Errc::Forbidden) << host << ": " << error.message;
    EXPECT_TRUE(error.message.contains("allowPrivateAddresses")) << error.message;
    EXPECT_TRUE(error.message.contains("toolgate.httpTools.allowedHosts")) << error.message;
  }
  EXPECT_FALSE(listener.has_connection_within(0));
}

TEST(HttpTool, PrivateAddressesCanBeAllowedForOneTool) {
  for (const std::string_view host :
       {"127.0.0.1", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "localhost"}) {
    RawListener listener;
    const auto tool = make_tool(fmt::format("http://{}:{}/", host, listener.port()),
                                R"("allowPrivateAddresses":true)");
    const auto done = exchange(listener, *tool, "{}", ok("text/plain", "in"));
    EXPECT_TRUE(done.answer) << host << ": " << done.answer.error().message;
  }
}

TEST(HttpTool, PrivateAddressesCanBeAllowedForAHost) {
  RawListener listener;
  const std::string url = fmt::format("http://LocalHost:{}/", listener.port());
  for (const std::string& pattern :
       {std::string("localhost"), fmt::format("localHOST:{}", listener.port()),
        std::string("local*"), std::string("*:*")}) {
    const auto tool = make_tool(url, "", {}, {.allowed_private_hosts = {"x", pattern}});
    EXPECT_TRUE(exchange(listener, *tool, "{}", ok("text/plain", "in")).answer) << pattern;
  }
  ToolLoop loop;
  for (const std::string_view pattern : {"127.0.0.1", "localhost:1", "local", "ocalhost", ""}) {
    const auto tool = make_tool(url, "", {}, {.allowed_private_hosts = {std::string(pattern)}});
    EXPECT_EQ(failure(loop.call(*tool)).code, Errc::Forbidden) << pattern;
  }
  const auto bracketed = make_tool(fmt::format("http://[::ffff:127.0.0.1]:{}/", listener.port()),
                                   "", {}, {.allowed_private_hosts = {"[::ffff:127.0.0.1]:*"}});
  EXPECT_TRUE(exchange(listener, *bracketed, "{}", ok("text/plain", "in")).answer);
}

TEST(HttpTool, ARedirectIsCheckedLikeTheUrlItself) {
  RawListener allowed;
  RawListener other;
  const auto tool =
      make_tool(fmt::format("http://127.0.0.1:{}/", allowed.port()), R"("method":"GET")", {},
                {.allowed_private_hosts = {fmt::format("127.0.0.1:{}", allowed.port())}});
  ToolLoop loop;
  for (const std::string_view host : {"127.0.0.1", "localhost", "2130706433", "[::1]"}) {
    auto answer = loop.start(*tool);
    auto peer = allowed.accept();
    receive(peer);
    peer.send(redirect(fmt::format("http://{}:{}/", host, other.port())));
    EXPECT_EQ(failure(get_soon(std::move(answer))).code, Errc::Forbidden) << host;
  }
  EXPECT_FALSE(other.has_connection_within(0));
}

// Else a tool that may not be called would be, over what one that may has left behind.
TEST(HttpTool, AKeptConnectionIsNotForToolsThatMayNotMakeIt) {
  RawListener listener;
  const std::string url = fmt::format("http://127.0.0.1:{}/", listener.port());
  const auto allowed = make_tool(url, R"("method":"GET","allowPrivateAddresses":true)");
  const auto refused = make_tool(url, R"("method":"GET")");
  ToolLoop loop;
  auto answer = loop.start(*allowed);
  auto peer = listener.accept();
  receive(peer);
  peer.send(ok("text/plain", "1"));
  ASSERT_TRUE(get_soon(std::move(answer)));
  EXPECT_EQ(failure(loop.call(*refused)).code, Errc::Forbidden);
  answer = loop.start(*allowed);
  receive(peer);  // the connection was there to be used
  peer.send(ok("text/plain", "2"));
  EXPECT_TRUE(get_soon(std::move(answer)));
}

// What an approval allowed once must not be done twice.
TEST(HttpTool, OnlyGetIsSentAgainWhenTheConnectionBreaks) {
  for (const std::string_view method : {"POST", "PUT", "PATCH", "DELETE"}) {
    RawListener listener;
    const auto tool = local_tool(listener, "/", fmt::format(R"("method":"{}")", method));
    ToolLoop loop;
    auto answer = loop.start(*tool);
    auto peer = listener.accept();
    EXPECT_TRUE(receive(peer).has("Connection: close"));
    peer.reset();
    const Error error = failure(get_soon(std::move(answer)));
    EXPECT_EQ(error.code, Errc::UpstreamBroken) << error.message;
    EXPECT_FALSE(listener.has_connection_within(0)) << method;
  }
  RawListener listener;
  const auto tool = local_tool(listener, "/", R"("method":"GET")");
  ToolLoop loop;
  auto answer = loop.start(*tool);
  {
    auto peer = listener.accept();
    receive(peer);
    peer.reset();
  }
  auto peer = listener.accept();
  receive(peer);
  peer.send(ok("text/plain", "x"));
  EXPECT_TRUE(get_soon(std::move(answer)));
}

TEST(HttpTool, ACallThatMayBeMadeOnceUsesNoKeptConnection) {
  RawListener listener;
  const auto reads = local_tool(listener, "/", R"("method":"GET")");
  const auto writes = local_tool(listener, "/");
  ToolLoop loop;
  auto answer = loop.start(*reads);
  auto kept = listener.accept();
  receive(kept);
  kept.send(ok("text/plain", "x"));
  ASSERT_TRUE(get_soon(std::move(answer)));
  answer = loop.start(*writes);
  auto peer = listener.accept();
  receive(peer);
  peer.send(ok("text/plain", "x"));
  EXPECT_TRUE(get_soon(std::move(answer)));
}

TEST(HttpTool, AServerThatIsNotThereIsAnErrorThatNamesIt) {
  RawListener listener;
  const auto tool = local_tool(listener, "/");
  listener.close();
  ToolLoop loop;
  const Error error = failure(loop.call(*tool));
  EXPECT_EQ(error.code, Errc::UpstreamUnreachable);
  EXPECT_TRUE(error.message.contains("the tool 'weather'")) << error.message;
  EXPECT_TRUE(error.message.contains("127.0.0.1")) << error.message;
}

TEST(HttpTool, TheTimeCountsForTheWholeCallAndHasItsOwnMessage) {
  for (const std::string_view begun :
       {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
        "HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\nabc"}) {
    RawListener listener;
    const auto tool = local_tool(listener, "/", R"("timeoutSeconds":0.1)");
    ToolLoop loop;
    auto answer = loop.start(*tool);
    auto peer = listener.accept();
    receive(peer);
    peer.send(begun);
    const Error error = failure(get_soon(std::move(answer)));
    EXPECT_EQ(error.code, Errc::UpstreamTimeout) << begun;
    EXPECT_EQ(error.message, "the tool 'weather' did not answer within 0.1 s (its timeoutSeconds)");
    EXPECT_TRUE(peer.ends());
  }
}

TEST(HttpTool, CancellingEndsTheCallAtOnce) {
  for (const std::string_view begun : {"", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"}) {
    RawListener listener;
    const auto tool = local_tool(listener, "/");
    ToolLoop loop;
    auto answer = loop.start(*tool);
    auto peer = listener.accept();
    receive(peer);
    peer.send(begun);
    loop.cancel();
    EXPECT_EQ(failure(get_soon(std::move(answer))).code, Errc::Cancelled);
    EXPECT_TRUE(peer.ends());
  }
}

TEST(HttpTool, ACancelledCallIsNotBegun) {
  RawListener listener;
  const auto tool = local_tool(listener, "/");
  ToolLoop loop;
  loop.cancel();
  EXPECT_EQ(failure(loop.call(*tool)).code, Errc::Cancelled);
  EXPECT_FALSE(listener.has_connection_within(0));
}

TEST(HttpTool, OneToolServesSeveralLoopsAtOnce) {
  RawListener listener;
  const auto tool = local_tool(listener, "/");
  ToolLoop one;
  ToolLoop two;
  auto first = one.start(*tool, R"({"n":1})");
  auto second = two.start(*tool, R"({"n":2})");
  auto a = listener.accept();
  auto b = listener.accept();
  for (RawSocket* peer : {&b, &a}) {
    const Received request = receive(*peer);
    peer->send(ok("text/plain", request.body));
  }
  EXPECT_EQ(text_of(get_soon(std::move(first)).value()), R"({"n":1})");
  EXPECT_EQ(text_of(get_soon(std::move(second)).value()), R"({"n":2})");
}

TEST(HttpTool, WithoutAClientOnItsLoopACallIsAnError) {
  const auto tool = make_tool("http://a.example/");
  const CancelSource never;
  const ToolCall call;
  EXPECT_EQ(failure(run_task(tool->invoke(call, never))).code, Errc::Internal);
}

}  // namespace
}  // namespace toolgate::http_tool_test
