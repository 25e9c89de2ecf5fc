// Error bodies, ours and what upstreams send.
#include "wire/openai_error.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace toolgate {
namespace {

TEST(ErrorBody, AlwaysHasAllFourFields) {
  EXPECT_EQ(write_error_body({400, "no \"x\"", "t", std::nullopt, std::nullopt}),
            R"({"error":{"message":"no \"x\"","type":"t","param":null,"code":null}})");
  EXPECT_EQ(write_error_body({400, "m", "t", "p", "c"}),
            R"({"error":{"message":"m","type":"t","param":"p","code":"c"}})");
}

TEST(ErrorBody, IsMadeFromOurTable) {
  const ErrorBody body = make_error_body(Error{Errc::ModelNotFound, "no such model", "model"});
  EXPECT_EQ(body.status, 404);
  EXPECT_EQ(body.type, "invalid_request_error");
  EXPECT_EQ(body.code, "model_not_found");
  EXPECT_EQ(body.param, "model");
  EXPECT_FALSE(make_error_body(Error{Errc::Internal, "x", ""}).param);
}

TEST(UpstreamError, KeepsOpenAisFields) {
  const ErrorBody body = read_upstream_error(
      400, R"({"error":{"message":"bad","type":"some_type","param":"tools","code":42}})");
  EXPECT_EQ(body.status, 400);
  EXPECT_EQ(body.message, "bad");
  EXPECT_EQ(body.type, "some_type");
  EXPECT_EQ(body.param, "tools");
  EXPECT_EQ(body.code, "42");
}

TEST(UpstreamError, FindsTheMessageInEveryKnownShape) {
  for (const std::string_view text :
       {R"({"error":"boom"})", R"({"message":"boom"})", R"({"detail":"boom"})",
        R"({"detail":[{"loc":["body"],"msg":"boom","type":"v"}]})",
        R"([{"error":{"message":"boom"}}])", R"({"error":{"message":"boom","code":null}})", "boom",
        "  boom\r\n", "\"boom\"", "<html><head><title>boom</title></head><body>x</body></html>",
        "<p>boom</p>", R"({"error":{"detail":"boom"}})", R"({"error":{},"message":"boom"})",
        R"({"error":true,"message":"boom"})"})
    EXPECT_EQ(read_upstream_error(500, text).message, "boom") << text;
}

TEST(UpstreamError, UnknownShapesKeepTheirText) {
  EXPECT_EQ(read_upstream_error(500, R"({"oops":1})").message, R"({"oops":1})");
}

TEST(UpstreamError, NothingIsSaidToBeNothing) {
  for (const std::string_view text : {"", " \n", "{}", "[]", "null"})
    EXPECT_EQ(read_upstream_error(503, text).message,
              "the upstream answered with status 503 and no message")
        << text;
}

TEST(UpstreamError, TypeFollowsTheStatus) {
  EXPECT_EQ(read_upstream_error(401, "x").type, "authentication_error");
  EXPECT_EQ(read_upstream_error(403, "x").type, "permission_error");
  EXPECT_EQ(read_upstream_error(429, "x").type, "rate_limit_error");
  EXPECT_EQ(read_upstream_error(422, "x").type, "invalid_request_error");
  EXPECT_EQ(read_upstream_error(500, "x").type, "upstream_error");
}

TEST(UpstreamError, LongBrokenTextIsCutAndMended) {
  std::string text = "a\xFF\x01";
  for (int i = 0; i < 3000; ++i) text += "€";
  const std::string message = read_upstream_error(500, text).message;
  EXPECT_LE(message.size(), 2010U);
  EXPECT_TRUE(is_valid_utf8(message));
  EXPECT_TRUE(message.starts_with("a\xEF\xBF\xBD €"));
  EXPECT_TRUE(message.ends_with("…"));
}

std::optional<ErrorBody> found_in(std::string_view text) {
  return find_error_in_answer(parse_json(text).value());
}

TEST(ErrorInAnswer, IsFoundInEveryKnownShape) {
  for (const std::string_view text :
       {R"({"error":{"message":"boom"}})", R"({"error":"boom"})",
        R"({"error":"boom","choices":[]})", R"({"object":"error","message":"boom","code":40303})",
        R"({"code":1,"message":"boom"})", R"({"detail":"boom"})"}) {
    const auto error = found_in(text);
    ASSERT_TRUE(error) << text;
    EXPECT_EQ(error->message, "boom") << text;
    EXPECT_EQ(error->status, 502) << text;
  }
}

TEST(ErrorInAnswer, ItsOwnStatusIsUsed) {
  EXPECT_EQ(found_in(R"({"error":{"message":"m","code":429}})")->status, 429);
  EXPECT_EQ(found_in(R"({"error":{"message":"m","code":"503"}})")->status, 503);
  EXPECT_EQ(found_in(R"({"error":"m","status":400})")->status, 400);
  EXPECT_EQ(found_in(R"({"error":{"message":"m","code":200}})")->status, 502);
}

TEST(ErrorInAnswer, AnswersAreNone) {
  for (const std::string_view text :
       {R"({"choices":[],"error":null})", R"({"choices":[{}],"message":"m"})", R"({"error":""})",
        R"({"error":{}})", R"({"id":"x"})", "[]", "1"})
    EXPECT_FALSE(found_in(text)) << text;
}

}  // namespace
}  // namespace toolgate
