#include "builtin/read_result.h"

#include <algorithm>

#include "async/offload.h"
#include "base/json.h"
#include "base/utf8.h"
#include "invoke/result_limits.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

constexpr std::size_t kLeastBytes = 16;  // at least one character, or nobody would get on
constexpr std::size_t kUsualBytes = 16 << 10;
constexpr std::size_t kMostBytes = 128 << 10;

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "handle": {"type": "string", "description": "What the shortened result named: toolgate://results/…"},
    "offset": {"type": "integer", "minimum": 0, "maximum": 9007199254740991, "description": "The byte to begin at. Default: 0."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 131072, "description": "How many bytes at most. Default: 16384."}
  },
  "required": ["handle"]
})";

struct Wish {
  std::string handle;
  std::uintmax_t offset = 0;
  std::size_t limit = kUsualBytes;
};

// The input is what the schema allows.
Wish read_wish(const std::string& input) {
  const auto json = parse_json(input);
  Wish wish;
  if (!json) return wish;
  if (const json::value* handle = find(*json, "handle")) wish.handle = handle->as_string();
  if (const json::value* offset = find(*json, "offset"))
    wish.offset = static_cast<std::uintmax_t>(offset->to_number<double>());
  if (const json::value* limit = find(*json, "limit"))
    wish.limit = static_cast<std::size_t>(limit->to_number<double>());
  wish.limit = std::clamp(wish.limit, kLeastBytes, kMostBytes);
  return wish;
}

// The call that a handle belongs to: "toolgate://results/<call>.<part>".
std::string call_of(std::string_view handle) {
  handle.remove_prefix(handle.rfind('/') + 1);  // npos + 1 is 0
  return std::string(handle.substr(0, handle.rfind('.')));
}

class ReadResult final : public Tool {
 public:
  ReadResult(Ledger& ledger, const ResultFiles& results) : ledger_(ledger), results_(results) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const Wish wish = read_wish(call.input);
    if (auto allowed = co_await check_reader(wish, call.caller); !allowed)
      co_return std::unexpected(allowed.error());
    const auto read = [&] { return results_.read(wish.handle, wish.offset, wish.limit); };
    auto slice = co_await offload(read, cancel);
    if (!slice) co_return std::unexpected(slice.error());
    if (wish.offset >= slice->size)
      co_return fail(Errc::InvalidRequest, "offset {} is behind the end: the result has {} bytes",
                     wish.offset, slice->size);
    std::string_view text = first_characters(slice->bytes, slice->bytes.size());
    if (call.token_budget && call.services)
      text = co_await within(text, *call.token_budget, *call.services);
    co_return text_result(describe(wish, text, slice->size));
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const Wish wish = read_wish(call.input);
    co_return PreparedCall{
        .invocation_message = fmt::format("Reading {} from byte {}", wish.handle, wish.offset),
        .past_tense_message = fmt::format("Read {} from byte {}", wish.handle, wish.offset)};
  }

 private:
  // A result is for whoever made the call.
  Task<Result<void>> check_reader(const Wish& wish, std::string_view caller) {
    const auto row = co_await ledger_.run(
        [id = call_of(wish.handle)](InvocationBook& book) { return book.find(id); });
    if (!row || !is_result_for(**row, caller))
      co_return fail(Errc::NotFound, "there is no result {}", wish.handle);
    co_return Result<void>{};
  }

  // What is longer than the budget would be put into a file again.
  static Task<std::string_view> within(std::string_view text, std::size_t budget,
                                       CallServices& services) {
    constexpr std::size_t kOwnTokens = 60;  // of describe()'s words
    const std::size_t room = std::max(budget, 2 * kOwnTokens) - kOwnTokens;
    while (text.size() > room) {
      const auto tokens = co_await services.count_tokens(std::string(text));
      if (!tokens || *tokens <= room) break;
      text = first_characters(text, text.size() * room / (*tokens + 1));
    }
    co_return text;
  }

  static std::string describe(const Wish& wish, std::string_view text, std::uintmax_t size) {
    const std::uintmax_t end = wish.offset + text.size();
    std::string out(text);
    out += fmt::format("\n\n[Bytes {} to {} of {}", wish.offset, end, size);
    out += end < size ? fmt::format("; go on with offset {}]", end) : std::string("; the end]");
    return out;
  }

  Ledger& ledger_;
  const ResultFiles& results_;
};

}  // namespace

ToolData read_result_data() {
  return {.id = std::string(kReadResult),
          .reference_name = "readResult",
          .display_name = "Read Result",
          .user_description = "Read on in a tool's result that was too long to show",
          .model_description =
              "Reads more of a tool result that was shortened. Such a result ends "
              "with a handle, toolgate://results/…, and how many bytes there are.",
          .input_schema = std::string(kSchema),
          .tags = {"agent"},
          .is_read_only = true,
          .is_private = true};
}

std::shared_ptr<Tool> make_read_result(const BuiltinSurroundings& around) {
  return std::make_shared<ReadResult>(around.ledger, around.results);
}

}  // namespace toolgate
