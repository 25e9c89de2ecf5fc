// toolgate audit: who called what, with which decision and timing. From a running gateway or the
// data folder itself; --follow needs a gateway.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "async/event.h"
#include "cli/audit_lines.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/json_document.h"
#include "cli/moments.h"
#include "cli/records.h"

namespace toolgate {
namespace {

constexpr int kUsage = 2;
constexpr std::size_t kPage = 1'000;

struct AuditCommand {
  CatalogOptions catalog;
  GatewayChoice gateway;
  std::string tool;
  std::string since;
  std::size_t limit = 100;
  bool follow = false;
  bool verify = false;
  bool as_json = false;
  bool as_lines = false;
};

void print_entry(const JsonNode& entry, bool as_json, const Terminal& terminal) {
  terminal.print(as_json ? write_json(entry) + "\n" : audit_line(entry, terminal));
}

int verify_trail(const AuditCommand& command, Records& records) {
  auto answer = records.verify();
  if (!answer) return report_failure(answer.error());
  const auto document = JsonDocument::parse(std::move(*answer));
  if (!document) return report_failure(document.error());
  const JsonNode& root = document->root();
  const bool intact = truth_of(root, "intact");
  if (command.as_json) {
    fmt::print("{}\n", document->text());
    return intact ? 0 : 1;
  }
  const Terminal terminal(stdout);
  const auto count = static_cast<std::size_t>(number_of(root, "entries"));
  if (intact)
    terminal.print(fmt::format(
        "{} {}, each follows the one before it\n{}\n", terminal.paint(Paint::Green, "✓"),
        count == 1 ? "1 entry" : with_commas(count) + " entries",
        terminal.paint(Paint::Dim, fmt::format("last hash {}", text_of(root, "last_hash")))));
  else
    terminal.print(
        fmt::format("{} {}\n", terminal.paint(Paint::Red, "✗"), visible(text_of(root, "problem"))));
  return intact ? 0 : 1;
}

// Everything that is asked for, oldest first, a JSON line each.
int export_lines(Records& records, AuditQuery query) {
  query.limit = kPage;
  while (true) {
    auto answer = records.audit(query);
    if (!answer) return report_failure(answer.error());
    const auto document = JsonDocument::parse(std::move(*answer));
    if (!document) return report_failure(document.error());
    const JsonNode* data = document->root().find("data");
    if (!data || !data->first) return 0;
    for (const JsonNode* entry = data->first; entry; entry = entry->next)
      fmt::print("{}\n", write_json(*entry));
    query.after = number_of(*data->last, "sequence");
  }
}

// The newest ones, oldest first.
int list_trail(const AuditCommand& command, Records& records, AuditQuery query) {
  query.newest_first = true;
  auto answer = records.audit(query);
  if (!answer) return report_failure(answer.error());
  const auto document = JsonDocument::parse(std::move(*answer));
  if (!document) return report_failure(document.error());
  const JsonNode* data = document->root().find("data");
  std::vector<const JsonNode*> entries;
  for (const JsonNode* entry = data ? data->first : nullptr; entry; entry = entry->next)
    entries.push_back(entry);
  std::ranges::reverse(entries);
  const bool has_more = truth_of(document->root(), "has_more");
  if (command.as_json) {
    std::string out = R"({"object":"list","data":[)";
    for (const JsonNode* entry : entries) {
      if (entry != entries.front()) out += ',';
      append_json(out, *entry);
    }
    fmt::print("{}],\"has_more\":{}}}\n", out, has_more);
    return 0;
  }
  const Terminal terminal(stdout);
  for (const JsonNode* entry : entries) print_entry(*entry, false, terminal);
  if (!terminal.is_terminal()) return 0;
  if (entries.empty()) terminal.print("Nothing like that is recorded.\n");
  if (has_more)
    terminal.print(
        terminal.paint(Paint::Dim,
                       fmt::format("the newest {}; --limit shows more, --jsonl all", query.limit)) +
        "\n");
  return 0;
}

// Prints what is there and then what comes. An event says only that there is more, so nothing is
// lost or printed twice.
class TrailFollower {
 public:
  TrailFollower(GatewayClient& client, AuditQuery query, bool as_json)
      : client_(client), query_(std::move(query)), as_json_(as_json) {}

  Task<Result<void>> run() {
    Scope& scope = client_.loop().scope();
    scope.spawn(follow(), "following the audit trail");
    while (!connected_ && !ended_) co_await changed_.wait();
    Result<void> printed;
    if (connected_) printed = co_await print_newest();
    while (printed && !ended_) {
      while (!std::exchange(more_, false) && !ended_) co_await changed_.wait();
      if (!ended_) printed = co_await print_new();
    }
    cancel_.request(CancelReason::User);
    co_await scope.drain();
    if (printed && !*ended_) printed = std::unexpected(ended_->error());
    co_return printed;
  }

 private:
  Task<> follow() {
    const auto connected = [this] {
      connected_ = true;
      changed_.set();
    };
    const auto told = [this](std::string_view, std::string_view) {
      more_ = true;
      changed_.set();
    };
    ended_ = co_await client_.follow("/v1/events?types=audit,reset", connected, told, cancel_);
    changed_.set();
  }

  Task<Result<void>> print_newest() {
    AuditQuery query = query_;
    query.newest_first = true;
    auto read = co_await read_page(query);
    if (!read) co_return std::unexpected(read.error());
    const JsonNode* data = read->root().find("data");
    std::vector<const JsonNode*> entries;
    for (const JsonNode* entry = data ? data->first : nullptr; entry; entry = entry->next)
      entries.push_back(entry);
    std::ranges::reverse(entries);
    for (const JsonNode* entry : entries) print(*entry);
    co_return Result<void>{};
  }

  Task<Result<void>> print_new() {
    while (true) {
      AuditQuery query = query_;
      query.after = last_;
      query.limit = kPage;
      const auto read = co_await read_page(query);
      if (!read) co_return std::unexpected(read.error());
      const JsonNode* data = read->root().find("data");
      if (!data || !data->first) co_return Result<void>{};
      for (const JsonNode* entry = data->first; entry; entry = entry->next) print(*entry);
    }
  }

  Task<Result<JsonDocument>> read_page(AuditQuery query) {
    auto answer =
        co_await client_.send("GET", "/v1/audit?" + write_audit_query(query), {}, cancel_);
    if (!answer) co_return std::unexpected(answer.error());
    co_return JsonDocument::parse(std::move(*answer));
  }

  void print(const JsonNode& entry) {
    last_ = std::max(last_, number_of(entry, "sequence"));
    print_entry(entry, as_json_, terminal_);
    std::fflush(stdout);
  }

  GatewayClient& client_;
  const AuditQuery query_;
  const bool as_json_;
  const Terminal terminal_{stdout};
  CancelSource cancel_;
  Event changed_;
  bool connected_ = false;
  bool more_ = false;
  std::optional<Result<void>> ended_;
  std::int64_t last_ = 0;
};

int follow_trail(const AuditCommand& command, const AuditQuery& query) {
  auto link = need_gateway(command.gateway);
  if (!link) return report_failure(link.error());
  GatewayClient client(std::move(*link));
  TrailFollower follower(client, query, command.as_json || command.as_lines);
  const auto followed = run_on(client.loop(), follower.run());
  if (!followed) return report_failure(followed.error());
  fmt::print(stderr, "toolgate: the gateway has stopped\n");
  return 0;
}

int run_audit(const AuditCommand& command) {
  AuditQuery query;
  query.tool_id = command.tool;
  query.limit = command.limit;
  if (!command.since.empty()) {
    const auto since = parse_since(command.since, wall_clock());
    if (!since) {
      report_failure(since.error());
      return kUsage;
    }
    query.since = *since;
  }
  if (command.follow) return follow_trail(command, query);
  auto records = open_records(command.gateway, command.catalog);
  if (!records) return report_failure(records.error());
  if (command.verify) return verify_trail(command, **records);
  if (command.as_lines) return export_lines(**records, query);
  return list_trail(command, **records, query);
}

}  // namespace

void add_audit(CLI::App& app, Run& run) {
  auto options = std::make_shared<AuditCommand>();
  CLI::App* command =
      app.add_subcommand("audit", "Show who called what, with which decision and timing");
  CLI::Option* follow =
      command->add_flag("--follow", options->follow, "Go on with what happens from now on");
  command->add_option("--tool", options->tool, "Only calls of this tool")->type_name("NAME");
  command
      ->add_option("--since", options->since,
                   "Only what happened since: 30m, 2h, 7d ago, or a date such as 2025-03-01")
      ->type_name("TIME");
  command->add_option("--limit", options->limit, "At most so many, the newest ones")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command
      ->add_flag("--verify", options->verify,
                 "Check that no entry was changed, removed or put in between")
      ->excludes(follow);
  command->add_flag("--json", options->as_json,
                    "Print the object that GET /v1/audit (or /v1/audit/verify) answers with");
  command->add_flag("--jsonl", options->as_lines, "Print everything asked for, a JSON line each");
  add_url_option(*command, options->gateway);
  add_catalog_options(*command, options->catalog);
  command->footer(
      "A pipe gets one line per entry: time, kind, tool, actor, call, session, details.\n"
      "Exit status: 0, or 1 when --verify finds a broken link.");
  command->callback([options, &run] {
    complete_catalog_options(options->catalog);
    options->gateway.data = options->catalog.data;
    run = [options] { return run_audit(*options); };
  });
}

}  // namespace toolgate
