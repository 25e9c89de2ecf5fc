#include "hosts/hook_runner.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "async/deadline.h"
#include "base/glob.h"
#include "base/utf8.h"
#include "hosts/hook_message.h"
#include "net/child_process.h"
#include "net/http_client.h"

namespace toolgate {
namespace {

using Kind = HookVerdict::Kind;

constexpr std::size_t kMostAnswerBytes = std::size_t{1} << 20;
constexpr std::size_t kMostReasonBytes = std::size_t{16} << 10;
constexpr std::size_t kMostShownBytes = 300;  // of what a failed program wrote
constexpr int kDeniedStatus = 2;

// What a program wrote for people, as text to show.
std::string shown(std::string_view written, std::size_t most) {
  const auto first = written.find_first_not_of(" \t\r\n");
  if (first == written.npos) return {};
  written = written.substr(first, most);
  written.remove_suffix(incomplete_utf8_tail(written));
  return mend_utf8(written.substr(0, written.find_last_not_of(" \t\r\n") + 1));
}

// All errors of a hook go on after "it".
std::unexpected<Error> broke(std::string reason) {
  return std::unexpected(Error{Errc::Internal, std::move(reason), {}});
}

std::unexpected<Error> too_slow(const Hook& hook) {
  return broke(fmt::format("did not answer within {} s",
                           std::chrono::duration<double>(hook.timeout).count()));
}

std::unexpected<Error> too_long() {
  return broke(fmt::format("answered with more than {} bytes", kMostAnswerBytes));
}

std::string ending_of(const ChildOutcome& outcome) {
  std::string text = outcome.signal != 0 ? fmt::format("was ended by signal {}", outcome.signal)
                                         : fmt::format("ended with status {}", outcome.exit_status);
  const std::string written = shown(outcome.error.text, kMostShownBytes);
  return written.empty() ? text : fmt::format("{}: {}", text, written);
}

Result<HookAnswer> answer_of(const Hook& hook, HookMoment moment, const ChildOutcome& outcome) {
  if (outcome.timed_out) return too_slow(hook);
  if (outcome.signal == 0 && outcome.exit_status == kDeniedStatus)
    return HookAnswer{.kind = Kind::Deny, .reason = shown(outcome.error.text, kMostReasonBytes)};
  if (outcome.signal != 0 || outcome.exit_status != 0) return broke(ending_of(outcome));
  if (outcome.output.dropped > 0) return too_long();
  return parse_hook_answer(moment, outcome.output.text);
}

Task<Result<HookAnswer>> ask_program(const Hook& hook, HookMoment moment, std::string message,
                                     const Cancel& cancel) {
  auto outcome = co_await run_child({.arguments = hook.command,
                                     .environment = make_child_environment(hook.environment),
                                     .input = std::move(message),
                                     .output_limit = kMostAnswerBytes,
                                     .error_limit = kMostReasonBytes,
                                     .time_limit = hook.timeout},
                                    cancel);
  if (!outcome) co_return broke("could not be run: " + outcome.error().message);
  co_return answer_of(hook, moment, *outcome);
}

std::string make_head(const Hook& hook, const UpstreamAddress& address, std::size_t size) {
  // As written: an address has no slash at its end.
  const auto path = hook.url.find('/', hook.url.find("://") + 3);
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: toolgate\r\nContent-Type: application/json\r\n"
      "Accept: application/json\r\nContent-Length: {}\r\n\r\n",
      path == hook.url.npos ? "/" : std::string_view(hook.url).substr(path), address.authority,
      size);
}

Task<Result<HookAnswer>> exchange(HttpClient& client, const Hook& hook,
                                  const UpstreamAddress& address, HookMoment moment,
                                  std::string_view message, const Cancel& cancel) {
  const std::string head = make_head(hook, address, message.size());
  // The hook's own limit is the one that counts.
  const auto later = hook.timeout + std::chrono::seconds(1);
  auto response = co_await client.send({.to = address,
                                        .method = "POST",
                                        .head = head,
                                        .body = std::span(&message, 1),
                                        .times = {later, later, later}},
                                       cancel);
  if (!response) co_return broke("could not be asked: " + response.error().message);
  const int status = (*response)->status();
  if (status < 200 || status > 299)
    co_return broke(fmt::format("answered with HTTP status {}", status));
  std::string body;
  for (bool more = true; more;) {
    const auto read = co_await (*response)->read_some(body, cancel);
    if (!read) co_return broke("broke off its answer: " + read.error().message);
    if (body.size() > kMostAnswerBytes) co_return too_long();
    more = *read;
  }
  co_return parse_hook_answer(moment, body);
}

Task<Result<HookAnswer>> ask_endpoint(HttpClient& client, const Hook& hook,
                                      const UpstreamAddress& address, HookMoment moment,
                                      std::string message, const Cancel& cancel) {
  CancelSource limited(cancel);
  Deadline deadline(client.loop().deadlines(),
                    [&limited] { limited.request(CancelReason::Timeout); });
  deadline.arm(hook.timeout);
  auto answer = co_await exchange(client, hook, address, moment, message, limited);
  if (!answer && limited.requested() && !cancel.requested()) co_return too_slow(hook);
  co_return answer;
}

// What a failure counts as. Nobody can be asked about a result, so there Ask is the same as Deny.
HookAnswer answer_for_failure(const Hook& hook, HookMoment moment, std::string problem) {
  switch (hook.on_failure) {
    case Hook::OnFailure::Ignore:
      return {};
    case Hook::OnFailure::Ask:
      return {.kind = moment == HookMoment::Before ? Kind::Ask : Kind::Deny,
              .reason = std::move(problem)};
    case Hook::OnFailure::Deny:
      break;
  }
  return {.kind = Kind::Deny, .reason = std::move(problem)};
}

}  // namespace

struct HookRunner::Entry {
  Hook hook;
  std::vector<Glob> tools;
  std::optional<UpstreamAddress> address;
  std::string fault;  // why it cannot be run; empty: it can

  bool is_for(const HookCall& call) const {
    const auto matches = [&call](const Glob& glob) {
      return glob.matches(call.tool_id) ||
             (!call.tool_reference_name.empty() && glob.matches(call.tool_reference_name));
    };
    return tools.empty() || std::ranges::any_of(tools, matches);
  }

  Task<Result<HookAnswer>> ask(HttpClient& client, HookMoment moment, std::string message,
                               const Cancel& cancel) const {
    if (!fault.empty()) co_return broke(fault);
    if (address)
      co_return co_await ask_endpoint(client, hook, *address, moment, std::move(message), cancel);
    co_return co_await ask_program(hook, moment, std::move(message), cancel);
  }

  // The same, where a failure is an answer too, and noted.
  Task<HookAnswer> answer(HttpClient& client, HookMoment moment, std::string message,
                          std::vector<std::string>& problems, const Cancel& cancel) const {
    auto said = co_await ask(client, moment, std::move(message), cancel);
    if (cancel.requested()) co_return HookAnswer{.kind = Kind::Deny, .reason = "It was cancelled."};
    if (!said) {
      problems.push_back(
          fmt::format("The hook '{}' failed: it {}.", hook.name, said.error().message));
      said = answer_for_failure(hook, moment, problems.back());
    }
    if (said->kind == Kind::Deny && said->reason.empty())
      said->reason =
          fmt::format("The hook '{}' {}.", hook.name,
                      moment == HookMoment::Before ? "denied this call" : "withholds the result");
    co_return std::move(*said);
  }
};

HookRunner::HookRunner(HookSettings settings, HttpClient& client)
    : client_(client),
      before_(make_entries(std::move(settings.before))),
      after_(make_entries(std::move(settings.after))) {}

HookRunner::~HookRunner() = default;

std::vector<HookRunner::Entry> HookRunner::make_entries(std::vector<Hook> hooks) {
  std::vector<Entry> entries;
  for (Hook& hook : hooks) {
    Entry& entry = entries.emplace_back();
    for (const std::string& pattern : hook.tools) entry.tools.emplace_back(pattern);
    if (auto checked = check_hook(hook); !checked)
      entry.fault = checked.error().message;
    else if (!hook.url.empty())
      entry.address = parse_base_url(hook.url).value();
    entry.hook = std::move(hook);
  }
  return entries;
}

Task<BeforeHooks> HookRunner::before(HookCall call, const Cancel& cancel) {
  BeforeHooks all;
  for (const Entry& entry : before_) {
    if (!entry.is_for(call)) continue;
    HookAnswer said =
        co_await entry.answer(client_, HookMoment::Before,
                              write_hook_message(HookMoment::Before, call), all.problems, cancel);
    if (said.kind > all.verdict.kind)
      all.verdict = {said.kind, std::move(said.reason), entry.hook.name};
    if (all.verdict.kind == Kind::Deny) break;
    if (!said.updated_input) continue;
    call.arguments = *said.updated_input;
    all.updated_input = std::move(said.updated_input);
  }
  co_return all;
}

Task<AfterHooks> HookRunner::after(HookCall call, std::string result_json, const Cancel& cancel) {
  AfterHooks all;
  if (std::ranges::none_of(after_, [&call](const Entry& entry) { return entry.is_for(call); }))
    co_return all;
  const std::string message = write_hook_message(HookMoment::After, call, result_json);
  for (const Entry& entry : after_) {
    if (!entry.is_for(call)) continue;
    HookAnswer said =
        co_await entry.answer(client_, HookMoment::After, message, all.problems, cancel);
    if (!said.added_text.empty() && !all.added_text.empty()) all.added_text += '\n';
    all.added_text += said.added_text;
    if (said.kind != Kind::Deny) continue;
    all.withhold = true;
    all.reason = std::move(said.reason);
    break;
  }
  co_return all;
}

}  // namespace toolgate
