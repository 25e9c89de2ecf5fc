// Names of groups that a model gave: reading its answers, and the table that trees look in.
#include "agent/group_names.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/json.h"
#include "models/demo.h"
#include "tools/virtual_tools.h"

namespace toolgate {
namespace {

using namespace std::chrono_literals;

constexpr NamingTime kNow{1h};

std::string answer_with(std::string_view content) {
  std::string body = R"({"choices":[{"index":0,"message":{"role":"assistant","content":)";
  append_json_string(body, content);
  return body + "}}]}";
}

struct Read {
  std::string name;  // or the error
  std::string description = {};
};

Read read(std::string_view content) {
  const auto names = read_naming_answer(answer_with(content));
  return names ? Read{names->name, names->description} : Read{"! " + names.error().message};
}

TEST(NamingAnswer, IsReadFromWhateverStandsAroundIt) {
  for (
      const std::string_view text :
      {R"({"name": "mail_sending", "description": "Sends mail."})",
       "```json\n{\"name\": \"mail_sending\",\n \"description\": \"Sends mail\"}\n```",
       R"(Sure! {"name": "Mail: sending", "description": " Sends\n\tmail. "} Anything else?)",
       R"(<think>{"name": "draft"} or {a}?</think>{"name":"activate_mail_sending","description":"Sends mail."})",
       R"({"group": {"name": "mail sending", "description": "Sends mail."}})"}) {
    const Read found = read(text);
    EXPECT_EQ(found.name, "mail_sending") << text;
    EXPECT_EQ(found.description, "Sends mail.") << text;
  }
  EXPECT_EQ(read(R"({"name": "mail"})").description, "");
  EXPECT_EQ(read(R"({"name": "mail", "description": 5})").description, "");
}

TEST(NamingAnswer, MayComeInParts) {
  const auto names = read_naming_answer(
      R"({"choices":[{"message":{"content":[{"type":"text","text":"{\"name\":\"mail\"}"}]}}]})");
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_EQ(names->name, "mail");
}

TEST(NamingAnswer, ThatIsNoNameIsRefused) {
  for (const std::string_view text :
       {"", "mail", R"({"title": "mail"})", R"({"name": ""})", R"({"name": 5})",
        R"({"name": null})", R"({"name": "..."})", R"({"name": "邮件"})", R"({"name": "12"})",
        R"({"name": "mail)", R"(["name"])"})
    EXPECT_TRUE(read(text).name.starts_with("! ")) << text;
  EXPECT_EQ(read(R"({"name": ")" + std::string(101, 'a') + R"("})").name, "! its name is too long");
  for (const std::string_view body : {"", "no", "[]", "{}", R"({"choices":[]})",
                                      R"({"choices":[5]})", R"({"choices":[{"message":{}}]})"})
    EXPECT_FALSE(read_naming_answer(body)) << body;
}

TEST(NamingAnswer, IsBounded) {
  std::string open(1 << 20, '{');
  EXPECT_FALSE(read_naming_answer(answer_with(open)));
  const Read clipped =
      read(R"({"name": "mail", "description": ")" + std::string(5000, 'x') + R"("})");
  EXPECT_EQ(clipped.description.size(), 401u);
  const Read whole =
      read(R"({"name": "mail", "description": ")" + std::string(399, 'x') + R"(ä"})");
  EXPECT_EQ(whole.description, std::string(399, 'x') + ".");
}

TEST(NamingRequest, IsAWholeChatRequest) {
  const std::string body = write_naming_request("m", "2 tools: \"a\"\n");
  const auto request = parse_chat_request(body);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->model, "m");
  EXPECT_FALSE(request->stream);
  ASSERT_EQ(request->messages.size(), 2u);
  EXPECT_EQ(request->messages[0].role, Role::System);
  EXPECT_EQ(request->messages[1].role, Role::User);
  EXPECT_EQ(parse_json(request->messages[1].raw).value().at("content").as_string(),
            "2 tools: \"a\"\n");
}

TEST(GroupKey, IsOfTheExactMembersInAnyOrderAndTheModel) {
  const std::vector<OfferedTool> tools{{"a", "1"}, {"b", "2"}};
  const std::vector<OfferedTool> turned{{"b", "2"}, {"a", "1", "mcp_x"}};
  EXPECT_EQ(group_key(tools, "m"), group_key(turned, "m"));
  const std::vector<std::vector<OfferedTool>> others{
      {{"a", "1"}}, {{"a", "1"}, {"b", "3"}}, {{"a", "1b"}, {"", "2"}}, {{"a", "2"}, {"b", "1"}}};
  for (const auto& other : others) EXPECT_NE(group_key(tools, "m"), group_key(other, "m"));
  EXPECT_NE(group_key(tools, "m"), group_key(tools, "n"));
}

class KnownNames : public testing::Test {
 protected:
  KnownNames() {
    for (int i = 0; i < 400; ++i) {
      texts_.push_back(fmt::format("{}_{}", i % 2 == 0 ? "mail" : "file", i));
      sources_.push_back(fmt::format("mcp_server{}", i % 4));
    }
    for (std::size_t i = 0; i < texts_.size(); ++i)
      tools_.push_back({texts_[i], "Does something.", sources_[i], {}, {}});
  }

  std::shared_ptr<const GroupTree> make_tree(NamingTime now = kNow) {
    wish_ = {model_, {}, {}};
    const KnownGroupNames names(table_, now, wish_);
    return group_tools(tools_, {.namer = &names});
  }

  // As if the model had named all that was missing.
  void name_wished() {
    for (std::size_t i = 0; i < wish_.groups.size(); ++i)
      table_.entries[wish_.groups[i].key] = {{fmt::format("fine {}", i), "Is fine."}, {}, 1};
    ++table_.version;
  }

  std::shared_ptr<const ChatProvider> model_ = make_demo_provider("m");
  std::vector<std::string> texts_;
  std::vector<std::string> sources_;
  std::vector<OfferedTool> tools_;
  GroupNameTable table_;
  NamingWish wish_;
};

TEST_F(KnownNames, AreUsedOnceTheyAreThere) {
  const auto plain = group_tools(tools_, {});
  const auto before = make_tree();
  ASSERT_GT(before->groups().size(), 4u);
  EXPECT_EQ(wish_.groups.size(), before->groups().size() - 1);
  EXPECT_TRUE(wish_.taken.empty());
  name_wished();
  const auto after = make_tree();
  EXPECT_TRUE(wish_.groups.empty());
  EXPECT_EQ(wish_.taken.size(), after->groups().size() - 1);
  for (std::uint32_t i = 1; i < after->groups().size(); ++i) {
    EXPECT_EQ(before->groups()[i].name, plain->groups()[i].name);
    EXPECT_EQ(before->groups()[i].former_name, "");
    EXPECT_EQ(after->groups()[i].name, fmt::format("activate_fine_{}", i - 1));
    EXPECT_EQ(after->groups()[i].former_name, plain->groups()[i].name);
    EXPECT_TRUE(after->groups()[i].description.starts_with("Is fine. Call it"));
  }
}

TEST_F(KnownNames, OfAHistoryFromBeforeAreUnderstood) {
  const auto before = make_tree();
  name_wished();
  const auto after = make_tree();
  for (std::uint32_t i = 1; i < before->groups().size(); ++i) {
    VirtualTools then(before);
    VirtualTools now(after);
    const auto told_then = then.did_call(before->groups()[i].name);
    const auto told_now = now.did_call(before->groups()[i].name);
    ASSERT_TRUE(told_then && told_now);
    const auto& seen_then = then.compute();
    const auto& seen_now = now.compute();
    ASSERT_EQ(seen_then.size(), seen_now.size());
    for (std::size_t j = 0; j < seen_then.size(); ++j) {
      EXPECT_EQ(seen_then[j].tool, seen_now[j].tool);
      EXPECT_EQ(seen_then[j].group == nullptr, seen_now[j].group == nullptr);
    }
    VirtualTools both(after);
    both.did_call(after->groups()[i].name);
    EXPECT_EQ(both.expanded_groups(), now.expanded_groups());
  }
}

TEST_F(KnownNames, StayOpenWhenTheTreeChangesEitherWay) {
  const auto before = make_tree();
  name_wished();
  const auto after = make_tree();
  VirtualTools groups(before);
  groups.did_call(before->groups()[1].name);
  groups.set_tree(after);
  EXPECT_EQ(groups.expanded_groups(), (std::vector<std::string_view>{"activate_fine_0"}));
  groups.set_tree(before);
  EXPECT_EQ(groups.expanded_groups(), (std::vector<std::string_view>{before->groups()[1].name}));
}

TEST_F(KnownNames, ThatAreTheSameAsWithoutAModelStay) {
  const auto before = make_tree();
  for (std::size_t i = 0; i < wish_.groups.size(); ++i)
    table_.entries[wish_.groups[i].key] = {
        {before->groups()[i + 1].name.substr(kGroupNamePrefix.size()), {}}, {}, 1};
  const auto after = make_tree();
  for (std::size_t i = 1; i < before->groups().size(); ++i) {
    EXPECT_EQ(after->groups()[i].name, before->groups()[i].name);
    EXPECT_EQ(after->groups()[i].former_name, "");
    EXPECT_EQ(after->groups()[i].description, before->groups()[i].description);
  }
}

TEST_F(KnownNames, ThatTheModelDidNotGiveAreNotAskedForUntilTheirTime) {
  make_tree();
  const std::size_t missing = wish_.groups.size();
  for (const UnnamedGroup& group : wish_.groups) table_.entries[group.key] = {{}, kNow + 10min, 1};
  table_.retry_at = kNow + 10min;
  const auto tree = make_tree(kNow + 9min);
  EXPECT_TRUE(wish_.groups.empty());
  EXPECT_EQ(tree->groups()[1].name, group_tools(tools_, {})->groups()[1].name);
  make_tree(kNow + 10min);
  EXPECT_EQ(wish_.groups.size(), missing);
  EXPECT_EQ(table_.stage(kNow), table_.stage(kNow + 9min));
  EXPECT_NE(table_.stage(kNow), table_.stage(kNow + 10min));
}

TEST_F(KnownNames, AreAskedForInFewWords) {
  const std::string long_text(100'000, 'x');
  for (OfferedTool& tool : tools_) tool.description = long_text;
  tools_[0].description = "first\nline\x01 and \xff";
  make_tree();
  for (const UnnamedGroup& group : wish_.groups) EXPECT_LT(group.question.size(), 9'000u);
  const auto has_first = std::ranges::find_if(wish_.groups, [](const UnnamedGroup& group) {
    return group.question.contains("- mail_0: first line and \uFFFD\n");
  });
  EXPECT_NE(has_first, wish_.groups.end());

  const std::vector<OfferedTool> many(5'000, {"some_tool", "Does something."});
  const KnownGroupNames names(table_, kNow, wish_);
  wish_.groups.clear();
  EXPECT_FALSE(names.names_for(many));
  EXPECT_LT(wish_.groups.at(0).question.size(), 9'000u);
  EXPECT_TRUE(wish_.groups[0].question.starts_with("5000 tools:\n- some_tool: Does something.\n"));
  EXPECT_TRUE(wish_.groups[0].question.ends_with(" more\n"));
}

}  // namespace
}  // namespace toolgate
