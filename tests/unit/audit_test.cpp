// The chain of the audit trail: what was done to it afterwards shows.
#include "invoke/audit.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store_rows.h"

namespace toolgate {
namespace {

std::vector<AuditEntry> make_trail(int size) {
  std::vector<AuditEntry> trail;
  for (int i = 0; i < size; ++i) {
    AuditEntry entry{.at = 1000 + i,
                     .kind = AuditKind::Started,
                     .invocation_id = "inv_" + std::to_string(i),
                     .tool_id = "read_file",
                     .session_id = "session",
                     .actor = "operator",
                     .data = R"({"path":"a.txt"})"};
    chain_after(entry, trail.empty() ? nullptr : &trail.back());
    trail.push_back(std::move(entry));
  }
  return trail;
}

std::string fault(const std::vector<AuditEntry>& trail) {
  return find_broken_link(trail).value_or("none");
}

TEST(AuditKinds, HaveNamesThatReadBack) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(AuditKind::Undo); ++i) {
    const auto kind = static_cast<AuditKind>(i);
    EXPECT_EQ(parse_audit_kind(name_of(kind)), kind);
    names.insert(name_of(kind));
  }
  EXPECT_EQ(names.size(), 11u);
  EXPECT_EQ(parse_audit_kind("Proposed"), std::nullopt);
}

TEST(AuditChain, BeginsAtOneAfterZeros) {
  const auto trail = make_trail(2);
  EXPECT_EQ(trail[0].sequence, 1);
  EXPECT_EQ(trail[0].previous, std::string(64, '0'));
  EXPECT_EQ(trail[1].sequence, 2);
  EXPECT_EQ(trail[1].previous, trail[0].hash);
  EXPECT_EQ(trail[1].hash.size(), 64u);
}

// Others compute it, too: docs/formats.md says how.
TEST(AuditChain, HashesFieldsWithTheirLengths) {
  AuditEntry entry{.at = 1000, .invocation_id = "inv_1", .actor = "key", .data = "{}"};
  chain_after(entry, nullptr);
  // printf '16:toolgate audit 11:14:10008:proposed5:inv_10:0:3:key2:{}64:000…' | sha256sum
  EXPECT_EQ(entry.hash, "69eb2a14e9ab9a7c4e0606f726d1769036f4f162b8213bee23494d1da3007a66");
}

TEST(AuditChain, IsWholeAsItWasWritten) {
  EXPECT_EQ(fault(make_trail(20)), "none");
  EXPECT_EQ(fault({}), "none");
}

TEST(AuditChain, CanBeCheckedInParts) {
  const auto trail = make_trail(6);
  const std::span all(trail);
  EXPECT_EQ(find_broken_link(all.subspan(3), &trail[2]), std::nullopt);
  EXPECT_EQ(find_broken_link(all.subspan(3)), "entries 1 to 3 are missing");
  EXPECT_EQ(find_broken_link(all.subspan(4), &trail[2]), "entry 4 is missing");
}

struct Change {
  const char* field;
  std::function<void(AuditEntry&)> make;
};

TEST(AuditChain, ShowsAChangeOfAnyField) {
  const std::vector<Change> changes{
      {"at", [](AuditEntry& entry) { ++entry.at; }},
      {"kind", [](AuditEntry& entry) { entry.kind = AuditKind::Ended; }},
      {"invocation_id", [](AuditEntry& entry) { entry.invocation_id = "inv_9"; }},
      {"tool_id", [](AuditEntry& entry) { entry.tool_id = "write_file"; }},
      {"session_id", [](AuditEntry& entry) { entry.session_id.clear(); }},
      {"actor", [](AuditEntry& entry) { entry.actor += '2'; }},
      {"data", [](AuditEntry& entry) { entry.data = "{}"; }},
      {"previous", [](AuditEntry& entry) { entry.previous[0] ^= 1; }},
      {"hash", [](AuditEntry& entry) { entry.hash[0] ^= 1; }},
      // A border between two fields.
      {"tool_id and session_id",
       [](AuditEntry& entry) {
         entry.tool_id += "s";
         entry.session_id.erase(0, 1);
       }},
  };
  for (const Change& change : changes) {
    auto trail = make_trail(5);
    change.make(trail[2]);
    EXPECT_EQ(fault(trail), "entry 3 was changed: its hash is not that of what it says")
        << change.field;
  }
}

TEST(AuditChain, ShowsAChangeWhoseHashWasMadeAnew) {
  auto trail = make_trail(5);
  trail[2].actor = "nobody";
  trail[2].hash = audit_hash(trail[2]);
  EXPECT_EQ(fault(trail),
            "entry 4 does not follow what stands before it: one of the two was replaced");
  trail = make_trail(5);
  trail[0].previous[5] = '1';
  trail[0].hash = audit_hash(trail[0]);
  EXPECT_EQ(fault(trail),
            "entry 1 does not follow what stands before it: one of the two was replaced");
}

TEST(AuditChain, ShowsThatEntriesWereRemoved) {
  auto trail = make_trail(6);
  trail.erase(trail.begin() + 2);
  EXPECT_EQ(fault(trail), "entry 3 is missing");
  trail.erase(trail.begin() + 2);
  EXPECT_EQ(fault(trail), "entries 3 to 4 are missing");
  trail = make_trail(3);
  trail.erase(trail.begin());
  EXPECT_EQ(fault(trail), "entry 1 is missing");
}

TEST(AuditChain, ShowsARemovalThatWasNumberedOver) {
  auto trail = make_trail(5);
  trail.erase(trail.begin() + 2);
  trail[2].sequence = 3;
  trail[3].sequence = 4;
  EXPECT_EQ(fault(trail), "entry 3 was changed: its hash is not that of what it says");
  trail[2].hash = audit_hash(trail[2]);
  EXPECT_EQ(fault(trail),
            "entry 3 does not follow what stands before it: one of the two was replaced");
}

TEST(AuditChain, ShowsThatEntriesChangedPlaces) {
  auto trail = make_trail(5);
  std::swap(trail[1], trail[2]);
  EXPECT_EQ(fault(trail), "entry 2 is missing");
  trail = make_trail(5);
  std::swap(trail[1].sequence, trail[2].sequence);
  std::swap(trail[1], trail[2]);
  EXPECT_EQ(fault(trail), "entry 2 was changed: its hash is not that of what it says");
}

TEST(AuditChain, ShowsThatAnEntryWasAdded) {
  auto trail = make_trail(5);
  AuditEntry added = trail[1];
  added.actor = "nobody";
  chain_after(added, &trail[1]);
  trail.insert(trail.begin() + 2, added);
  EXPECT_EQ(fault(trail), "entry 3 stands where entry 4 should");
  trail = make_trail(5);
  trail.push_back(trail.back());
  EXPECT_EQ(fault(trail), "entry 5 stands where entry 6 should");
}

TEST(AuditLines, ReadBackAsTheSameEntry) {
  for (const char* data :
       {R"({"path":"a.txt","n":1.50,"deep":{"list":[1,null,"\u0001\"é"]}})", "{}", "",
        R"({ "spaced": 1 })", "no JSON", "[1]", "\"text\"", R"({"a":1,"a":2})", "line\nfeed"}) {
    AuditEntry entry = sample_entry(7);
    entry.data = data;
    entry.actor = "who \"quotes\" \\ \n äöü";
    chain_after(entry, nullptr);
    const std::string line = write_audit_line(entry);
    EXPECT_EQ(line.find('\n'), line.npos) << line;
    const auto read = parse_audit_line(line);
    ASSERT_TRUE(read) << data << ": " << read.error().message;
    EXPECT_TRUE(same(*read, entry)) << line;
    EXPECT_EQ(audit_hash(*read), entry.hash);
  }
}

TEST(AuditLines, HoldDataAsJson) {
  AuditEntry entry = sample_entry(2);
  entry.session_id.clear();
  EXPECT_EQ(write_audit_line(entry),
            R"({"sequence":2,"at":2000,"kind":"decided","invocation_id":"inv_1",)"
            R"("tool_id":"read_file","session_id":"","actor":"operator",)"
            R"("data":{"rule":"asked"},"previous":"p1","hash":"p2"})");
}

TEST(AuditLines, MayBeSpacedAndOrderedDifferently) {
  const auto read = parse_audit_line(
      R"({ "hash": "h", "previous": "p", "data": { "rule" : 1.0 }, "actor": "a", "session_id": "s",)"
      R"( "tool_id": "t", "invocation_id": "i", "kind": "ended", "at": 5, "sequence": 6 })");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->data, R"({"rule":1.0})");
  EXPECT_EQ(read->kind, AuditKind::Ended);
  EXPECT_EQ(read->sequence, 6);
}

TEST(AuditLines, AreRefusedWhenTheyAreSomethingElse) {
  const std::string good = write_audit_line(sample_entry(2));
  ASSERT_TRUE(parse_audit_line(good));
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string line = good;
    line.replace(line.find(from), from.size(), to);
    return line;
  };
  for (const std::string& line :
       {std::string(), std::string("[]"), std::string("{}"), good.substr(0, good.size() - 1),
        good + good, with("\"at\":2000,", ""), with("2000", "2000.5"), with("2000", "\"2000\""),
        with("2000", "99999999999999999999"), with("\"decided\"", "\"undone\""),
        with("\"decided\"", "3"), with("{\"rule\":\"asked\"}", "[]"), with("\"operator\"", "null"),
        with("\"at\"", "\"added\":1,\"at\""), with("\"at\"", "\"at\":1,\"at\"")}) {
    const auto read = parse_audit_line(line);
    ASSERT_FALSE(read) << line;
    EXPECT_EQ(read.error().code, Errc::InvalidJson) << line;
  }
}

}  // namespace
}  // namespace toolgate
