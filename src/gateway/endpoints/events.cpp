// GET /v1/events: server-sent events of calls, progress, the audit trail, undos and changes of the
// catalogue. A client that comes back with Last-Event-ID goes on where it was.
#include <set>

#include "async/loop_waker.h"
#include "gateway/endpoints/endpoints.h"
#include "gateway/invoking.h"
#include "gateway/query.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostAtOnce = 200;

std::set<std::string, std::less<>> wanted_kinds(std::string_view list) {
  std::set<std::string, std::less<>> kinds;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) kinds.emplace(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return kinds;
}

void append_event(std::string& out, std::string_view id, std::string_view kind,
                  std::string_view data) {
  out += fmt::format("id: {}\nevent: {}\ndata: {}\n\n", id, kind, data);
}

}  // namespace

Task<> follow_events(RequestContext& context) {
  EventLog& log = *context.invoking.ledger().events();
  const Query query(context.exchange.query());
  const auto kinds = wanted_kinds(query.find("types").value_or(""));
  auto last_id = context.exchange.head().find("last-event-id");
  if (!last_id) last_id = query.find("last_event_id");
  std::uint64_t cursor = log.newest();
  std::string out = ": connected\nretry: 1000\n\n";
  if (last_id) {
    if (const auto number = log.parse_id(*last_id))
      cursor = *number;
    else
      append_event(out, log.id_of(cursor), "reset", R"({"reason":"unknown Last-Event-ID"})");
  }

  const auto waker = std::make_shared<LoopWaker>(co_await LoopHandle::here());
  const Registration following = log.on_append([weak = std::weak_ptr(waker)] {
    if (const auto alive = weak.lock()) alive->wake();
  });
  const Cancel& cancel = context.exchange.cancel();
  const CancelHook hook(cancel, [&waker](CancelReason) { waker->event().set(); });
  context.exchange.begin_stream(200, "text/event-stream; charset=utf-8",
                                {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}});
  while (!cancel.requested() && !context.exchange.stopping()) {
    const auto batch = log.read(cursor, kMostAtOnce);
    if (batch.missed)
      append_event(out, log.id_of(cursor), "reset", R"({"reason":"events were missed"})");
    for (const auto& event : batch.events) {
      cursor = event->number;
      if (kinds.empty() || kinds.contains(event->kind))
        append_event(out, log.id_of(event->number), event->kind, event->write());
    }
    if (!out.empty()) {
      if (!co_await context.exchange.write(out)) co_return;
      out.clear();
      continue;  // something may have come meanwhile, and its wake found nobody waiting
    }
    if (batch.events.empty() && !cancel.requested()) co_await waker->event().wait();
  }
  (void)co_await context.exchange.end_stream();
}

}  // namespace toolgate
