// GET /v1/audit, a page at a time or as JSON lines, and /v1/audit/verify: the audit trail.
#include "async/offload.h"
#include "gateway/endpoints/endpoints.h"
#include "gateway/invoking.h"
#include "gateway/query.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostListed = 10'000;

Result<AuditQuery> read_query(std::string_view text) {
  const Query query(text);
  AuditQuery wanted;
  constexpr std::size_t kMost = std::size_t{1} << 60;
  const auto number = [&](std::string_view name, auto& target, std::size_t least,
                          std::size_t most) -> Result<void> {
    const auto value = query.whole_number(name, least, most);
    if (!value) return std::unexpected(value.error());
    if (*value) target = static_cast<std::remove_reference_t<decltype(target)>>(**value);
    return {};
  };
  if (auto read = number("after", wanted.after, 0, kMost); !read)
    return std::unexpected(read.error());
  if (auto read = number("before", wanted.before, 1, kMost); !read)
    return std::unexpected(read.error());
  if (auto read = number("since", wanted.since, 0, kMost); !read)
    return std::unexpected(read.error());
  if (auto read = number("limit", wanted.limit, 1, kMostListed); !read)
    return std::unexpected(read.error());
  wanted.tool_id = query.find("tool").value_or("");
  wanted.newest_first = query.find("order").value_or("") == "desc";
  return wanted;
}

}  // namespace

Task<> list_audit(RequestContext& context) {
  const auto query = read_query(context.exchange.query());
  if (!query) {
    co_await reply_error(context, query.error());
    co_return;
  }
  const auto entries = co_await context.invoking.ledger().run(
      [wanted = *query](InvocationBook& book) { return book.audit(wanted); });
  if (!entries) {
    co_await reply_error(context, entries.error());
    co_return;
  }
  const bool lines = Query(context.exchange.query()).find("format").value_or("") == "jsonl";
  HttpReply reply;
  if (lines) reply.content_type = "application/jsonl";
  std::string& out = reply.body;
  if (!lines) out = R"({"object":"list","data":[)";
  for (const AuditEntry& entry : *entries) {
    if (!lines && out.back() == '}') out += ',';
    out += write_audit_line(entry);
    if (lines) out += '\n';
  }
  if (!lines)
    out += fmt::format(R"(],"has_more":{}}})", entries->size() == query->limit ? "true" : "false");
  (void)co_await context.exchange.reply(std::move(reply));
}

// From the first entry to the last, in pages, so that calls go on meanwhile.
Task<> verify_audit(RequestContext& context) {
  constexpr std::size_t kPage = 1'000;
  std::optional<AuditEntry> last;
  std::int64_t count = 0;
  std::optional<std::string> problem;
  while (!problem && !context.exchange.cancel().requested()) {
    AuditQuery page;
    page.after = count;
    page.limit = kPage;
    const auto entries = co_await context.invoking.ledger().run(
        [page](InvocationBook& book) { return book.audit(page); });
    if (!entries) {
      co_await reply_error(context, entries.error());
      co_return;
    }
    if (entries->empty()) break;
    problem = find_broken_link(*entries, last ? &*last : nullptr);
    last = entries->back();
    count = last->sequence;
  }
  std::string out = fmt::format(R"({{"entries":{},"intact":{})", count, !problem);
  if (problem) {
    out += R"(,"problem":)";
    append_json_string(out, *problem);
  }
  if (last) out += fmt::format(R"(,"last_hash":"{}")", last->hash);
  co_await reply_json(context, out + '}');
}

}  // namespace toolgate
