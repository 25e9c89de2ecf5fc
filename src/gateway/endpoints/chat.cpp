// POST /v1/chat/completions: reads the request, picks the model, and lets agent/ answer.
#include <algorithm>
#include <unordered_set>

#include "agent/auto_execute.h"
#include "agent/shape_tools.h"
#include "base/glob.h"
#include "base/json.h"
#include "base/log.h"
#include "gateway/endpoints/endpoints.h"
#include "wire/openai_chat.h"

namespace toolgate {
namespace {

// Writes an answer to the client.
class HttpChatSink final : public ChatSink {
 public:
  HttpChatSink(RequestContext& context, RoundNotes& notes) : context_(context), notes_(notes) {}

  ~HttpChatSink() override {
    if (streaming_) context_.metrics.stream_closed();
  }

  Task<Result<void>> fail(const ErrorBody& error, const PassedHeaders& headers) override {
    if (notes_.error.empty()) notes_.error = error_word(error);
    co_await reply_error(context_, error, headers);
    co_return Result<void>{};
  }

  Task<Result<void>> whole(std::string body, const PassedHeaders& headers) override {
    HttpReply reply;
    reply.headers = headers;
    reply.body = std::move(body);
    co_return co_await context_.exchange.reply(std::move(reply));
  }

  void begin(const PassedHeaders& headers) override {
    streaming_ = true;
    context_.metrics.stream_opened();
    HttpHeaders all(headers);
    all.emplace_back("Cache-Control", "no-cache");
    all.emplace_back("X-Accel-Buffering", "no");
    context_.exchange.begin_stream(200, "text/event-stream; charset=utf-8", all);
  }

  Task<Result<void>> write(std::string_view events) override {
    return context_.exchange.write(events);
  }
  Task<Result<void>> end(std::string_view events) override {
    return context_.exchange.end_stream(events);
  }

 private:
  RequestContext& context_;
  RoundNotes& notes_;
  bool streaming_ = false;
};

void note_upstream(RequestContext& context, const RoundNotes& notes) {
  if (!log_enabled(LogLevel::Info) || notes.upstream_time.count() == 0) return;
  const std::chrono::duration<double, std::milli> time = notes.upstream_time;
  context.note += fmt::format(" upstream={:.1f}ms", time.count());
  if (notes.rounds > 1) context.note += fmt::format(" rounds={}", notes.rounds);
}

// Around all rounds and calls of a request in auto mode.
Span begin_agent_span(const RequestContext& context, const ChatRequest& request,
                      const ModelInfo& model) {
  Span span = Span::child_of(&context.span, SpanKind::Internal, "invoke_agent", "toolgate");
  if (!span) return span;
  span.text("gen_ai.operation.name", "invoke_agent");
  span.text("gen_ai.agent.name", "toolgate");
  span.text("gen_ai.provider.name", model.provider);
  span.text("gen_ai.request.model", model.id);
  span.text("gen_ai.conversation.id", request.session_id);
  return span;
}

void end_agent_span(Span& span, const RoundNotes& notes) {
  if (!span) return;
  span.number("gen_ai.usage.input_tokens", notes.input_tokens);
  span.number("gen_ai.usage.output_tokens", notes.output_tokens);
  span.number("toolgate.rounds", notes.rounds);
  if (!notes.error.empty()) span.fail(notes.error);
}

std::string_view session_header(const RequestContext& context) {
  return context.exchange.head().find("x-toolgate-session").value_or("");
}

TurnReport make_report(const ChatRequest& request, const Catalog& catalog) {
  TurnReport report;
  const auto is_private = [](const CatalogTool& tool) { return tool.data().is_private; };
  if (request.use_registered_tools && std::ranges::all_of(catalog.tools, is_private))
    report.warnings.push_back("use_vscode_tools: no tools are registered here, so none were added");
  return report;
}

std::shared_ptr<const ChatProvider> naming_model(const std::shared_ptr<const Snapshot>& snapshot) {
  const std::string& id = snapshot->settings.naming_model;
  if (id.empty()) return nullptr;
  return {snapshot, snapshot->find_model(id)};
}

// What the request's tools are for the model: registered ones are added, all are shaped. `chosen`
// gets the registered ones, if it is not null.
Task<Result<void>> prepare_tools(RequestContext& context, ChatRequest& request,
                                 const ModelInfo& model, TurnReport& report,
                                 ToolOffers::Tools* chosen) {
  const Settings& settings = context.snapshot->settings;
  const SchemaChanges changes = settings.families.changes_for(model.family);
  const Cancel& cancel = context.exchange.cancel();
  const OfferSettings offer{.model = model,
                            .changes = changes,
                            .limit = settings.limits.tools,
                            .threshold = settings.virtual_tools_threshold,
                            .naming_model = naming_model(context.snapshot),
                            .group_names = &context.group_names,
                            .chosen = chosen};
  if (request.tool_mode != ToolMode::None)
    if (auto offered = co_await offer_tools(request, *context.catalog, offer, context.tool_offers,
                                            report, cancel);
        !offered)
      co_return offered;
  if (auto possible = check_tool_choice(request); !possible) co_return possible;
  co_return co_await shape_tools(request, changes, context.normalized_tools, report, cancel);
}

// OpenAI's allowed_tools go to the upstream as they are; what a model calls beside them is not run.
void keep_allowed(const ChatRequest& request, const Catalog& catalog, ToolOffers::Tools& chosen) {
  if (request.tool_mode != ToolMode::Subset) return;
  const auto member = std::ranges::find(request.members, "tool_choice", &ChatMember::key);
  const auto choice = parse_json(member->value);
  const json::value* allowed = choice ? find(*choice, "allowed_tools") : nullptr;
  const json::value* tools = allowed ? find(*allowed, "tools") : nullptr;
  std::unordered_set<std::string> names;
  if (tools && tools->is_array())
    for (const json::value& tool : tools->get_array())
      if (const json::value* function = find(tool, "function"))
        if (const json::value* name = find(*function, "name"); name && name->is_string())
          names.emplace(name->get_string());
  std::erase_if(chosen,
                [&](std::uint32_t tool) { return !names.contains(catalog.tools[tool].data().id); });
}

InvokeRequest::Confirm confirm_of(const ChatRequest& request) {
  switch (request.confirmation) {
    case ChatRequest::Confirmation::Deny:
      return InvokeRequest::Confirm::Deny;
    case ChatRequest::Confirmation::Return:
      return InvokeRequest::Confirm::Return;
    case ChatRequest::Confirmation::Wait:
      break;
  }
  return InvokeRequest::Confirm::Wait;
}

CallSetting make_call_setting(RequestContext& context, const ChatRequest& request,
                              const ModelInfo& model) {
  const Limits& limits = context.snapshot->settings.limits;
  std::vector<Glob> parallel;
  for (const std::string& glob : context.snapshot->settings.parallel_tools)
    parallel.emplace_back(glob);
  return {.tools = context.tools_service,
          .context = context.invoking.context(context.snapshot, context.catalog),
          .request_id = context.id,
          .session_id = request.session_id,
          .caller = context.caller,
          .workspace = context.invoking.workspace(),
          .confirm = confirm_of(request),
          .encoding = model.encoding,
          .most_parallel = limits.parallel_calls,
          .most_calls = limits.turn_calls,
          .most_argument_bytes = limits.argument_bytes,
          .runs_beside_others = [globs = std::move(parallel)](const CatalogTool& tool) {
            return std::ranges::any_of(
                globs, [&](const Glob& one) { return one.matches(tool.data().id); });
          }};
}

Task<> execute(RequestContext& context, ChatRequest& request, const ChatProvider& model) {
  if (request.choices > 1) {
    co_await reply_error(
        context,
        Error{Errc::InvalidRequest, "n: with tool_execution \"auto\" there is one answer", "n"});
    co_return;
  }
  if (request.session_id.empty()) request.session_id = session_header(context);
  Span agent = begin_agent_span(context, request, model.info());
  RoundNotes notes{.metrics = &context.metrics, .span = &agent, .session_id = request.session_id};
  const Limits& limits = context.snapshot->settings.limits;
  AutoExecution execution{
      .provider = model,
      .client = context.client,
      .ledger = context.invoking.ledger(),
      .redaction = redaction_for(context),
      .calls = make_call_setting(context, request, model.info()),
      .notes = notes,
      .most_tokens = limits.turn_tokens,
      .time = limits.turn_seconds,
      .keep_turns = limits.turn_keep_seconds,
      .parse =
          [&](std::string_view body) {
            auto parsed = parse_chat_request(body, {.max_tools = limits.tools},
                                             &context.known_parts, context.caller);
            if (parsed && parsed->model.empty()) parsed->model = model.info().id;
            return parsed;
          },
      .offer = [&](ChatRequest& round, TurnReport& report,
                   ToolOffers::Tools& chosen) -> Task<Result<void>> {
        report = make_report(round, *context.catalog);
        auto prepared = co_await prepare_tools(context, round, model.info(), report, &chosen);
        keep_allowed(round, *context.catalog, chosen);
        co_return prepared;
      }};
  execution.calls.context.span = &agent;
  HttpChatSink sink(context, notes);
  (void)co_await auto_execute(request, std::move(execution), sink, context.exchange.cancel());
  note_upstream(context, notes);
  end_agent_span(agent, notes);
}

}  // namespace

Task<> chat_completions(RequestContext& context) {
  auto body = co_await context.exchange.read_body();
  if (!body) {
    co_await reply_error(context, body.error());
    co_return;
  }
  auto request = parse_chat_request(*body, {.max_tools = context.snapshot->settings.limits.tools},
                                    &context.known_parts, context.caller);
  if (!request) {
    co_await reply_error(context, request.error());
    co_return;
  }
  const ChatProvider* model = context.snapshot->find_model(request->model);
  if (!model) {
    co_await reply_error(context, unknown_model(*context.snapshot, request->model));
    co_return;
  }
  if (request->model.empty()) request->model = model->info().id;
  if (log_enabled(LogLevel::Info))
    context.note += fmt::format(" model={}{}", model->info().id, request->stream ? " stream" : "");

  if (request->auto_execute) {
    co_await execute(context, *request, *model);
    co_return;
  }
  TurnReport report = make_report(*request, *context.catalog);
  if (auto prepared = co_await prepare_tools(context, *request, model->info(), report, nullptr);
      !prepared) {
    co_await reply_error(context, prepared.error());
    co_return;
  }

  if (context.span && request->session_id.empty()) request->session_id = session_header(context);
  RoundNotes notes{
      .metrics = &context.metrics, .span = &context.span, .session_id = request->session_id};
  HttpChatSink sink(context, notes);
  (void)co_await pass_through({*request, context.id, context.client}, *model, std::move(report),
                              notes, sink, context.exchange.cancel());
  note_upstream(context, notes);
}

}  // namespace toolgate
