#include "models/token_meter.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/json_tree.h"
#include "tokens/costs.h"

namespace toolgate {
namespace {

// Output is counted in pieces of this size, so that a long answer is not held.
constexpr std::size_t kPiece = 16 << 10;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The last place before which the text can be cut without changing how it is split into tokens:
// between a letter and a space with a letter behind it.
std::size_t last_border(std::string_view text) {
  for (std::size_t i = text.size() - 2; i > 0; --i)
    if (text[i] == ' ' && is_letter(text[i - 1]) && is_letter(text[i + 1])) return i;
  return text.size();
}

std::size_t estimate(std::string_view text) {
  return text.size() / 4;
}

std::size_t messages_tokens(const ChatRequest& request, Encoding encoding) {
  const auto member = std::ranges::find(request.members, "messages", &ChatMember::key);
  if (member == request.members.end()) return 0;
  std::string changed;
  const char* from = member->value.begin();
  for (const auto& [number, replacement] : request.replaced_messages) {
    const std::string_view old = request.messages[number].raw;
    changed.append(from, old.begin()).append(replacement);
    from = old.end();
  }
  if (!changed.empty()) changed.append(from, member->value.end());
  const std::string_view text = changed.empty() ? member->value : std::string_view(changed);
  JsonTree tree;
  const auto messages = tree.parse(text);
  return messages ? messages_cost(**messages, encoding) : estimate(text);
}

// Of the tools as the upstream gets them.
std::size_t tools_tokens(const ChatRequest& request, Encoding encoding) {
  if (request.tool_mode == ToolMode::None) return 0;
  std::string list = "[";
  const auto add = [&](std::string_view name, std::string_view json) {
    if (request.tool_mode == ToolMode::Named && name != request.tool_choice_name) return;
    if (list.size() > 1) list += ',';
    list += json;
  };
  for (const ChatTool& tool : request.tools)
    add(tool.name, tool.shaped ? std::string_view(*tool.shaped) : tool.raw);
  if (request.added)
    for (const auto& tool : request.added->tools) add(tool.name, request.added->json(tool));
  if (list.size() == 1) return 0;
  list += ']';
  JsonTree tree;
  const auto tools = tree.parse(list);
  return tools ? tools_cost(**tools, encoding) : estimate(list);
}

class CountingMeter final : public TokenMeter {
 public:
  CountingMeter(const ChatRequest& request, Encoding encoding)
      : request_(request), encoding_(encoding) {}

  void add_output(std::int64_t choice, std::string_view text) override {
    if (text.empty() || choice < 0) return;
    const auto number = static_cast<std::size_t>(choice);
    if (number >= pending_.size()) pending_.resize(number + 1);
    std::string& pending = pending_[number];
    pending += text;
    if (pending.size() < kPiece) return;
    const std::size_t border = last_border(pending);
    counted_ += count_tokens(encoding_, std::string_view(pending).substr(0, border));
    pending.erase(0, border);
  }

  std::int64_t prompt_tokens() override {
    if (!prompt_)
      prompt_ = messages_tokens(request_, encoding_) + tools_tokens(request_, encoding_);
    return static_cast<std::int64_t>(*prompt_);
  }

  std::int64_t output_tokens() override {
    std::size_t count = counted_;
    for (const std::string& text : pending_) count += count_tokens(encoding_, text);
    return static_cast<std::int64_t>(count);
  }

 private:
  const ChatRequest& request_;
  Encoding encoding_;
  std::optional<std::size_t> prompt_;
  std::vector<std::string> pending_;  // by choice
  std::size_t counted_ = 0;
};

}  // namespace

std::unique_ptr<TokenMeter> make_token_meter(const ChatRequest& request, Encoding encoding) {
  return std::make_unique<CountingMeter>(request, encoding);
}

}  // namespace toolgate
