// Who is let in: Host and Origin, API keys, the operator token.
#include "gateway/access.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

HttpHead make_head(Fields fields) {
  HttpHead head;
  for (const auto& [name, value] : fields) head.add(name, value);
  return head;
}

const std::vector<std::string> kAllowed{"toolgate.example", "10.0.0.5", "fe80::5"};

bool host_allowed(std::string_view host, std::string_view own_address = "") {
  return check_origin(make_head({{"Host", host}}), own_address, kAllowed).has_value();
}

bool origin_allowed(std::string_view origin, std::string_view own_address = "") {
  return check_origin(make_head({{"Host", "localhost"}, {"Origin", origin}}), own_address, kAllowed)
      .has_value();
}

TEST(Access, LoopbackHostsAreAllowed) {
  for (const std::string_view host :
       {"localhost", "localhost:8080", "LocalHost:1", "127.0.0.1", "127.0.0.1:8080", "127.1.2.3",
        "[::1]", "[::1]:8080", "[0:0:0:0:0:0:0:1]"})
    EXPECT_TRUE(host_allowed(host)) << host;
}

TEST(Access, ForeignHostsAreRefused) {
  for (const std::string_view host :
       {"evil.example", "evil.example:8080", "localhost.evil.example", "evil-localhost",
        "127.0.0.1.evil.example", "128.0.0.1", "0.0.0.0", "[::]", "[::2]", "10.0.0.6"})
    EXPECT_FALSE(host_allowed(host)) << host;
}

TEST(Access, MalformedHostsAreRefused) {
  for (const std::string_view host : {"",
                                      ":",
                                      ":80",
                                      "[",
                                      "[]",
                                      "[::1",
                                      "::1",
                                      "[::1]x",
                                      "[::1]80",
                                      "localhost:x",
                                      "localhost:80:80",
                                      "localhost:80@evil.example",
                                      "evil.example@localhost",
                                      "user@localhost",
                                      "localhost.",
                                      "localhost..",
                                      "127.0.0.1.",
                                      "127.1",
                                      "2130706433",
                                      "0x7f.0.0.1",
                                      "localhost/",
                                      "localhost ",
                                      "localhost,evil.example",
                                      "http://localhost"})
    EXPECT_FALSE(host_allowed(host)) << host;
}

TEST(Access, AMissingHostIsRefused) {
  const auto checked = check_origin(make_head({}), "", kAllowed);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, Errc::Forbidden);
  EXPECT_EQ(checked.error().where, "Host");
}

TEST(Access, HostsOfTheSettingsAreAllowedWithAnyPort) {
  for (const std::string_view host :
       {"toolgate.example", "TOOLGATE.example:443", "10.0.0.5:8080", "[fe80::5]", "[FE80::5]:80"})
    EXPECT_TRUE(host_allowed(host)) << host;
  for (const std::string_view host :
       {"sub.toolgate.example", "toolgate.example.", "xtoolgate.example", "toolgate.examples"})
    EXPECT_FALSE(host_allowed(host)) << host;
}

TEST(Access, TheAddressTheClientReachedIsAllowed) {
  EXPECT_TRUE(host_allowed("192.168.1.7:8080", "192.168.1.7"));
  EXPECT_FALSE(host_allowed("192.168.1.8:8080", "192.168.1.7"));
  EXPECT_TRUE(host_allowed("[2001:db8::7]:8080", "2001:db8::7"));
  EXPECT_TRUE(origin_allowed("http://192.168.1.7:8080", "192.168.1.7"));
}

TEST(Access, OriginsOnAllowedHostsAreAllowed) {
  for (const std::string_view origin :
       {"http://localhost", "http://localhost:3000", "https://localhost", "http://127.0.0.1:5173",
        "http://[::1]:3000", "https://toolgate.example", "http://LOCALHOST"})
    EXPECT_TRUE(origin_allowed(origin)) << origin;
}

TEST(Access, OtherOriginsAreRefused) {
  for (const std::string_view origin :
       {"null", "", "https://evil.example", "http://localhost.evil.example",
        "http://localhost@evil.example", "http://localhost:80@evil.example",
        "http://user:password@localhost", "localhost", "//localhost", "http://", "http:localhost",
        "ftp://localhost", "file://", "chrome-extension://localhost", "http://localhost/",
        "http://localhost.", "http://[::1", "http://localhost https://evil.example"}) {
    EXPECT_FALSE(origin_allowed(origin)) << origin;
    const auto checked =
        check_origin(make_head({{"Host", "localhost"}, {"Origin", origin}}), "", kAllowed);
    EXPECT_EQ(checked.error().code, Errc::Forbidden);
    EXPECT_EQ(checked.error().where, "Origin");
  }
}

TEST(Access, AnAllowedOriginDoesNotHelpAForeignHost) {
  const auto checked = check_origin(
      make_head({{"Host", "evil.example"}, {"Origin", "http://localhost"}}), "", kAllowed);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().where, "Host");
}

const std::vector<ApiKey> kKeys{{"laptop", "key-of-the-laptop"}, {"server", "key-of-the-server"}};
constexpr std::string_view kToken = "the-operator-token-of-this-test!";

// The name of the caller, or the code of the refusal.
std::string caller(Fields fields, Access access = Access::Key, std::span<const ApiKey> keys = kKeys,
                   std::string_view token = kToken) {
  const auto checked = check_key(make_head(fields), access, keys, token);
  return checked ? *checked : fmt::format("refused: {}", error_info(checked.error().code).name);
}

const std::string kRefused = fmt::format("refused: {}", error_info(Errc::Unauthorized).name);

TEST(Access, AKnownKeyGivesItsName) {
  EXPECT_EQ(caller({{"Authorization", "Bearer key-of-the-laptop"}}), "laptop");
  EXPECT_EQ(caller({{"Authorization", "bearer key-of-the-server"}}), "server");
  EXPECT_EQ(caller({{"X-Api-Key", "key-of-the-server"}}), "server");
  EXPECT_EQ(caller({{"api-key", "key-of-the-laptop"}}), "laptop");
}

TEST(Access, AnUnknownKeyIsRefused) {
  EXPECT_EQ(caller({}), kRefused);
  for (const std::string_view value :
       {"", "Bearer", "Bearer ", "Bearer wrong", "Bearer key-of-the-lapto",
        "Bearer key-of-the-laptopx", "Bearer KEY-OF-THE-LAPTOP", "key-of-the-laptop",
        "Basic key-of-the-laptop", "Bearerkey-of-the-laptop", "Token key-of-the-laptop"})
    EXPECT_EQ(caller({{"Authorization", value}}), kRefused) << value;
  EXPECT_EQ(caller({{"X-Api-Key", ""}}), kRefused);
  EXPECT_EQ(caller({{"X-Api-Key", "Bearer key-of-the-laptop"}}), kRefused);
}

TEST(Access, TheErrorSaysWhatToSendAndNeverTheKey) {
  const auto missing = check_key(make_head({}), Access::Key, kKeys, kToken);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("Authorization: Bearer"), std::string::npos);
  const auto wrong =
      check_key(make_head({{"Authorization", "Bearer secret"}}), Access::Key, kKeys, kToken);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message.find("secret"), std::string::npos);
}

TEST(Access, WithoutKeysEveryoneMayUseKeyRoutes) {
  EXPECT_EQ(caller({}, Access::Key, {}), "");
  EXPECT_EQ(caller({{"Authorization", "Bearer anything"}}, Access::Key, {}), "");
}

TEST(Access, OpenRoutesAskForNothing) {
  EXPECT_EQ(caller({}, Access::Open), "");
  EXPECT_EQ(caller({{"Authorization", "Bearer wrong"}}, Access::Open), "");
}

TEST(Access, OperatorRoutesTakeTheTokenAndNothingElse) {
  const std::string bearer = fmt::format("Bearer {}", kToken);
  EXPECT_EQ(caller({{"Authorization", bearer}}, Access::Operator), "operator");
  EXPECT_EQ(caller({{"Authorization", bearer}}, Access::Operator, {}), "operator");
  EXPECT_EQ(caller({}, Access::Operator), kRefused);
  EXPECT_EQ(caller({}, Access::Operator, {}), kRefused);
  EXPECT_EQ(caller({{"Authorization", "Bearer key-of-the-laptop"}}, Access::Operator), kRefused);
}

TEST(Access, TheOperatorTokenOpensKeyRoutesToo) {
  EXPECT_EQ(caller({{"Authorization", fmt::format("Bearer {}", kToken)}}), "operator");
}

TEST(Access, AnEmptyTokenOpensNothing) {
  EXPECT_EQ(caller({}, Access::Operator, kKeys, ""), kRefused);
  EXPECT_EQ(caller({{"X-Api-Key", ""}}, Access::Operator, {}, ""), kRefused);
}

}  // namespace
}  // namespace toolgate
