// The settings that decide about calls, and that a workspace can only make them stricter.
#include <gtest/gtest.h>

#include "settings_fixture.h"

namespace toolgate {
namespace {

class ApprovalKeys : public SettingsFilesTest {};

TEST_F(ApprovalKeys, GlobalApprovalIsForAllOrByTool) {
  EXPECT_FALSE(loaded().approvals.global.is_on());
  profile(R"({"chat.tools.global.autoApprove": true})");
  EXPECT_TRUE(loaded().approvals.global.approves("any"));
  EXPECT_FALSE(loaded().approvals.global_opted_in) << "a second yes is needed";
  profile(R"({"chat.tools.global.autoApprove": {"one": true, "two": false},
              "chat.tools.global.autoApprove.optIn": true})");
  const auto approvals = loaded().approvals;
  EXPECT_TRUE(approvals.global.approves("one"));
  EXPECT_FALSE(approvals.global.approves("two"));
  EXPECT_FALSE(approvals.global.approves("three"));
  EXPECT_TRUE(approvals.global_opted_in);
}

TEST_F(ApprovalKeys, AWorkspaceMayForbidAndNotAllow) {
  profile(R"({"chat.tools.eligibleForAutoApproval": {"a": false, "b": true},
              "chat.tools.urls.autoApprove": {"https://a.example": true},
              "toolgate.approvals.rules": [{"tools": "x", "decision": "allow"}]})");
  toolgate(R"({"chat.tools.eligibleForAutoApproval": {"a": true, "b": false},
               "chat.tools.urls.autoApprove": {"https://a.example": false, "https://b.example": true},
               "chat.tools.edits.autoApprove": {"**/*.md": true, "**/*.sql": false},
               "toolgate.redact": ["plan"],
               "toolgate.approvals.rules": [{"tools": "x", "decision": "ask"},
                                            {"tools": "*", "decision": "allow"}]})");
  const auto settings = loaded();
  EXPECT_EQ(settings.approvals.eligible.at("a"), false);
  EXPECT_EQ(settings.approvals.eligible.at("b"), false);
  const std::vector<std::string> forbidden{"https://a.example"};
  EXPECT_FALSE(approves_urls(forbidden, settings.approvals.urls, UrlSide::Request));
  const std::vector<std::string> other{"https://b.example"};
  EXPECT_FALSE(approves_urls(other, settings.approvals.urls, UrlSide::Request));
  EXPECT_EQ(settings.approvals.edits.back().pattern, "**/*.sql");
  EXPECT_TRUE(std::ranges::find(settings.redact, "plan") != settings.redact.end());
  EXPECT_GT(settings.redact.size(), 1u) << "the profile's, or the usual ones, stay";
  std::size_t told = 0;
  for (const std::string& warning : settings.warnings)
    told += warning.contains("a workspace may forbid, not allow") ? 1U : 0U;
  EXPECT_EQ(told, 4u);
}

TEST_F(ApprovalKeys, WhatCannotBeReadIsRefusedWithItsPlace) {
  for (const auto& [text, pattern] :
       {std::pair{R"({"toolgate.approvals.rules": [{"tools": "x"}]})", "needs a \"decision\""},
        std::pair{R"({"toolgate.approvals.rules": [{"tools": "x", "decision": "deny",
                      "arguments": {"/a": {"pattern": "("}}}]})",
                  "pattern"},
        std::pair{R"({"toolgate.approvals.rules": {}})", "must be a list of rules"},
        std::pair{R"({"toolgate.hooks.before": [{"name": "x"}]})", "either \"command\" or \"url\""},
        std::pair{R"({"toolgate.hooks.before": [{"command": "ls -l"}]})", "must be a list"},
        std::pair{R"({"toolgate.hooks.after": [{"url": "http://x/", "onFailure": "hope"}]})",
                  "\"ask\", \"deny\" or \"ignore\""},
        std::pair{R"({"toolgate.confirmation.timeoutSeconds": -1})", "seconds"},
        std::pair{R"({"chat.tools.urls.autoApprove": {"https://x": "yes"}})", "true, false"},
        std::pair{R"({"chat.tools.edits.autoApprove": {"**": 1}})", "true or false"},
        std::pair{R"({"toolgate.apiKeys": [{"name": "operator", "key": "k"}]})",
                  "choose another"}}) {
    profile(text);
    const auto settings = load();
    ASSERT_FALSE(settings) << text;
    EXPECT_TRUE(settings.error().message.contains(pattern)) << settings.error().message;
    EXPECT_TRUE(settings.error().message.contains("settings.json:")) << settings.error().message;
  }
}

TEST_F(ApprovalKeys, TimesHooksAndRulesAreTaken) {
  profile(R"({"toolgate.confirmation.timeoutSeconds": 0.5,
              "toolgate.hooks.before": [{"name": "p", "command": ["sh", "-c", "a\nb"], "tools": "db_*",
                                         "timeoutSeconds": 2, "onFailure": "deny"}],
              "toolgate.httpTools.allowedHosts": ["127.0.0.1:9000"]})");
  const auto settings = loaded();
  EXPECT_EQ(settings.approvals.confirmation_time, std::chrono::milliseconds(500));
  ASSERT_EQ(settings.hooks.before.size(), 1u);
  EXPECT_EQ(settings.hooks.before[0].command.back(), "a\nb");
  EXPECT_EQ(settings.hooks.before[0].tools, std::vector<std::string>{"db_*"});
  EXPECT_EQ(settings.hooks.before[0].timeout, std::chrono::seconds(2));
  EXPECT_EQ(settings.hooks.before[0].on_failure, Hook::OnFailure::Deny);
  EXPECT_EQ(settings.http_tools.allowed_private_hosts.size(), 1u);
}

}  // namespace
}  // namespace toolgate
