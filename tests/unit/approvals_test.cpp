#include "invoke/approvals.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

Approval approval(std::string id, ApprovalScope scope, std::string key = "tool") {
  Approval made;
  made.id = std::move(id);
  made.scope = scope;
  if (scope == ApprovalScope::Session) made.scope_id = "session";
  if (scope == ApprovalScope::Workspace) made.scope_id = "/workspace";
  made.key = made.tool_id = std::move(key);
  made.caller = "caller";
  made.definition_hash = "definition";
  return made;
}

Approval server_approval(std::string id, ApprovalScope scope) {
  Approval made = approval(std::move(id), scope, "mcp:a:b");
  made.target = ApprovalTarget::Server;
  made.definition_hash = "all definitions";
  return made;
}

Approval arguments_approval(std::string id, ApprovalScope scope) {
  Approval made = approval(std::move(id), scope, "hash of arguments");
  made.target = ApprovalTarget::Arguments;
  return made;
}

ApprovalQuery query() {
  ApprovalQuery made;
  made.tool_id = "tool";
  made.server_key = "mcp:a:b";
  made.arguments_key = "hash of arguments";
  made.session_id = "session";
  made.workspace = "/workspace";
  made.caller = "caller";
  made.definition_hash = "definition";
  made.server_definition_hash = "all definitions";
  return made;
}

std::string found(Approvals& approvals, const ApprovalQuery& asked, std::int64_t now = 1) {
  const Approvals::Match match = approvals.find(asked, now);
  return match.approval == nullptr ? "" : match.approval->id;
}

std::vector<std::string> ids(const std::vector<Approval>& approvals) {
  std::vector<std::string> result;
  for (const Approval& each : approvals) result.push_back(each.id);
  return result;
}

using Ids = std::vector<std::string>;

TEST(Approvals, AreFoundInTheirScopeOnly) {
  Approvals approvals;
  EXPECT_EQ(found(approvals, query()), "");
  approvals.remember(approval("a", ApprovalScope::Session));
  EXPECT_EQ(found(approvals, query()), "a");
  auto other = query();
  other.session_id = "another";
  EXPECT_EQ(found(approvals, other), "");
  other.session_id.clear();
  EXPECT_EQ(found(approvals, other), "");

  approvals.remember(approval("b", ApprovalScope::Workspace));
  EXPECT_EQ(found(approvals, other), "b");
  other.workspace = "/elsewhere";
  EXPECT_EQ(found(approvals, other), "");

  approvals.remember(approval("c", ApprovalScope::Profile));
  EXPECT_EQ(found(approvals, other), "c");
}

TEST(Approvals, WithoutAScopeIdAreOfNoSessionAndNoWorkspace) {
  Approvals approvals;
  Approval nowhere = approval("a", ApprovalScope::Session);
  nowhere.scope_id.clear();
  approvals.remember(nowhere);
  nowhere.id = "b";
  nowhere.key = "other";
  nowhere.scope = ApprovalScope::Workspace;
  approvals.remember(nowhere);
  auto asked = query();
  asked.session_id.clear();
  asked.workspace.clear();
  EXPECT_EQ(found(approvals, asked), "");
  asked.tool_id = "other";
  EXPECT_EQ(found(approvals, asked), "");
}

TEST(Approvals, OfOnceAreNeverFound) {
  Approvals approvals;
  approvals.remember(approval("a", ApprovalScope::Once));
  EXPECT_EQ(found(approvals, query()), "");
}

TEST(Approvals, AreOfOneCaller) {
  Approvals approvals;
  approvals.remember(approval("a", ApprovalScope::Profile));
  auto asked = query();
  asked.caller = "someone";
  EXPECT_EQ(found(approvals, asked), "");
  asked.caller.clear();
  EXPECT_EQ(found(approvals, asked), "");
}

TEST(Approvals, KeepCallersAndKeysApartThatReadTheSameTogether) {
  Approvals approvals;
  Approval mine = approval("a", ApprovalScope::Profile, "bc");
  mine.caller = "a";
  approvals.remember(mine);
  auto asked = query();
  asked.caller = "ab";
  asked.tool_id = "c";
  EXPECT_EQ(found(approvals, asked), "");
}

TEST(Approvals, OfCallsAndOfResultsAreApart) {
  Approvals approvals;
  Approval results = approval("a", ApprovalScope::Profile);
  results.side = ApprovalSide::Results;
  approvals.remember(results);
  EXPECT_EQ(found(approvals, query()), "");
  auto asked = query();
  asked.side = ApprovalSide::Results;
  EXPECT_EQ(found(approvals, asked), "a");
}

TEST(Approvals, OfArgumentsComeBeforeTheToolAndTheServer) {
  Approvals approvals;
  approvals.remember(server_approval("server", ApprovalScope::Workspace));
  EXPECT_EQ(found(approvals, query()), "server");
  approvals.remember(approval("tool", ApprovalScope::Profile));
  EXPECT_EQ(found(approvals, query()), "tool");
  approvals.remember(arguments_approval("arguments", ApprovalScope::Session));
  EXPECT_EQ(found(approvals, query()), "arguments");
  auto asked = query();
  asked.arguments_key.clear();
  asked.tool_id = "other tool";
  EXPECT_EQ(found(approvals, asked), "server");
  asked.server_key.clear();
  EXPECT_EQ(found(approvals, asked), "");
}

TEST(Approvals, OfTwoSessionsStandBesideEachOther) {
  Approvals approvals;
  Approval session = approval("a", ApprovalScope::Session);
  Approval other_session = session;
  other_session.id = "b";
  other_session.scope_id = "another";
  approvals.remember(session);
  EXPECT_TRUE(approvals.remember(other_session).empty());
  EXPECT_EQ(found(approvals, query()), "a");
  auto asked = query();
  asked.session_id = "another";
  EXPECT_EQ(found(approvals, asked), "b");
}

TEST(Approvals, OfOneScopeClearTheOthersOfTheirKey) {
  Approvals approvals;
  approvals.remember(approval("a", ApprovalScope::Session));
  approvals.remember(approval("untouched", ApprovalScope::Session, "other"));
  Approval of_someone = approval("of someone", ApprovalScope::Session);
  of_someone.caller = "someone";
  approvals.remember(of_someone);
  EXPECT_EQ(ids(approvals.remember(approval("b", ApprovalScope::Workspace))), Ids{"a"});
  EXPECT_EQ(ids(approvals.remember(approval("c", ApprovalScope::Profile))), Ids{"b"});
  EXPECT_EQ(ids(approvals.remember(approval("d", ApprovalScope::Session))), Ids{"c"});
  EXPECT_EQ(ids(approvals.remember(approval("e", ApprovalScope::Session))), Ids{"d"});
  EXPECT_EQ(approvals.size(), 3U);
}

TEST(Approvals, RememberedAgainUnderTheirIdAreNotThrownOut) {
  Approvals approvals;
  approvals.remember(approval("a", ApprovalScope::Session));
  EXPECT_TRUE(approvals.remember(approval("a", ApprovalScope::Profile)).empty());
  EXPECT_EQ(approvals.size(), 1U);
  EXPECT_EQ(approvals.find(query(), 1).approval->scope, ApprovalScope::Profile);
}

TEST(Approvals, OfAnotherDefinitionAreOutdated) {
  Approvals approvals;
  approvals.remember(approval("tool", ApprovalScope::Profile));
  approvals.remember(server_approval("server", ApprovalScope::Profile));
  approvals.remember(arguments_approval("arguments", ApprovalScope::Profile));
  auto asked = query();
  asked.definition_hash = "another";
  Approvals::Match match = approvals.find(asked, 1);
  EXPECT_EQ(match.approval->id, "server");
  EXPECT_EQ(match.outdated->id, "arguments");
  asked.server_definition_hash = "another";
  match = approvals.find(asked, 1);
  EXPECT_EQ(match.approval, nullptr);
  EXPECT_EQ(match.outdated->id, "arguments");
  asked.session_id = asked.caller = "someone";
  EXPECT_EQ(approvals.find(asked, 1).outdated, nullptr);
}

TEST(Approvals, EndAtTheirTime) {
  Approvals approvals;
  Approval short_lived = approval("a", ApprovalScope::Profile);
  short_lived.expires_at = 100;
  approvals.remember(short_lived);
  approvals.remember(approval("b", ApprovalScope::Profile, "other"));
  EXPECT_EQ(found(approvals, query(), 99), "a");
  EXPECT_EQ(found(approvals, query(), 100), "");
  EXPECT_EQ(approvals.find(query(), 100).outdated, nullptr);
  EXPECT_TRUE(approvals.drop_expired(99).empty());
  EXPECT_EQ(ids(approvals.drop_expired(100)), Ids{"a"});
  EXPECT_EQ(approvals.size(), 1U);
}

TEST(Approvals, BeyondTheLimitGoLeastRecentlyUsedFirst) {
  Approvals approvals(2);
  approvals.remember(approval("a", ApprovalScope::Profile, "t1"));
  approvals.remember(approval("b", ApprovalScope::Profile, "t2"));
  approvals.remember(approval("other scope", ApprovalScope::Workspace, "t3"));
  auto asked = query();
  asked.tool_id = "t1";
  EXPECT_EQ(found(approvals, asked, 7), "a");
  EXPECT_EQ(ids(approvals.remember(approval("c", ApprovalScope::Profile, "t4"))), Ids{"b"});
  EXPECT_EQ(approvals.size(), 3U);
}

TEST(Approvals, OfAllSessionsCountTogether) {
  Approvals approvals(1);
  approvals.remember(approval("a", ApprovalScope::Session));
  Approval other = approval("b", ApprovalScope::Session);
  other.scope_id = "another";
  EXPECT_EQ(ids(approvals.remember(other)), Ids{"a"});
}

TEST(Approvals, CanBeTakenBack) {
  Approvals approvals;
  approvals.remember(approval("a", ApprovalScope::Profile));
  EXPECT_FALSE(approvals.revoke("b"));
  EXPECT_EQ(approvals.revoke("a")->key, "tool");
  EXPECT_FALSE(approvals.revoke("a"));
  EXPECT_EQ(found(approvals, query()), "");
  approvals.remember(approval("c", ApprovalScope::Profile));
  approvals.remember(server_approval("d", ApprovalScope::Session));
  EXPECT_EQ(approvals.reset().size(), 2U);
  EXPECT_EQ(approvals.size(), 0U);
  EXPECT_EQ(found(approvals, query()), "");
}

TEST(Approvals, AreListedNewestFirst) {
  Approvals approvals;
  for (const auto& [id, time] : {std::pair{"a", 5}, {"b", 9}, {"c", 1}}) {
    Approval made = approval(id, ApprovalScope::Profile, id);
    made.created_at = time;
    approvals.remember(made);
  }
  Ids listed;
  for (const Approval* each : approvals.list()) listed.push_back(each->id);
  EXPECT_EQ(listed, (Ids{"b", "a", "c"}));
}

TEST(Approvals, SurviveBeingMoved) {
  Approvals approvals;
  approvals.remember(approval("a", ApprovalScope::Profile));
  Approvals moved = std::move(approvals);
  approvals = Approvals(3);
  EXPECT_EQ(found(moved, query()), "a");
  EXPECT_TRUE(moved.revoke("a"));
}

// The same said slowly: one list, least recently used first, and a look at all of it every time.
class SlowApprovals {
 public:
  explicit SlowApprovals(std::size_t limit) : limit_(limit) {}

  std::pair<std::string, bool> find(const ApprovalQuery& asked, std::int64_t now) {
    bool outdated = false;
    for (const auto target :
         {ApprovalTarget::Arguments, ApprovalTarget::Tool, ApprovalTarget::Server})
      for (const auto scope :
           {ApprovalScope::Workspace, ApprovalScope::Profile, ApprovalScope::Session})
        for (auto at = all_.begin(); at != all_.end(); ++at) {
          if (at->target != target || at->scope != scope || !is_for(*at, asked, now)) continue;
          if (at->definition_hash == hash_in(asked, target)) {
            std::rotate(at, at + 1, all_.end());
            return {all_.back().id, outdated};
          }
          outdated = true;
        }
    return {"", outdated};
  }

  std::set<std::string> remember(const Approval& made) {
    std::set<std::string> gone;
    std::erase_if(all_, [&](const Approval& each) {
      const bool rival = each.side == made.side && each.target == made.target &&
                         each.key == made.key && each.caller == made.caller &&
                         (each.scope != made.scope || each.scope_id == made.scope_id);
      if (rival) gone.insert(each.id);
      return rival;
    });
    all_.push_back(made);
    const auto same_scope = [&](const Approval& each) { return each.scope == made.scope; };
    if (static_cast<std::size_t>(std::ranges::count_if(all_, same_scope)) > limit_) {
      const auto oldest = std::ranges::find_if(all_, same_scope);
      gone.insert(oldest->id);
      all_.erase(oldest);
    }
    return gone;
  }

  bool revoke(const std::string& id) {
    return std::erase_if(all_, [&](const Approval& each) { return each.id == id; }) == 1;
  }

  std::set<std::string> drop_expired(std::int64_t now) {
    std::set<std::string> gone;
    std::erase_if(all_, [&](const Approval& each) {
      if (each.expires_at == 0 || each.expires_at > now) return false;
      return gone.insert(each.id).second;
    });
    return gone;
  }

  const std::vector<Approval>& all() const { return all_; }

 private:
  static const std::string& hash_in(const ApprovalQuery& asked, ApprovalTarget target) {
    return target == ApprovalTarget::Server ? asked.server_definition_hash : asked.definition_hash;
  }

  static bool is_for(const Approval& each, const ApprovalQuery& asked, std::int64_t now) {
    const std::array keys{asked.tool_id, asked.server_key, asked.arguments_key};
    const std::string& key = keys.at(static_cast<std::size_t>(each.target));
    if (key.empty() || key != each.key) return false;
    if (each.side != asked.side || each.caller != asked.caller) return false;
    if (each.expires_at != 0 && each.expires_at <= now) return false;
    if (each.scope == ApprovalScope::Session)
      return !asked.session_id.empty() && asked.session_id == each.scope_id;
    if (each.scope == ApprovalScope::Workspace)
      return !asked.workspace.empty() && asked.workspace == each.scope_id;
    return true;
  }

  std::size_t limit_;
  std::vector<Approval> all_;
};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }
  std::string one_of(std::initializer_list<const char*> texts) {
    return *(texts.begin() + below(texts.size()));
  }

  Approval approval(int number, std::int64_t now) {
    Approval made;
    made.id = "id" + std::to_string(number);
    made.side = static_cast<ApprovalSide>(below(2));
    made.target = static_cast<ApprovalTarget>(below(3));
    made.scope = static_cast<ApprovalScope>(1 + below(3));
    if (made.scope != ApprovalScope::Profile) made.scope_id = one_of({"1", "2", "3"});
    made.key = one_of({"a", "b"});
    made.caller = one_of({"me", "you"});
    made.definition_hash = one_of({"old", "new", "new"});
    made.created_at = now;
    if (below(4) == 0) made.expires_at = now + static_cast<std::int64_t>(below(50));
    return made;
  }

  ApprovalQuery query() {
    ApprovalQuery made;
    made.side = static_cast<ApprovalSide>(below(2));
    made.tool_id = one_of({"a", "b", ""});
    made.server_key = one_of({"a", "b", ""});
    made.arguments_key = one_of({"a", "b", ""});
    made.session_id = one_of({"1", "2", "3", ""});
    made.workspace = one_of({"1", "2", "3", ""});
    made.caller = one_of({"me", "you"});
    made.definition_hash = one_of({"old", "new"});
    made.server_definition_hash = one_of({"old", "new"});
    return made;
  }

 private:
  std::mt19937 random_;
};

std::set<std::string> id_set(const std::vector<Approval>& approvals) {
  std::set<std::string> result;
  for (const Approval& each : approvals) result.insert(each.id);
  return result;
}

std::set<std::string> id_set(const Approvals& approvals) {
  std::set<std::string> result;
  for (const Approval* each : approvals.list()) result.insert(each->id);
  return result;
}

TEST(Approvals, DoTheSameAsASlowListWhateverHappens) {
  int matches = 0;
  int thrown_out = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Draw draw(seed);
    const std::size_t limit = 2 + draw.below(12);
    Approvals approvals(limit);
    SlowApprovals slow(limit);
    std::int64_t now = 1;
    for (int step = 0; step < 1500; ++step) {
      ++now;
      const std::size_t choice = draw.below(20);
      if (choice < 7) {
        const Approval made = draw.approval(step, now);
        const auto gone = approvals.remember(made);
        ASSERT_EQ(id_set(gone), slow.remember(made));
        thrown_out += static_cast<int>(gone.size());
      } else if (choice < 17) {
        const ApprovalQuery asked = draw.query();
        const Approvals::Match match = approvals.find(asked, now);
        const auto [expected, outdated] = slow.find(asked, now);
        ASSERT_EQ(match.approval ? match.approval->id : "", expected);
        if (!match.approval) ASSERT_EQ(match.outdated != nullptr, outdated);
        matches += match.approval ? 1 : 0;
      } else if (choice < 19) {
        const std::string id =
            "id" + std::to_string(draw.below(static_cast<std::size_t>(step) + 1));
        ASSERT_EQ(approvals.revoke(id).has_value(), slow.revoke(id));
      } else {
        ASSERT_EQ(id_set(approvals.drop_expired(now)), slow.drop_expired(now));
      }
      ASSERT_EQ(id_set(approvals), id_set(slow.all()));
      ASSERT_EQ(approvals.size(), slow.all().size());
    }
  }
  EXPECT_GT(matches, 1000);
  EXPECT_GT(thrown_out, 1000);
}

}  // namespace
}  // namespace toolgate
