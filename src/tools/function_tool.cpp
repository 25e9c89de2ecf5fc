#include "toolgate/function_tool.h"

#include <exception>

namespace toolgate {
namespace {

class FunctionTool final : public Tool {
 public:
  explicit FunctionTool(ToolFunction function) : function_(std::move(function)) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    try {
      co_return function_(call, cancel);
    } catch (const std::exception& exception) {
      co_return fail(Errc::Internal, "the tool failed: {}", exception.what());
    } catch (...) {
      co_return fail(Errc::Internal, "the tool failed: it threw something that is no exception");
    }
  }

 private:
  ToolFunction function_;
};

}  // namespace

std::shared_ptr<Tool> make_function_tool(ToolFunction function) {
  if (!function) return nullptr;
  return std::make_shared<FunctionTool>(std::move(function));
}

ToolResult text_result(std::string text) {
  ToolResult result;
  result.content.push_back({.text = std::move(text), .mime_type = {}});
  return result;
}

}  // namespace toolgate
