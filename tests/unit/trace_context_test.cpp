// Headers of W3C Trace Context, well-formed and not.
#include "base/trace_context.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

constexpr std::string_view kParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::string with(std::size_t at, std::string_view text) {
  return std::string(kParent).replace(at, text.size(), text);
}

TEST(TraceContext, AParentReadsBackAsItWasWritten) {
  const auto context = parse_trace_parent(kParent);
  ASSERT_TRUE(context);
  EXPECT_TRUE(context->sampled);
  EXPECT_EQ(context->trace[0], 0x4b);
  EXPECT_EQ(context->span[7], 0xb7);
  EXPECT_EQ(write_trace_parent(*context), kParent);
}

TEST(TraceContext, OnlyTheLowestFlagSaysThatATraceIsSampled) {
  EXPECT_FALSE(parse_trace_parent(with(53, "00"))->sampled);
  EXPECT_FALSE(parse_trace_parent(with(53, "02"))->sampled);
  EXPECT_TRUE(parse_trace_parent(with(53, "03"))->sampled);
  EXPECT_TRUE(parse_trace_parent(with(53, "ff"))->sampled);
  EXPECT_EQ(write_trace_parent(*parse_trace_parent(with(53, "fe"))), with(53, "00"));
}

TEST(TraceContext, MalformedParentsAreNone) {
  const std::string good(kParent);
  for (const std::string& bad :
       {std::string(), std::string("00"), good.substr(0, 54), with(0, "ff"), with(0, "0g"),
        with(3, "4BF9"), with(3, "xyz"), with(36, "00F0"), with(2, "_"), with(35, "_"),
        with(52, "_"), with(53, "0x"), with(3, "00000000000000000000000000000000"),
        with(36, "0000000000000000"), good + "-00", good + "x", "01" + good.substr(2) + "x"})
    EXPECT_FALSE(parse_trace_parent(bad)) << bad;
}

TEST(TraceContext, ALaterVersionMayHaveMoreBehindIt) {
  EXPECT_TRUE(parse_trace_parent("cc" + std::string(kParent.substr(2))));
  EXPECT_TRUE(parse_trace_parent("cc" + std::string(kParent.substr(2)) + "-what-the-future-says"));
}

TEST(TraceContext, StateIsPassedOnWithoutEmptyMembers) {
  EXPECT_EQ(usable_trace_state("a=1, b@c=2 ,,d/e=x y"), "a=1,b@c=2,d/e=x y");
  EXPECT_EQ(usable_trace_state(""), "");
  EXPECT_EQ(usable_trace_state(" , ,"), "");
}

TEST(TraceContext, MalformedStateIsDropped) {
  for (const auto* bad : {"a", "=1", "a=", "A=1", "a=1=2", "a b=1", "a@b@c=1", "a=\x01", "a=1,b"})
    EXPECT_EQ(usable_trace_state(bad), "") << bad;
  std::string many;
  for (int i = 0; i < 33; ++i) many += "k" + std::to_string(i) + "=v,";
  EXPECT_EQ(usable_trace_state(many), "");
}

TEST(TraceContext, OfALongStateWholeMembersStay) {
  std::string state;
  for (int i = 0; i < 8; ++i) state += "k" + std::to_string(i) + "=" + std::string(100, 'v') + ",";
  const std::string kept = usable_trace_state(state);
  EXPECT_EQ(kept.size(), 4 * 103 + 3u);
  EXPECT_TRUE(state.starts_with(kept));
}

TEST(TraceContext, HeadersNameStateOnlyWhereThereIsSome) {
  auto context = *parse_trace_parent(kParent);
  EXPECT_EQ(write_trace_headers(context), "traceparent: " + std::string(kParent) + "\r\n");
  context.state = "a=1";
  EXPECT_EQ(write_trace_headers(context),
            "traceparent: " + std::string(kParent) + "\r\ntracestate: a=1\r\n");
}

TEST(TraceContext, IdsAreNeverTheSame) {
  EXPECT_NE(make_trace_id(), make_trace_id());
  EXPECT_NE(make_span_id(), make_span_id());
}

}  // namespace
}  // namespace toolgate
