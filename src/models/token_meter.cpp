#include "models/token_meter.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/json_tree.h"
#include "tokens/costs.h"

namespace toolgate {
namespace {

// Counting takes some 20 ns per byte, on the loop; no model has room for more than this.
constexpr std::size_t kMostCounted = std::size_t{4} << 20;
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

std::size_t member_cost(const ChatRequest& request, std::string_view name,
                        std::size_t (*cost)(const JsonNode& value, Encoding encoding),
                        Encoding encoding) {
  const auto member = std::ranges::find(request.members, name, &ChatMember::key);
  if (member == request.members.end()) return 0;
  if (member->value.size() > kMostCounted) return member->value.size() / 4;
  JsonTree tree;
  const auto value = tree.parse(member->value);
  return value ? cost(**value, encoding) : 0;
}

std::size_t all_tools_cost(const JsonNode& tools, Encoding encoding) {
  return tools_cost(tools, encoding);
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
    return static_cast<std::int64_t>(member_cost(request_, "messages", messages_cost, encoding_) +
                                     member_cost(request_, "tools", all_tools_cost, encoding_));
  }

  std::int64_t output_tokens() override {
    std::size_t count = counted_;
    for (const std::string& text : pending_) count += count_tokens(encoding_, text);
    return static_cast<std::int64_t>(count);
  }

 private:
  const ChatRequest& request_;
  Encoding encoding_;
  std::vector<std::string> pending_;  // by choice
  std::size_t counted_ = 0;
};

}  // namespace

std::shared_ptr<TokenMeter> make_token_meter(const ChatRequest& request, Encoding encoding) {
  return std::make_shared<CountingMeter>(request, encoding);
}

}  // namespace toolgate
