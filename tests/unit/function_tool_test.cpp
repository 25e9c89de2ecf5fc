#include "toolgate/function_tool.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include "toolgate/registry.h"
#include "toolgate/run.h"

namespace toolgate {
namespace {

Result<ToolResult> echo(const ToolCall& call, const Cancel& cancel) {
  if (cancel.requested()) return fail(Errc::Cancelled, "the call was cancelled");
  return text_result(call.input);
}

Result<ToolResult> invoke(Tool& tool, const ToolCall& call) {
  const CancelSource never;
  return run_task(tool.invoke(call, never));
}

TEST(FunctionTool, HandsTheCallToTheFunction) {
  const auto tool = make_function_tool(echo);
  const auto result = invoke(*tool, {.id = "1", .input = "{}"});
  ASSERT_TRUE(result);
  ASSERT_EQ(result->content.size(), 1u);
  EXPECT_EQ(result->content[0].text, "{}");
  EXPECT_EQ(result->content[0].mime_type, "");
  EXPECT_FALSE(result->is_error);
}

TEST(FunctionTool, HandsTheCancellationToTheFunction) {
  const auto tool = make_function_tool(echo);
  CancelSource cancel;
  cancel.request(CancelReason::User);
  const auto result = run_task(tool->invoke({.id = "1", .input = "{}"}, cancel));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::Cancelled);
}

TEST(FunctionTool, KeepsStateThatCannotBeCopied) {
  const auto tool = make_function_tool(
      [count = std::make_unique<int>(0)](const ToolCall&, const Cancel&) -> Result<ToolResult> {
        return text_result(std::to_string(++*count));
      });
  ASSERT_TRUE(invoke(*tool, {}));
  EXPECT_EQ(invoke(*tool, {})->content[0].text, "2");
}

TEST(FunctionTool, AnExceptionBecomesAnError) {
  const auto tool = make_function_tool([](const ToolCall&, const Cancel&) -> Result<ToolResult> {
    throw std::runtime_error("no such word");
  });
  const auto result = invoke(*tool, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::Internal);
  EXPECT_EQ(result.error().message, "the tool failed: no such word");

  const auto odd =
      make_function_tool([](const ToolCall&, const Cancel&) -> Result<ToolResult> { throw 7; });
  EXPECT_FALSE(invoke(*odd, {}));
}

TEST(FunctionTool, WithoutAFunctionTheToolIsOnlyDeclared) {
  EXPECT_EQ(make_function_tool(nullptr), nullptr);
  Registry registry;
  ToolData data;
  data.id = "declared";
  const auto registration = registry.add(std::move(data), make_function_tool({}));
  ASSERT_TRUE(registration);
  EXPECT_EQ(registry.catalog()->find_tool("declared")->implementation, nullptr);
}

TEST(FunctionTool, GoesWithItsRegistrationButNotUnderACall) {
  const auto token = std::make_shared<int>();
  Registry registry;
  ToolData data;
  data.id = "counted";
  auto registration =
      registry.add(std::move(data), make_function_tool([token](const ToolCall&, const Cancel&) {
                     return Result<ToolResult>(text_result("still here"));
                   }));
  ASSERT_TRUE(registration);
  auto catalog = registry.catalog();
  registration->undo();
  EXPECT_EQ(registry.catalog()->find_tool("counted"), nullptr);
  const auto result = invoke(*catalog->find_tool("counted")->implementation, {});
  EXPECT_EQ(result->content[0].text, "still here");
  catalog.reset();
  EXPECT_EQ(token.use_count(), 1);
}

Task<int> add_later(int a, int b) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  co_await boost::asio::post(executor, boost::asio::use_awaitable_t<Executor>());
  co_return a + b;
}

Task<> throw_later() {
  co_await add_later(1, 2);
  throw std::runtime_error("late");
}

Task<> store(int& into) {
  into = co_await add_later(20, 1);
}

TEST(RunTask, WaitsForATaskThatSuspends) {
  EXPECT_EQ(run_task(add_later(2, 3)), 5);
}

TEST(RunTask, TakesATaskWithoutAValue) {
  int value = 0;
  run_task(store(value));
  EXPECT_EQ(value, 21);
}

TEST(RunTask, LetsAnExceptionOut) {
  EXPECT_THROW(run_task(throw_later()), std::runtime_error);
}

TEST(RunTask, MovesWhatCannotBeCopied) {
  const auto make = []() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(9); };
  EXPECT_EQ(*run_task(make()), 9);
}

}  // namespace
}  // namespace toolgate
