#include "invoke/redaction.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::string redact(std::string_view json) {
  return Redaction().redact(json);
}

TEST(Redaction, TakesValuesOfSecretMembers) {
  EXPECT_EQ(redact(R"({"user":"kim","password":"hunter2"})"),
            R"({"user":"kim","password":"[redacted]"})");
  EXPECT_EQ(
      redact(R"({"token":17,"secret":null,"apiKey":{"a":"b"},"cookie":["c"]})"),
      R"({"token":"[redacted]","secret":"[redacted]","apiKey":"[redacted]","cookie":"[redacted]"})");
}

TEST(Redaction, AtAnyDepth) {
  EXPECT_EQ(redact(R"({"a":[{"b":{"passwd":"x"}},[{"jwt":"y"}]]})"),
            R"({"a":[{"b":{"passwd":"[redacted]"}},[{"jwt":"[redacted]"}]]})");
  EXPECT_EQ(redact(R"([{"otp":"1"}])"), R"([{"otp":"[redacted]"}])");
}

TEST(Redaction, EscapedNamesAreTheSameNames) {
  EXPECT_EQ(redact(R"({"\u0070assword":"hunter2"})"), R"({"password":"[redacted]"})");
  EXPECT_EQ(redact(R"({"pass\u0077ord":"hunter2"})"), R"({"password":"[redacted]"})");
}

TEST(Redaction, MembersOfTheSameNameHideNothing) {
  EXPECT_EQ(redact(R"({"password":"one","password":"two"})"), R"({"password":"[redacted]"})");
  EXPECT_EQ(redact(R"({"a":{"password":"one"},"a":1})"), R"({"a":1})");
}

TEST(Redaction, JsonInStringsIsLookedInto) {
  EXPECT_EQ(redact(R"({"body":"{\"password\":\"x\",\"n\":1}"})"),
            R"({"body":"{\"password\":\"[redacted]\",\"n\":1}"})");
  EXPECT_EQ(redact(R"({"body":"[{\"a\":\"{\\\"token\\\":\\\"x\\\"}\"}]"})"),
            R"({"body":"[{\"a\":\"{\\\"token\\\":\\\"[redacted]\\\"}\"}]"})");
  EXPECT_EQ(redact(R"({"body":"{\"a\":{\"token\":\"x\"},\"a\":1}"})"), R"({"body":"{\"a\":1}"})");
  EXPECT_EQ(redact(R"({"body":"{ \"a\" : 1 }"})"), R"({"body":"{ \"a\" : 1 }"})");
}

TEST(Redaction, WhatIsNoJsonGoesAsAWhole) {
  for (const char* text : {"password=hunter2", "{\"password\":\"x\"", "", "{\"a\":\"\xff\"}"})
    EXPECT_EQ(redact(text), "\"[redacted]\"") << text;
  EXPECT_EQ(redact(std::string(1000, '[') + std::string(1000, ']')), "\"[redacted]\"");
}

TEST(Redaction, LeavesTheRestAsItWas) {
  EXPECT_EQ(redact(R"({"max_tokens":1.50,"tokens":[1e2],"path":"/a"})"),
            R"({"max_tokens":1.50,"tokens":[1e2],"path":"/a"})");
  EXPECT_EQ(redact("\"password\""), "\"password\"");
}

TEST(Redaction, NamesAreComparedWithoutCaseAndDashes) {
  const Redaction redaction;
  for (const char* name : {"X-Api-Key", "api_key", "APIKEY", "clientSecret", "Proxy-Authorization",
                           "github_token", "DB_PASSWORD", "aws-secret-access-key", "Set-Cookie"})
    EXPECT_TRUE(redaction.is_secret(name)) << name;
  for (const char* name : {"tokens", "author", "key", "passenger", "path", ""})
    EXPECT_FALSE(redaction.is_secret(name)) << name;
}

TEST(Redaction, OwnNamesReplaceTheDefaults) {
  const std::vector<std::string> names{"Card-Number", "pin*"};
  const Redaction redaction(names);
  EXPECT_TRUE(redaction.is_secret("cardNumber"));
  EXPECT_TRUE(redaction.is_secret("PIN_2"));
  EXPECT_FALSE(redaction.is_secret("password"));
  EXPECT_FALSE(Redaction(std::vector<std::string>{}).is_secret("password"));
}

TEST(Redaction, HidesWhatATextRepeatsOfTheSecrets) {
  const Redaction redaction;
  const std::string_view input =
      R"({"password":"hunter22","deep":{"api_key":["k-123456"]},"city":"Kyoto"})";
  EXPECT_EQ(redaction.hide("no hunter22 for hunter22 in Kyoto (k-123456)", input),
            "no [redacted] for [redacted] in Kyoto ([redacted])");
  EXPECT_EQ(redaction.hide("redacted", R"({"password":"redacted"})"), "[redacted]")
      << "a secret that stands in the mark itself ends, too";
  EXPECT_EQ(redaction.hide("abc", R"({"password":"b"})"), "abc") << "too short to be told apart";
  EXPECT_EQ(redaction.hide("as it is", "no JSON"), "as it is");
}

// The filter before the globs must let through whatever they would match.
TEST(Redaction, LooksAtNamesAsItsGlobsDo) {
  std::vector<std::string> names = default_redacted_names();
  const Redaction redaction(names);
  names.emplace_back("x*");  // too short for the filter
  const Redaction unfiltered(names);
  for (const std::string name : {"password",
                                 "PASS_WORD",
                                 "my-Pass-Wd",
                                 "userSecretValue",
                                 "ACCESS_TOKEN",
                                 "access_tokens",
                                 "o_t_p",
                                 "otp2",
                                 "jwt",
                                 "a",
                                 "",
                                 "pwd",
                                 "apikey",
                                 "API-KEY-2",
                                 "proxyAuthorization",
                                 "set-cookie",
                                 "cookies",
                                 "message",
                                 "path",
                                 "authority",
                                 "connectionString",
                                 "passwor"})
    EXPECT_EQ(redaction.is_secret(name), unfiltered.is_secret(name)) << name;
  EXPECT_TRUE(unfiltered.is_secret("xylophone"));
}

TEST(Redaction, ALineWithNothingToHideStaysAsItIs) {
  const Redaction redaction;
  const std::string plain = R"({"path": "a/b", "n": 1.50, "list": ["x", {"y": null}]})";
  EXPECT_EQ(redaction.redact_line(plain), plain);
  for (const std::string json :
       {R"({"password":"x"})", R"({"p\u0061ssword":"x"})", R"({"api-KEY":"x"})",
        R"({"a":"{\"token\":\"x\"}"})", "{\n\"a\": 1}", R"({"deep":[{"client_secret":{"a":1}}]})"})
    EXPECT_EQ(redaction.redact_line(json), redaction.redact(json)) << json;
}

}  // namespace
}  // namespace toolgate
