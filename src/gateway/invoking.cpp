#include "gateway/invoking.h"

#include <chrono>

#include "base/json.h"
#include "gateway/access.h"
#include "gateway/request_context.h"
#include "store/open.h"

namespace toolgate {
namespace {

std::int64_t wall_clock() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// As the file system knows it, so that one folder is one workspace however it was named.
std::string resolved(const std::filesystem::path& path) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  return error ? path.lexically_normal().string() : real.string();
}

std::string_view name_of(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::Run:
      return "run";
    case Verdict::Kind::Ask:
      return "ask";
    case Verdict::Kind::Refuse:
      break;
  }
  return "refuse";
}

}  // namespace

Result<std::unique_ptr<Invoking>> Invoking::open(const InvokingOptions& options,
                                                 const Settings& settings) {
  auto lock = DataFolderLock::acquire(options.data);
  if (!lock) return std::unexpected(lock.error());
  auto store = open_store(settings.store, options.data);
  if (!store) return std::unexpected(store.error());
  BookOptions book;
  book.now = wall_clock;
  book.redaction = Redaction(settings.redact);
  auto ledger = Ledger::open(std::move(*store), std::move(book));
  if (!ledger) return std::unexpected(ledger.error());
  return std::unique_ptr<Invoking>(
      new Invoking(std::move(*lock), options, Redaction(settings.redact), std::move(*ledger)));
}

Invoking::Invoking(DataFolderLock lock, const InvokingOptions& options, Redaction redaction,
                   std::unique_ptr<Ledger> ledger)
    : lock_(std::move(lock)),
      workspace_(resolved(options.workspace)),
      results_(options.data / "results"),
      redaction_(std::move(redaction)),
      ledger_(std::move(ledger)) {
  places_ = std::make_shared<const EditPlaces>(
      EditPlaces{.workspaces = {workspace_}, .home = options.home.string()});
}

InvokeContext Invoking::context(const std::shared_ptr<const Snapshot>& snapshot,
                                std::shared_ptr<const Catalog> catalog) const {
  const Settings& settings = snapshot->settings;
  InvokeContext context;
  context.catalog = std::move(catalog);
  context.approvals = {snapshot, &settings.approvals};
  context.tool_time = settings.limits.tool_seconds;
  context.results = {.part_bytes = settings.limits.result_bytes,
                     .total_bytes = settings.limits.result_total_bytes,
                     .parts = settings.limits.result_parts};
  context.places = places_;
  return context;
}

const Redaction* redaction_for(const RequestContext& context) {
  return context.caller == kOperatorName ? nullptr : &context.redaction;
}

Task<Result<InvocationPointer>> find_own_call(RequestContext& context) {
  auto row = co_await context.invoking.ledger().run(
      [id = context.parameter](InvocationBook& book) { return book.find(id); });
  if (!row) co_return row;
  // A key sees that a call of another key exists, and can do nothing about it.
  if (context.caller != kOperatorName && (*row)->caller != context.caller)
    co_return fail(Errc::Forbidden, "{} was made with another key", context.parameter);
  co_return row;
}

std::string write_explanation(std::string_view tool_id, const Verdict& verdict) {
  std::string out = R"({"tool":)";
  append_json_string(out, tool_id);
  out += fmt::format(R"(,"verdict":"{}")", name_of(verdict.kind));
  if (verdict.kind != Verdict::Kind::Ask)
    out += R"(,"decision":)" + write_decision(verdict.decision);
  else
    out += R"(,"question":)" +
           write_json(json::value(json::object{
               {"title", verdict.question.prepared.confirmation_title},
               {"message", verdict.question.prepared.confirmation_message},
               {"mayBeRemembered", verdict.question.prepared.allow_auto_confirm.value_or(true)}}));
  out += R"(,"trail":)" + write_trail(verdict.trail) + '}';
  return out;
}

}  // namespace toolgate
