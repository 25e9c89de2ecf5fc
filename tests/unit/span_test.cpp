// Spans on their way to a tracer that keeps them.
#include "base/span.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

class KeepingTracer final : public Tracer {
 public:
  bool samples(const TraceId&) const override { return sampling; }
  bool keeps_content() const override { return true; }
  void take(SpanRecord record) override { records.push_back(std::move(record)); }

  bool sampling = true;
  std::vector<SpanRecord> records;
};

TEST(Span, WhereNobodyTracesNothingHappens) {
  Span none;
  none.text("a", "b");
  none.fail("c");
  EXPECT_FALSE(none);
  EXPECT_EQ(none.context(), nullptr);
  EXPECT_FALSE(Span::child_of(&none, SpanKind::Client, "x", "y"));
  EXPECT_FALSE(Span::child_of(nullptr, SpanKind::Client, "x", "y"));
}

TEST(Span, ChildrenEndBeforeTheirParentsAndNameThem) {
  KeepingTracer tracer;
  {
    const Span parent(tracer, nullptr, SpanKind::Server, "top");
    Span child = Span::child_of(&parent, SpanKind::Client, "chat", "m");
    child.fail("429");
    child.fail("later");
  }
  ASSERT_EQ(tracer.records.size(), 2u);
  const auto& [child, parent] = std::tie(tracer.records[0], tracer.records[1]);
  EXPECT_EQ(child.name, "chat m");
  EXPECT_EQ(child.parent, parent.context.span);
  EXPECT_EQ(child.context.trace, parent.context.trace);
  EXPECT_EQ(parent.parent, SpanId{});
  EXPECT_GE(child.begin, parent.begin);
  EXPECT_LE(child.end, parent.end);
  ASSERT_EQ(child.attributes.size(), 1u);
  EXPECT_EQ(std::get<std::string>(child.attributes[0].value), "429");
}

TEST(Span, ARemoteParentDecidesWhetherItIsSampled) {
  KeepingTracer tracer;
  auto remote = *parse_trace_parent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");
  {
    const Span span(tracer, &remote, SpanKind::Server, "top");
    EXPECT_FALSE(span);
    ASSERT_NE(span.context(), nullptr);
    EXPECT_EQ(span.context()->trace, remote.trace);
    EXPECT_NE(span.context()->span, remote.span);
    EXPECT_NE(Span::child_of(&span, SpanKind::Client, "chat", "m").context(), nullptr);
  }
  EXPECT_TRUE(tracer.records.empty());
  tracer.sampling = false;
  remote.sampled = true;
  {
    const Span span(tracer, &remote, SpanKind::Server, "top");
  }
  {
    const Span span(tracer, nullptr, SpanKind::Server, "top");
  }
  ASSERT_EQ(tracer.records.size(), 1u);
  EXPECT_TRUE(tracer.records[0].parent_is_remote);
}

TEST(Span, TextIsCutBetweenCharactersAndMended) {
  KeepingTracer tracer;
  {
    Span span(tracer, nullptr, SpanKind::Server, "top");
    span.text("long", "aa\xc3\xa4", 3);
    span.text("bad", "a\xff");
    span.text("none", "");
  }
  const auto& attributes = tracer.records.at(0).attributes;
  ASSERT_EQ(attributes.size(), 2u);
  EXPECT_EQ(std::get<std::string>(attributes[0].value), "aa");
  EXPECT_EQ(std::get<std::string>(attributes[1].value), "a\xef\xbf\xbd");
}

TEST(Span, AttributesAndEventsAreBounded) {
  KeepingTracer tracer;
  {
    Span span(tracer, nullptr, SpanKind::Server, "top");
    for (int i = 0; i < 1'000; ++i) span.number("n", i);
    for (int i = 0; i < 1'000; ++i) span.event("e");
  }
  EXPECT_EQ(tracer.records.at(0).attributes.size(), 64u);
  EXPECT_EQ(tracer.records.at(0).events.size(), 32u);
}

}  // namespace
}  // namespace toolgate
