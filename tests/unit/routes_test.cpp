// The route table and how a request finds its row.
#include "gateway/routes.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::string_view matched(std::string_view method, std::string_view path) {
  const auto match = match_route(method, path);
  return match.route ? match.route->path : "none";
}

TEST(Routes, EveryRouteIsThereOnce) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Route& route : routes()) {
    EXPECT_TRUE(seen.emplace(route.method, route.path).second) << route.method << " " << route.path;
    EXPECT_TRUE(route.path.starts_with('/')) << route.path;
    EXPECT_NE(route.method, "HEAD") << "answered by GET";
    EXPECT_NE(route.handler, nullptr);
  }
  EXPECT_FALSE(seen.empty());
}

TEST(Routes, EveryRouteIsFoundByItsOwnPath) {
  for (const Route& route : routes()) {
    const auto match = match_route(route.method, route.path);
    EXPECT_EQ(match.route, &route) << route.method << " " << route.path;
  }
}

TEST(Routes, APathParameterIsAWholeSegmentAndTheOnlyOne) {
  for (const Route& route : routes()) {
    const auto brace = route.path.find('{');
    if (brace == route.path.npos) continue;
    const auto after = route.path.substr(route.path.find('}') + 1);
    EXPECT_EQ(route.path[brace - 1], '/') << route.path;
    EXPECT_TRUE(after.empty() || after.front() == '/') << route.path;
    EXPECT_EQ(after.find('{'), after.npos) << route.path;
  }
}

TEST(Routes, APathParameterMayStandInTheMiddle) {
  for (const auto& [path, pattern, name] :
       {std::tuple{"/v1/tools/act/invoke", "/v1/tools/{name}/invoke", "act"},
        std::tuple{"/v1/tools/set/act/invoke", "/v1/tools/{name}/invoke", "set/act"},
        std::tuple{"/v1/tools/a%2Fb/invoke", "/v1/tools/{name}/invoke", "a/b"},
        std::tuple{"/v1/invocations/inv_1/confirm", "/v1/invocations/{id}/confirm", "inv_1"}}) {
    const auto match = match_route("POST", path);
    ASSERT_NE(match.route, nullptr) << path;
    EXPECT_EQ(match.route->path, pattern);
    EXPECT_EQ(match.parameter, name);
  }
  EXPECT_EQ(match_route("POST", "/v1/tools//invoke").route, nullptr);
  EXPECT_EQ(match_route("POST", "/v1/tools/invoke").route, nullptr);
}

// A new route that changes something is the operator's, unless someone thought about it.
TEST(Routes, WhatChangesSomethingIsTheOperatorsUnlessListedHere) {
  const std::set<std::string_view> free{"/v1/chat/completions",
                                        "/chat/completions",
                                        "/v1/normalize",
                                        "/v1/tokens",
                                        "/v1/tools/{name}/invoke",
                                        "/v1/tools/{name}/explain",
                                        "/v1/invocations/{id}/cancel",
                                        "/v1/invocations/{id}/resume"};
  for (const Route& route : routes())
    if (route.method != "GET" && !free.contains(route.path))
      EXPECT_EQ(route.access, Access::Operator) << route.method << ' ' << route.path;
}

// An agent's own tools must not be able to approve.
TEST(Routes, WhatDecidesForAPersonIsTheOperatorsOnly) {
  for (const auto& [method, path] :
       {std::pair{"POST", "/v1/invocations/x/confirm"}, std::pair{"GET", "/v1/approvals"},
        std::pair{"DELETE", "/v1/approvals"}, std::pair{"DELETE", "/v1/approvals/x"},
        std::pair{"GET", "/v1/edits"}, std::pair{"GET", "/v1/edits/x"},
        std::pair{"POST", "/v1/edits/x/undo"}, std::pair{"POST", "/v1/tools"},
        std::pair{"DELETE", "/v1/tools/x"}}) {
    const auto match = match_route(method, path);
    ASSERT_NE(match.route, nullptr) << path;
    EXPECT_EQ(match.route->access, Access::Operator) << method << ' ' << path;
  }
}

TEST(Routes, UnknownPathsMatchNothing) {
  for (const std::string_view path :
       {"", "//", "/v1", "/v1/", "/v1/models/", "/v1/chat/completions/", "/V1/models",
        "/v1/modelsx", "/healthz/", "/nonsense", "/v1//models", "/../healthz"}) {
    const auto match = match_route("GET", path);
    EXPECT_EQ(match.route, nullptr) << path;
    EXPECT_EQ(match.allowed_methods, "") << path;
  }
}

TEST(Routes, AnotherMethodIsToldWhichAreAllowed) {
  EXPECT_EQ(match_route("GET", "/v1/chat/completions").allowed_methods, "POST");
  EXPECT_EQ(match_route("POST", "/v1/models").allowed_methods, "GET");
  EXPECT_EQ(match_route("DELETE", "/v1/models/some").allowed_methods, "GET");
  EXPECT_EQ(match_route("get", "/healthz").allowed_methods, "GET") << "methods have a case";
  EXPECT_EQ(match_route("PATCH", "/healthz").route, nullptr);
}

TEST(Routes, HeadIsAnsweredByGet) {
  EXPECT_EQ(matched("HEAD", "/healthz"), "/healthz");
  EXPECT_EQ(matched("HEAD", "/v1/models/a"), "/v1/models/{id}");
  EXPECT_EQ(match_route("HEAD", "/v1/chat/completions").route, nullptr);
}

TEST(Routes, AModelsIdIsTheRestOfThePathDecoded) {
  for (const auto& [path, id] : {
           std::pair{"/v1/models/gpt-4o", "gpt-4o"},
           {"/v1/models/toolgate/demo", "toolgate/demo"},
           {"/v1/models/toolgate%2Fdemo", "toolgate/demo"},
           {"/v1/models/toolgate%2fdemo", "toolgate/demo"},
           {"/v1/models/a%20b", "a b"},
           {"/v1/models/a+b", "a+b"},
           {"/v1/models/%41%c3%a4", "A\xc3\xa4"},
           {"/v1/models/%252F", "%2F"},
           {"/v1/models/100%", "100%"},
           {"/v1/models/%4", "%4"},
           {"/v1/models/%zz", "%zz"},
           {"/v1/models//", "/"},
           {"/models/x", "x"},
       }) {
    const auto match = match_route("GET", path);
    ASSERT_NE(match.route, nullptr) << path;
    EXPECT_TRUE(match.route->path.ends_with("/models/{id}")) << path;
    EXPECT_EQ(match.parameter, id) << path;
  }
  EXPECT_EQ(match_route("GET", "/v1/models").parameter, "");
}

TEST(Routes, OnlyTheHealthOfTheGatewayIsOpen) {
  for (const Route& route : routes())
    EXPECT_EQ(route.access == Access::Open, route.path == "/healthz") << route.path;
}

}  // namespace
}  // namespace toolgate
