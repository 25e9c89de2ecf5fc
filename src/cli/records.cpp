#include "cli/records.h"

#include "base/json.h"
#include "cli/local_gateway.h"
#include "gateway/access.h"
#include "gateway/edits_reply.h"

namespace toolgate {
namespace {

class GatewayRecords final : public Records {
 public:
  explicit GatewayRecords(GatewayLink link) : link_(link), client_(std::move(link)) {}
  const GatewayLink* gateway() const override { return &link_; }

  Result<std::string> approvals() override { return client_.ask("GET", "/v1/approvals"); }
  Result<std::string> revoke(std::string id) override {
    return client_.ask("DELETE", "/v1/approvals/" + encode_percent(id));
  }
  Result<std::string> reset() override { return client_.ask("DELETE", "/v1/approvals"); }
  Result<std::string> edits(std::size_t limit, std::string workspace) override {
    return client_.ask(
        "GET", fmt::format("/v1/edits?limit={}&workspace={}", limit, encode_percent(workspace)));
  }
  Result<std::string> edit(std::string id, bool force) override {
    return client_.ask("GET",
                       fmt::format("/v1/edits/{}?force={}", encode_percent(id), force ? 1 : 0));
  }
  Result<std::string> undo(std::string id, bool force) override {
    return client_.ask("POST", fmt::format("/v1/edits/{}/undo", encode_percent(id)),
                       fmt::format(R"({{"force":{}}})", force));
  }
  Result<std::string> audit(AuditQuery query) override {
    return client_.ask("GET", "/v1/audit?" + write_audit_query(query));
  }
  Result<std::string> verify() override { return client_.ask("GET", "/v1/audit/verify"); }

 private:
  const GatewayLink link_;
  GatewayClient client_;
};

class LocalRecords final : public Records {
 public:
  explicit LocalRecords(LocalGateway local) : local_(std::move(local)) {}

  Result<std::string> approvals() override {
    const auto list = ledger().run_blocking(
        [](InvocationBook& book) { return Result<std::vector<Approval>>(book.approvals()); });
    if (!list) return std::unexpected(list.error());
    std::string out = R"({"object":"list","data":[)";
    for (const Approval& approval : *list) {
      if (out.back() == '}') out += ',';
      out += write_approval(approval);
    }
    return out + "]}";
  }

  Result<std::string> revoke(std::string id) override {
    const auto gone =
        ledger().run_blocking([&](InvocationBook& book) { return book.revoke(id, kOperatorName); });
    if (!gone) return std::unexpected(gone.error());
    return write_approval(*gone);
  }

  Result<std::string> reset() override {
    const auto count = ledger().run_blocking(
        [](InvocationBook& book) { return book.reset_approvals(kOperatorName); });
    if (!count) return std::unexpected(count.error());
    return fmt::format(R"({{"revoked":{}}})", *count);
  }

  Result<std::string> edits(std::size_t limit, std::string workspace) override {
    return write_edit_list(local_.invoking->edits(), limit, workspace);
  }
  Result<std::string> edit(std::string id, bool force) override {
    return write_edit(local_.invoking->edits(), id, force);
  }
  Result<std::string> undo(std::string id, bool force) override {
    return write_undo(local_.invoking->edits(), ledger(), id,
                      {.force = force, .caller = std::string(kOperatorName)});
  }
  Result<std::string> audit(AuditQuery query) override {
    const auto entries = read(query);
    if (!entries) return std::unexpected(entries.error());
    std::string out = R"({"object":"list","data":[)";
    for (const AuditEntry& entry : *entries) {
      if (out.back() == '}') out += ',';
      out += write_audit_line(entry);
    }
    return out + fmt::format(R"(],"has_more":{}}})", entries->size() == query.limit);
  }

  Result<std::string> verify() override {
    constexpr std::size_t kPage = 1'000;
    std::optional<AuditEntry> last;
    std::optional<std::string> problem;
    while (!problem) {
      const auto entries = read({.after = last ? last->sequence : 0, .limit = kPage});
      if (!entries) return std::unexpected(entries.error());
      if (entries->empty()) break;
      problem = find_broken_link(*entries, last ? &*last : nullptr);
      last = entries->back();
    }
    std::string out =
        fmt::format(R"({{"entries":{},"intact":{})", last ? last->sequence : 0, !problem);
    if (problem) {
      out += R"(,"problem":)";
      append_json_string(out, *problem);
    }
    if (last) out += fmt::format(R"(,"last_hash":"{}")", last->hash);
    return out + "}";
  }

 private:
  Ledger& ledger() { return local_.invoking->ledger(); }
  Result<std::vector<AuditEntry>> read(const AuditQuery& query) {
    return ledger().run_blocking([&](InvocationBook& book) { return book.audit(query); });
  }

  LocalGateway local_;
};

}  // namespace

std::string write_audit_query(const AuditQuery& query) {
  std::string out = fmt::format("limit={}", query.limit);
  if (query.after > 0) out += fmt::format("&after={}", query.after);
  if (query.before > 0) out += fmt::format("&before={}", query.before);
  if (query.since > 0) out += fmt::format("&since={}", query.since);
  if (!query.tool_id.empty()) out += "&tool=" + encode_percent(query.tool_id);
  if (query.newest_first) out += "&order=desc";
  return out;
}

std::unique_ptr<Records> make_gateway_records(GatewayLink link) {
  return std::make_unique<GatewayRecords>(std::move(link));
}

Result<std::unique_ptr<Records>> open_local_records(const CatalogOptions& options) {
  auto local = open_local_gateway(options);
  if (!local) return std::unexpected(std::move(local.error()));
  return std::make_unique<LocalRecords>(std::move(*local));
}

Result<std::unique_ptr<Records>> open_records(const GatewayChoice& gateway,
                                              const CatalogOptions& options) {
  auto link = find_gateway(gateway);
  if (!link) return std::unexpected(std::move(link.error()));
  if (*link) return make_gateway_records(std::move(**link));
  return open_local_records(options);
}

}  // namespace toolgate
