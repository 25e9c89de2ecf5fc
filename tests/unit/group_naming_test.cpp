// Asking a model for names of groups: what is asked, how often, and what becomes of its answers.
#include "agent/group_naming.h"

#include <atomic>
#include <deque>

#include <gtest/gtest.h>

#include "base/json.h"
#include "captured_log.h"
#include "models/demo.h"
#include "test_loop.h"

namespace toolgate {
namespace {

using namespace std::chrono_literals;

std::string naming(std::string_view name) {
  std::string content;
  append_json_string(content, fmt::format(R"({{"name":"{}","description":"Of {}."}})", name, name));
  return fmt::format(R"({{"choices":[{{"message":{{"content":{}}}}}]}})", content);
}

// Gives the names that the test says, in order; without any it answers nonsense.
class ScriptedModel final : public ChatProvider {
 public:
  explicit ScriptedModel(std::string id = "namer") { info_.id = std::move(id); }

  const ModelInfo& info() const override { return info_; }
  Task<Result<ProviderReply>> answer(ProviderCall call, const Cancel& cancel) const override {
    asked.emplace_back(call.request.messages.at(1).raw);
    most_at_once = std::max(most_at_once, ++at_once);
    if (hold) {
      const CancelHook hook(cancel, [this](CancelReason) { let_go(); });
      co_await holds.emplace_back().wait();
    }
    --at_once;
    if (cancel.requested()) co_return fail(Errc::Cancelled, "cancelled");
    ProviderReply reply;
    reply.status = status;
    reply.body = names.empty() ? std::string("secret-in-an-answer") : naming(names.front());
    if (names.size() > 1) names.pop_front();
    co_return reply;
  }
  void let_go() const {
    hold = false;
    for (Event& event : holds) event.set();
  }

  mutable std::deque<std::string> names;  // the last one goes on for ever
  mutable bool hold = false;
  mutable std::deque<Event> holds;
  int status = 200;
  mutable std::vector<std::string> asked;
  mutable std::size_t at_once = 0;
  mutable std::size_t most_at_once = 0;

 private:
  ModelInfo info_;
};

class Naming : public testing::Test {
 protected:
  ~Naming() override {
    loop_.call([&] { client_.reset(); });
    loop_.finish();
  }

  NamingWish wish(std::size_t from, std::size_t to) const {
    NamingWish made{model_, {}, {}};
    for (std::size_t i = from; i < to; ++i)
      made.groups.push_back({fmt::format("key{}", i), fmt::format("question {}", i)});
    return made;
  }

  void start() {
    loop_.call([&] {
      naming_.emplace(
          loop_.loop(), client_.emplace(loop_.loop()),
          [this](const std::shared_ptr<const GroupNameTable>& table) {
            published_.push_back(table);
          },
          limits_, [this] { return now_.load(); });
    });
  }
  void want(NamingWish wish) {
    if (!naming_) start();
    loop_.call([&] { naming_->want(std::move(wish)); });
  }
  // Waits until everything that was wanted is known.
  const GroupNameTable& table() {
    loop_.run([this]() -> Task<> { co_await loop_.loop().scope().drain(); });
    return *loop_.call([this] { return published_.back().get(); });
  }
  std::string name(const std::string& key) { return table().entries.at(key).names.name; }

  std::shared_ptr<ScriptedModel> model_ = std::make_shared<ScriptedModel>();
  NamingLimits limits_;
  std::atomic<NamingTime> now_ = NamingTime(5h);
  std::vector<std::shared_ptr<const GroupNameTable>> published_;
  std::optional<HttpClient> client_;
  std::optional<GroupNaming> naming_;
  TestLoop loop_;  // last: its thread ends before what it uses
};

TEST_F(Naming, AsksOncePerGroupAndPublishesAllTogether) {
  model_->names = {"mail", "files", "calendar", "tickets"};
  want(wish(0, 4));
  EXPECT_EQ(table().entries.size(), 4u);
  EXPECT_EQ(published_.size(), 1u);
  EXPECT_EQ(table().version, 1u);
  EXPECT_EQ(table().retry_at, NamingTime::max());
  EXPECT_EQ(name("key0"), "mail");
  EXPECT_EQ(table().entries.at("key3").names.description, "Of tickets.");
  ASSERT_EQ(model_->asked.size(), 4u);
  EXPECT_TRUE(model_->asked[0].contains("question 0"));
  want(wish(0, 4));
  EXPECT_EQ(table().version, 1u);
  EXPECT_EQ(model_->asked.size(), 4u);
}

TEST_F(Naming, AsksAFewAtATimeAndTakesOneWish) {
  model_->names = {"mail"};
  model_->hold = true;
  want(wish(0, 10));
  want(wish(50, 60));
  loop_.call([&] { model_->let_go(); });
  EXPECT_EQ(table().entries.size(), 10u);
  EXPECT_EQ(model_->most_at_once, 3u);
  EXPECT_EQ(model_->asked.size(), 10u);
  want(wish(50, 60));
  EXPECT_EQ(table().entries.size(), 20u);
}

TEST_F(Naming, GivesNoNameTwiceInATree) {
  model_->names = {"mail"};
  NamingWish two = wish(0, 2);
  two.taken = {"mail", "mail_2"};
  want(std::move(two));
  EXPECT_EQ(name("key0"), "mail_3");
  EXPECT_EQ(name("key1"), "mail_4");
  want(wish(2, 3));  // of another tree
  EXPECT_EQ(name("key2"), "mail");
}

TEST_F(Naming, GivesUpOnAModelThatFailsAndAsksAgainLater) {
  const CapturedLog log;
  limits_.at_once = 1;
  want(wish(0, 50));  // answers nonsense
  EXPECT_EQ(model_->asked.size(), 3u);
  EXPECT_EQ(table().entries.size(), 50u);
  for (const auto& [key, entry] : table().entries) EXPECT_FALSE(entry.has_names());
  EXPECT_EQ(table().retry_at, now_.load() + 10min);
  want(wish(0, 50));
  EXPECT_EQ(model_->asked.size(), 3u);
  EXPECT_EQ(table().version, 1u);

  now_ = now_.load() + 10min;
  model_->names = {"mail"};
  want(wish(0, 2));
  EXPECT_EQ(name("key1"), "mail_2");
  EXPECT_EQ(table().entries.size(), 2u);  // what nobody wants any more is forgotten
  EXPECT_EQ(table().retry_at, NamingTime::max());
}

TEST_F(Naming, TellsAFailureOnceAndWithoutWhatTheModelSaid) {
  CapturedLog log;
  for (int round = 0; round < 3; ++round) {
    want(wish(0, 2));
    table();
    now_ = now_.load() + 10min;
  }
  model_->status = 401;
  want(wish(0, 2));
  table();
  const std::string text = log.take();
  const auto first =
      text.find("'namer' (toolgate.virtualTools.namingModel) has not named 2 groups");
  ASSERT_NE(first, text.npos) << text;
  EXPECT_NE(text.find("its answer is not JSON"), text.npos) << text;
  const auto second = text.find("has not named", first + 100);
  EXPECT_NE(text.find("status 401"), text.npos) << text;
  EXPECT_EQ(text.find("has not named", second + 1), text.npos) << text;
  EXPECT_EQ(text.find("secret-in-an-answer"), text.npos) << text;
}

TEST_F(Naming, OneNonsensicalAnswerLeavesTheOthers) {
  limits_.at_once = 1;
  model_->names = {"mail", "...", "files"};
  want(wish(0, 3));
  EXPECT_EQ(name("key0"), "mail");
  EXPECT_FALSE(table().entries.at("key1").has_names());
  EXPECT_EQ(name("key2"), "files");
}

TEST_F(Naming, AsksOnlySoOftenInAnHour) {
  limits_.questions_per_hour = 5;
  model_->names = {"mail"};
  want(wish(0, 4));
  table();
  want(wish(4, 8));
  table();
  EXPECT_EQ(model_->asked.size(), 5u);
  now_ = now_.load() + 1h;
  want(wish(4, 8));
  EXPECT_EQ(table().entries.size(), 8u);
  EXPECT_EQ(model_->asked.size(), 8u);
}

TEST_F(Naming, KeepsOnlySoMany) {
  limits_.kept = 5;
  model_->names = {"mail"};
  for (std::size_t i = 0; i < 6; i += 2) {
    want(wish(i, i + 2));
    table();
  }
  EXPECT_EQ(table().entries.size(), 4u);
  EXPECT_FALSE(table().entries.contains("key1"));
  EXPECT_TRUE(table().entries.contains("key5"));
}

TEST_F(Naming, DoesNotWaitForEver) {
  limits_.patience = 1ms;
  model_->hold = true;
  model_->names = {"mail"};
  want(wish(0, 1));
  EXPECT_FALSE(table().entries.at("key0").has_names());
}

TEST_F(Naming, EndsWhenTheGatewayStops) {
  model_->hold = true;
  model_->names = {"mail"};
  want(wish(0, 10));
  loop_.call([&] { naming_->stop(); });
  loop_.run([this]() -> Task<> { co_await loop_.loop().scope().drain(); });
  EXPECT_TRUE(published_.empty());
  EXPECT_LE(model_->asked.size(), 3u);
  want(wish(0, 10));
  EXPECT_LE(model_->asked.size(), 3u);
}

TEST_F(Naming, ByTheDemoModelIsNone) {
  NamingWish made = wish(0, 2);
  made.model = make_demo_provider("toolgate/demo");
  want(std::move(made));
  for (const auto& [key, entry] : table().entries) EXPECT_FALSE(entry.has_names());
}

}  // namespace
}  // namespace toolgate
