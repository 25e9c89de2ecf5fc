// Tools behind URLs: what they send, what becomes of the answer, and what people are asked.
#include <gtest/gtest.h>

#include "captured_log.h"
#include "http_tool_fixture.h"
#include "toolgate/run.h"

namespace toolgate::http_tool_test {
namespace {

std::string first_line(std::string_view path, std::string_view method, std::string input,
                       std::string* body = nullptr) {
  RawListener listener;
  const auto tool = local_tool(listener, path, fmt::format(R"("method":"{}")", method));
  const auto done = exchange(listener, *tool, std::move(input), ok("text/plain", "x"));
  if (body != nullptr) *body = done.request.body;
  return done.request.first_line();
}

ToolResult answer_to(std::string_view reply) {
  RawListener listener;
  const auto tool = local_tool(listener, "/");
  auto done = exchange(listener, *tool, "{}", reply);
  if (!done.answer) throw std::runtime_error(done.answer.error().message);
  return std::move(*done.answer);
}

TEST(HttpTool, SendsTheArgumentsAsTheyWereWritten) {
  RawListener listener;
  const auto tool = local_tool(listener, "/run?a=1");
  const std::string input = R"({ "n": 1.50, "s": "ä" })";
  const auto [request, answer] = exchange(listener, *tool, input, ok("text/plain", "sunny"));
  EXPECT_EQ(request.first_line(), "POST /run?a=1 HTTP/1.1");
  EXPECT_TRUE(request.has(fmt::format("Host: 127.0.0.1:{}", listener.port())));
  EXPECT_TRUE(request.has("Content-Type: application/json"));
  EXPECT_TRUE(request.has("Accept-Encoding: identity"));
  EXPECT_EQ(request.body, input);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(text_of(*answer), "sunny");
  EXPECT_FALSE(answer->is_error);
}

TEST(HttpTool, FillsTheUrlWithArguments) {
  EXPECT_EQ(first_line("/u/{id}/x?part={part}", "GET", R"({"id":7,"part":"a&b=c d/\u00e4"})"),
            "GET /u/7/x?part=a%26b%3Dc%20d%2F%C3%A4 HTTP/1.1");
  EXPECT_EQ(first_line("/{a}{b}", "GET", R"({"a":"x/y?z#","b":true})"),
            "GET /x%2Fy%3Fz%23true HTTP/1.1");
  EXPECT_EQ(first_line("/{a}", "GET", R"({"a":"\r\nX: y"})"), "GET /%0D%0AX%3A%20y HTTP/1.1");
  EXPECT_EQ(first_line("?q={q}", "GET", R"({"q":"%41+"})"), "GET /?q=%2541%2B HTTP/1.1");
  EXPECT_EQ(first_line("/?t={t}&o={o}", "GET", R"({"t":["a","b,c",1],"o":{"x":1}})"),
            "GET /?t=a,b%2Cc,1&o=%7B%22x%22%3A1%7D HTTP/1.1");
}

TEST(HttpTool, LeavesPartsOfTheQueryOutWhoseArgumentIsNotThere) {
  EXPECT_EQ(first_line("/?a={a}&b=1&c={c}-{d}", "GET", R"({"c":"x","a":null})"),
            "GET /?b=1 HTTP/1.1");
}

TEST(HttpTool, PutsTheRestOfTheArgumentsIntoTheQueryOfGetAndDelete) {
  for (const std::string_view method : {"GET", "DELETE"}) {
    std::string body;
    EXPECT_EQ(
        first_line("/{id}?k=1", method,
                   R"({"id":7,"q":"a b","n":null,"list":["x",2,[3]],"o":{"p":[]},"ä":0})", &body),
        fmt::format("{} /7?k=1&q=a%20b&list=x&list=2&list=%5B3%5D&o=%7B%22p%22%3A%5B%5D%7D"
                    "&%C3%A4=0 HTTP/1.1",
                    method));
    EXPECT_EQ(body, "");
  }
}

TEST(HttpTool, PutsTheRestOfTheArgumentsIntoTheBodyOfOtherMethods) {
  for (const std::string_view method : {"POST", "PUT", "PATCH"}) {
    std::string body;
    EXPECT_EQ(first_line("/{id}", method, R"({"id":7,"q":"a","n":1.50})", &body),
              fmt::format("{} /7 HTTP/1.1", method));
    EXPECT_EQ(body, R"({"q":"a","n":1.50})");
  }
}

TEST(HttpTool, RefusesArgumentsThatWouldLeadToAnotherPath) {
  RawListener listener;
  const auto one = local_tool(listener, "/u/{id}/x", R"("method":"DELETE")");
  ToolLoop loop;
  for (const char* input :
       {"{}", R"({"id":null})", R"({"id":""})", R"({"id":["a"]})", R"({"id":{}})"}) {
    const Error error = failure(loop.call(*one, input));
    EXPECT_EQ(error.code, Errc::InvalidRequest) << input << ": " << error.message;
    EXPECT_EQ(error.where, "id") << input;
  }
  for (const char* input : {R"({"id":".."})", R"({"id":"."})", R"({"id":"../../admin"})",
                            R"({"id":"a/../b"})", R"({"id":"..\\b"})"})
    EXPECT_EQ(failure(loop.call(*one, input)).code, Errc::InvalidRequest) << input;
  const auto two = local_tool(listener, "/{a}{b}/x");
  EXPECT_EQ(failure(loop.call(*two, R"({"a":".","b":"."})")).code, Errc::InvalidRequest);
  EXPECT_EQ(failure(loop.call(*two, "[]")).code, Errc::InvalidRequest);
  EXPECT_FALSE(listener.has_connection_within(0));
}

TEST(HttpTool, SendsItsHeadersWithValuesFromTheEnvironment) {
  RawListener listener;
  const auto tool = local_tool(
      listener, "/",
      R"("headers":{"accept":"text/csv","X-Plain":"p","Content-Type":"application/x+json"},)"
      R"("headersEnv":{"Authorization":"WEATHER_KEY"})",
      {{"WEATHER_KEY", fmt::format("Bearer {}", kSentinel)}});
  const auto done = exchange(listener, *tool, "{}", ok("text/plain", "x"));
  EXPECT_TRUE(done.request.has("accept: text/csv"));
  EXPECT_FALSE(done.request.has("Accept: */*"));
  EXPECT_TRUE(done.request.has("X-Plain: p"));
  EXPECT_TRUE(done.request.has("Content-Type: application/x+json"));
  EXPECT_FALSE(done.request.has("Content-Type: application/json"));
  EXPECT_TRUE(done.request.has(fmt::format("Authorization: Bearer {}", kSentinel)));
}

TEST(HttpTool, AVariableThatIsMissingOrUnfitIsNamedWithoutItsValue) {
  RawListener listener;
  const std::string bad = fmt::format("{}\r\nX: y", kSentinel);
  ToolLoop loop;
  for (const Variables& variables :
       {Variables{}, Variables{{"WEATHER_KEY", ""}}, Variables{{"WEATHER_KEY", bad}},
        Variables{{"WEATHER_KEY", std::string(kSentinel) + "\n"}}}) {
    const auto tool =
        local_tool(listener, "/", R"("headersEnv":{"X-Key":"WEATHER_KEY"})", variables);
    const Error error = failure(loop.call(*tool));
    EXPECT_EQ(error.code, Errc::InvalidSettings);
    EXPECT_TRUE(error.message.contains("WEATHER_KEY")) << error.message;
    EXPECT_TRUE(error.message.contains("X-Key")) << error.message;
    EXPECT_FALSE(error.message.contains(kSentinel)) << error.message;
  }
  EXPECT_FALSE(listener.has_connection_within(0));
}

// Whatever the server does with them: it may send them back.
TEST(HttpTool, ValuesOfTheEnvironmentAreInNoResultErrorOrLog) {
  CapturedLog log;
  const std::string echo = fmt::format("you sent Bearer {0} ({0})", kSentinel);
  const auto with_key = [](const RawListener& listener, std::string_view more) {
    return local_tool(listener, "/",
                      fmt::format(R"("headersEnv":{{"Authorization":"KEY"}}{})", more),
                      {{"KEY", fmt::format("Bearer {}", kSentinel)}});
  };
  for (const std::string& reply :
       {ok("text/plain", echo), ok("application/json", fmt::format(R"({{"a":"{}"}})", echo)),
        ok("application/json",
           fmt::format(R"({{"content":[{{"type":"text","text":"{}"}}]}})", echo)),
        fmt::format("HTTP/1.1 401 No\r\nContent-Length: {}\r\n\r\n{}", echo.size(), echo),
        // The cut goes through a value.
        fmt::format("HTTP/1.1 401 No\r\nContent-Length: {}\r\n\r\n{}{}", 2020 + echo.size(),
                    std::string(2020, 'x'), echo)}) {
    RawListener listener;
    const auto tool = with_key(listener, "");
    const auto done = exchange(listener, *tool, "{}", reply);
    ASSERT_TRUE(done.request.head.contains(kSentinel));
    ASSERT_TRUE(done.answer) << done.answer.error().message;
    EXPECT_FALSE(text_of(*done.answer).contains(kSentinel.substr(0, 8))) << text_of(*done.answer);
  }
  for (const std::string_view reply : {"HTTP/1.1 200 OK\r\nConte", "garbage\r\n\r\n", ""}) {
    RawListener listener;
    const auto tool = with_key(listener, R"(,"timeoutSeconds":0.1)");
    const Error error = failure(exchange(listener, *tool, "{}", reply).answer);
    EXPECT_NE(error.code, Errc::Internal) << error.message;
    EXPECT_FALSE(error.message.contains(kSentinel)) << error.message;
  }
  EXPECT_FALSE(log.take().contains(kSentinel));
}

TEST(HttpTool, TextAndJsonAreText) {
  for (const std::string_view type :
       {"text/plain", "Text/HTML; charset=utf-8", "application/json", "application/problem+json",
        "application/xml", "image/svg+xml"})
    EXPECT_EQ(text_of(answer_to(ok(type, R"({"a":1})"))), R"({"a":1})") << type;
  EXPECT_EQ(text_of(answer_to("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")), "hi");
  EXPECT_EQ(text_of(answer_to(ok("text/plain", "a\xFF"))), "a\xEF\xBF\xBD");
  EXPECT_EQ(text_of(answer_to("HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")),
            "abc");
}

TEST(HttpTool, NothingIsAnEmptyText) {
  for (const std::string& reply : {std::string("HTTP/1.1 204 No Content\r\n\r\n"),
                                   ok("image/png", ""), ok("text/plain", "")}) {
    const ToolResult result = answer_to(reply);
    EXPECT_EQ(text_of(result), "");
    EXPECT_FALSE(result.is_error);
  }
}

TEST(HttpTool, OtherMediaTypesAreData) {
  const ToolResult image = answer_to(ok("image/PNG; x=y", std::string("\x89PNG\0\xFF", 6)));
  ASSERT_EQ(image.content.size(), 1u);
  EXPECT_EQ(image.content[0].mime_type, "image/png");
  EXPECT_EQ(image.content[0].text, std::string("\x89PNG\0\xFF", 6));
  EXPECT_EQ(answer_to("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xFF\xFE").content[0].mime_type,
            "application/octet-stream");
  EXPECT_EQ(answer_to(ok("nonsense", "ab")).content[0].mime_type, "application/octet-stream");
}

TEST(HttpTool, JsonOfTheFormOfAResultIsTakenByItsWord) {
  const ToolResult result = answer_to(ok("application/json; charset=utf-8", R"({"isError":true,
    "content":[{"type":"text","text":"a\u00e4"},{"type":"data","mimeType":"x/y","data":"AP8="},
    {"type":"image","mimeType":"image/png","data":"iVBO"}]})"));
  EXPECT_TRUE(result.is_error);
  ASSERT_EQ(result.content.size(), 3u);
  EXPECT_EQ(result.content[0].text, "a\xC3\xA4");
  EXPECT_EQ(result.content[0].mime_type, "");
  EXPECT_EQ(result.content[1].text, std::string("\0\xFF", 2));
  EXPECT_EQ(result.content[1].mime_type, "x/y");
  EXPECT_EQ(result.content[2].mime_type, "image/png");
  EXPECT_TRUE(answer_to(ok("application/json", R"({"content":[]})")).content.empty());
}

TEST(HttpTool, JsonThatIsNotQuiteOfThatFormIsShownWhole) {
  for (const std::string_view body :
       {R"({"content":"a"})", R"({"content":[1]})", R"({"content":[{"type":"text"}]})",
        R"({"content":[{"type":"text","text":"a"}],"id":1})",
        R"({"content":[{"type":"text","text":"a"}],"isError":1})",
        R"({"content":[{"type":"data","mimeType":"x/y","data":"*"}]})",
        R"({"content":[{"type":"data","mimeType":"x/y","data":"AAAA*"}]})",
        R"({"content":[{"type":"data","mimeType":"x/y","data":"AA AA"}]})",
        R"({"content":[{"type":"data","mimeType":"x","data":""}]})",
        R"({"content":[{"type":"data","data":""}]})",
        R"({"content":[{"type":"video","text":"a"}]})", R"([{"content":[]}])", R"({"content":[)"}) {
    const ToolResult result = answer_to(ok("application/json", body));
    EXPECT_EQ(text_of(result), body);
    EXPECT_FALSE(result.is_error) << body;
  }
  EXPECT_EQ(text_of(answer_to(ok("text/plain", R"({"content":[]})"))), R"({"content":[]})");
}

TEST(HttpTool, AStatusThatIsNoSuccessIsAResultThatSaysSo) {
  const ToolResult missing = answer_to("HTTP/1.1 404 Gone\r\nContent-Length: 4\r\n\r\nnone");
  EXPECT_TRUE(missing.is_error);
  EXPECT_EQ(text_of(missing), "HTTP 404 Not Found\nnone");
  EXPECT_EQ(text_of(answer_to("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n")),
            "HTTP 500 Internal Server Error");
  const std::string picture =
      text_of(answer_to("HTTP/1.1 500 X\r\nContent-Type: image/png\r\nContent-Length: 1\r\n\r\nx"));
  EXPECT_TRUE(picture.contains("image/png")) << picture;
}

TEST(HttpTool, TheBodyOfAnErrorIsCutBetweenCharacters) {
  const std::string body = std::string(2047, 'x') + "\xC3\xA4 and more";
  const std::string text = text_of(
      answer_to(fmt::format("HTTP/1.1 500 X\r\nContent-Length: {}\r\n\r\n{}", body.size(), body)));
  EXPECT_EQ(text, "HTTP 500 Internal Server Error\n" + std::string(2047, 'x') + "\n(cut off here)");
  // It need not come to its end.
  EXPECT_TRUE(text_of(answer_to("HTTP/1.1 500 X\r\nTransfer-Encoding: chunked\r\n\r\n" +
                                fmt::format("{:x}\r\n{}\r\n", 70'000, std::string(70'000, 'y'))))
                  .ends_with("y\n(cut off here)"));
}

TEST(HttpTool, AnAnswerOverItsLimitIsAnError) {
  for (const std::string_view reply :
       {"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n01234567890",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n"}) {
    RawListener listener;
    const auto tool = local_tool(listener, "/", R"("maxResponseBytes":10)");
    const Error error = failure(exchange(listener, *tool, "{}", reply).answer);
    EXPECT_EQ(error.code, Errc::UpstreamBroken);
    EXPECT_TRUE(error.message.contains("over 10 bytes (its maxResponseBytes)")) << error.message;
  }
  RawListener listener;
  const auto tool = local_tool(listener, "/", R"("maxResponseBytes":10)");
  EXPECT_TRUE(exchange(listener, *tool, "{}", ok("text/plain", "0123456789")).answer);
}

TEST(HttpTool, ACompressedAnswerIsAnError) {
  RawListener listener;
  const auto tool = local_tool(listener, "/");
  const Error error = failure(
      exchange(listener, *tool, "{}", ok("text/plain", "x", "Content-Encoding: gzip\r\n")).answer);
  EXPECT_EQ(error.code, Errc::UpstreamBroken);
  EXPECT_TRUE(error.message.contains("compressed")) << error.message;
}

Result<std::optional<PreparedCall>> prepare(Tool& tool, std::string input) {
  const CancelSource never;
  const ToolCall call{.input = std::move(input)};
  return run_task(tool.prepare(call, never));
}

TEST(HttpTool, AsksWithToolMethodAndHost) {
  const auto tool = make_tool("https://a.example:8443/x?key=abc", R"("method":"PUT")");
  const auto prepared = prepare(*tool, "{}");
  ASSERT_TRUE(prepared && *prepared);
  const PreparedCall& call = **prepared;
  EXPECT_TRUE(call.confirmation_title.contains("'weather'"));
  for (const std::string_view word : {"'weather'", "PUT", "https://a.example:8443"})
    EXPECT_TRUE(call.confirmation_message.contains(word)) << call.confirmation_message;
  EXPECT_FALSE(call.confirmation_message.contains("abc")) << call.confirmation_message;
  EXPECT_FALSE(call.confirm_results);
  EXPECT_EQ(call.not_needed_reason, "");
}

TEST(HttpTool, AsksNotWhereItWasRegisteredSo) {
  const auto tool = make_tool("https://a.example/", R"("confirm":false,"confirmResults":true)");
  const auto prepared = prepare(*tool, "{}");
  ASSERT_TRUE(prepared && *prepared);
  EXPECT_EQ((*prepared)->confirmation_title, "");
  EXPECT_EQ((*prepared)->confirmation_message, "");
  EXPECT_NE((*prepared)->not_needed_reason, "");
  EXPECT_TRUE((*prepared)->confirm_results);
}

TEST(HttpTool, TellsWhichUrlsAndFilesACallIsAbout) {
  const auto tool = make_tool("https://a.example/",
                              R"("urlArguments":["page","pages"],"fileArguments":["file"])");
  const auto prepared = prepare(
      *tool,
      R"({"pages":["https://b/","https://c/"],"page":"https://a/","file":"/x","other":"y"})");
  ASSERT_TRUE(prepared && *prepared);
  EXPECT_EQ((*prepared)->urls,
            (std::vector<std::string>{"https://a/", "https://b/", "https://c/"}));
  EXPECT_EQ((*prepared)->edited_files, std::vector<std::string>{"/x"});
  const auto without = prepare(*tool, R"({"page":null})");
  ASSERT_TRUE(without && *without);
  EXPECT_TRUE((*without)->urls.empty());
}

// One URL that is approved must not let through another that nobody could look at.
TEST(HttpTool, AnArgumentThatHidesAUrlOrFileIsRefused) {
  const auto tool =
      make_tool("https://a.example/", R"("urlArguments":["page"],"fileArguments":["file"])");
  for (const char* input : {R"({"page":["https://b/",{"u":"https://c/"}]})", R"({"page":{}})",
                            R"({"page":1})", R"({"page":[["https://b/"]]})"}) {
    const auto prepared = prepare(*tool, input);
    ASSERT_FALSE(prepared) << input;
    EXPECT_EQ(prepared.error().code, Errc::InvalidRequest);
    EXPECT_EQ(prepared.error().where, "page");
  }
  EXPECT_EQ(prepare(*tool, R"({"file":[{}]})").error().where, "file");
}

}  // namespace
}  // namespace toolgate::http_tool_test
