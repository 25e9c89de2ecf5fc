// Registered tools in a chat request: which are asked for, and how they stand in the upstream's
// body.
#include <initializer_list>

#include <gtest/gtest.h>

#include "base/json.h"
#include "chat_bodies.h"
#include "wire/openai_chat.h"

namespace toolgate {
namespace {

std::shared_ptr<const AddedTools> added_tools(std::initializer_list<std::string_view> names) {
  auto added = std::make_shared<AddedTools>();
  for (const std::string_view name : names) {
    const std::string json = tool(name);
    if (!added->text.empty()) added->text += ',';
    added->tools.push_back({std::string(name), {}, added->text.size(), json.size()});
    added->text += json;
  }
  return added;
}

// The upstream's "tools" and "tool_choice" when f and g are added to what the client sent.
std::string tools_with_added(const std::string& body) {
  auto request = parse_chat_request(body);
  if (!request) return request.error().message;
  request->added = added_tools({"f", "g"});
  if (auto chosen = check_tool_choice(*request); !chosen) return chosen.error().message;
  const auto sent = parse_json(join(make_upstream_body(*request, "m")));
  if (!sent) return sent.error().message;
  std::string names;
  if (const json::value* tools = find(*sent, "tools"))
    for (const auto& entry : tools->as_array())
      names += std::string(entry.at("function").at("name").as_string()) + " ";
  return names;
}

TEST(AddedTools, FollowTheClientsOwn) {
  EXPECT_EQ(tools_with_added(with(R"("n":1)")), "f g ");
  EXPECT_EQ(tools_with_added(with_tools("")), "f g ");
  EXPECT_EQ(tools_with_added(with(R"("tools":null)")), "f g ");
  EXPECT_EQ(tools_with_added(with_tools(tool("own"))), "own f g ");
  EXPECT_EQ(tools_with_added(with_tools(tool("own") + " , " + tool("two") + "\n")), "own two f g ");
}

TEST(AddedTools, AreChosenLikeTheClientsOwn) {
  const auto choose = [](std::string_view tools, std::string_view name) {
    return tools_with_added(with(fmt::format(
        R"({}"tool_choice":{{"type":"function","function":{{"name":"{}"}}}})", tools, name)));
  };
  const std::string own = R"("tools":[)" + tool("own") + "],";
  EXPECT_EQ(choose("", "g"), "g ");
  EXPECT_EQ(choose(own, "g"), "g ");
  EXPECT_EQ(choose(own, "own"), "own ");
  EXPECT_NE(choose(own, "x").find("available: own, f, g"), std::string::npos);
  EXPECT_EQ(tools_with_added(with(R"("tool_choice":"required")")), "f g ");
  EXPECT_EQ(tools_with_added(with(own + R"("tool_choice":"none")")), "");
}

TEST(ChatRequest, SendsReplacedMessagesInstead) {
  const std::string body = with_messages(std::string(kUser) + "," + std::string(kUser));
  auto request = parse_chat_request(body);
  ASSERT_TRUE(request);
  request->replaced_messages.push_back({1, R"({"role":"user","content":"other"})"});
  const auto sent = parse_json(join(make_upstream_body(*request, "m")));
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(sent->at("messages").at(0), parse_json(kUser).value());
  EXPECT_EQ(sent->at("messages").at(1).at("content").as_string(), "other");
}

TEST(ChatRequest, ReadsTheListsOfToolsInEverySpelling) {
  const auto lists = [](std::string_view members) {
    const auto request = parse_chat_request(with(std::string(members)));
    const auto join_names = [](const std::optional<std::vector<std::string>>& names) {
      return names ? fmt::format("[{}]", fmt::join(*names, " ")) : "-";
    };
    return request ? join_names(request->include_tools) + join_names(request->exclude_tools)
                   : request.error().message;
  };
  EXPECT_EQ(lists(R"("n":1)"), "--");
  for (const char* key : {"include_tools", "includeTools", "toolsInclude"})
    EXPECT_EQ(lists(fmt::format(R"("{}":["a","b\u0020c"])", key)), "[a b c]-");
  for (const char* key : {"exclude_tools", "excludeTools", "toolsExclude"})
    EXPECT_EQ(lists(fmt::format(R"("{}":[])", key)), "-[]");
  EXPECT_EQ(lists(R"("include_tools":null)"), "--");
}

}  // namespace
}  // namespace toolgate
