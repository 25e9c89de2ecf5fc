#include "net/otlp_exporter.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>

#include "async/offload.h"
#include "base/clock.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/utf8.h"
#include "base/version.h"
#include "wire/otlp.h"

namespace toolgate {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t kMostQueuedBytes = std::size_t{16} << 20;
constexpr std::size_t kMostAnswerBytes = 64 << 10;
constexpr Milliseconds kRequestTime{10'000};
constexpr Milliseconds kStopTime{3'000};
constexpr int kMostTries = 6;
constexpr Milliseconds kFirstPause{1'000};
constexpr Milliseconds kLongestPause{60'000};
constexpr std::int64_t kTellEvery = 60'000;  // milliseconds

// All loops lose spans for the same reason, so that one of them tells it for all.
void tell_problem(std::size_t lost, std::string_view why) {
  static std::atomic<std::size_t> untold = 0;
  static std::atomic<std::int64_t> told_at = -kTellEvery;
  untold += lost;
  const std::int64_t now =
      std::chrono::duration_cast<Milliseconds>(Clock::now().time_since_epoch()).count();
  std::int64_t before = told_at;
  if (now - before < kTellEvery || !told_at.compare_exchange_strong(before, now)) return;
  const std::size_t spans = untold.exchange(0);
  if (spans > 0)
    log(LogLevel::Warn, "telemetry: {} spans were lost: {}", spans, why);
  else
    log(LogLevel::Warn, "telemetry: {}", why);
}

// What a collector wrote, fit for a line of the log.
std::string printable(std::string_view text) {
  std::string out = mend_utf8(text.substr(0, 200));
  std::ranges::replace_if(out, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return out;
}

std::string make_head(const OtlpTarget& target, const UpstreamAddress& to, std::size_t size) {
  std::string head = fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: toolgate/{}\r\nVia: 1.1 {}\r\n"
      "Content-Type: application/json\r\nContent-Length: {}\r\n",
      to.path.empty() ? "/" : to.path, to.authority, kVersion, instance_name(), size);
  for (const auto& [name, value] : target.headers)
    head.append(name).append(": ").append(value).append("\r\n");
  return head + "\r\n";
}

bool may_be_tried_again(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

Milliseconds retry_after(const HttpHead& head) {
  const auto value = head.find("retry-after");
  unsigned seconds = 0;
  if (value) std::from_chars(value->data(), value->data() + value->size(), seconds);
  return std::min(kLongestPause, Milliseconds(std::min(seconds, 3'600U) * 1'000));
}

// Twice as long each time, and not the same on every loop.
Milliseconds pause_before(int attempt) {
  std::uint8_t random = 0;
  fill_random_bytes({&random, 1});
  const auto pause = kFirstPause * (1 << (attempt - 1));
  return pause - pause / 4 + pause * random / 512;
}

}  // namespace

OtlpExporter::OtlpExporter(Loop& loop, HttpClient& client, Metrics& metrics, bool sends_metrics)
    : loop_(loop),
      client_(client),
      metrics_(metrics),
      sends_metrics_(sends_metrics),
      began_(wall_nanoseconds()),
      alarm_(loop.deadlines(), [this] { woken_.set(); }),
      request_limit_(loop.deadlines(),
                     [this] {
                       if (request_) request_->request(CancelReason::Timeout);
                     }),
      time_left_(kStopTime) {}

OtlpExporter::~OtlpExporter() = default;

void OtlpExporter::set_target(std::shared_ptr<const OtlpTarget> target) {
  is_on_ = target != nullptr;
  if (!is_on_) return;
  target_ = std::move(target);
  if (!sends_metrics_ || !target_->metrics) return;
  metrics_due_ = Clock::now() + target_->metrics_every;
  start();
  wake();
}

Tracer* OtlpExporter::tracer() {
  return is_on_ && target_->traces ? this : nullptr;
}

bool OtlpExporter::samples(const TraceId& trace) const {
  std::uint64_t number = 0;
  for (std::size_t i = 8; i < trace.size(); ++i) number = number << 8U | trace[i];
  return target_->sample >= 1 || static_cast<double>(number) < std::ldexp(target_->sample, 64);
}

void OtlpExporter::take(SpanRecord record) {
  if (queue_.size() >= target_->most_queued || queued_bytes_ >= kMostQueuedBytes)
    return drop("queue_full", 1, "the collector takes them too slowly");
  const bool is_first = queue_.empty();
  if (is_first) batch_due_ = Clock::now() + target_->every;
  queued_bytes_ += record.bytes();
  queue_.push_back(std::move(record));
  start();
  if (is_first || stopping_ || queue_.size() == target_->most_in_batch) wake();
}

void OtlpExporter::stop() {
  stopping_ = true;
  if (request_) request_limit_.arm(kStopTime);
  if (has_work()) start();
  wake();
}

void OtlpExporter::stop_now() {
  stopping_ = true;
  time_left_ = Milliseconds(0);
  cancel_.request(CancelReason::Shutdown);
  wake();
}

void OtlpExporter::start() {
  if (std::exchange(working_, true)) return;
  loop_.scope().spawn(work(), "telemetry");
}

// Not here and now: whoever ended a span goes on first.
void OtlpExporter::wake() {
  if (std::exchange(wake_posted_, true)) return;
  loop_.post([this] {
    wake_posted_ = false;
    woken_.set();
  });
}

bool OtlpExporter::metrics_are_due() const {
  return sends_metrics_ && is_on_ && target_->metrics &&
         (stopping_ ? metrics_due_ != TimePoint() : Clock::now() >= metrics_due_);
}

bool OtlpExporter::has_work() const {
  if (!queue_.empty() || metrics_are_due()) return true;
  return sends_metrics_ && is_on_ && target_->metrics && !stopping_;
}

OtlpExporter::TimePoint OtlpExporter::next_due() const {
  if (stopping_ || queue_.size() >= target_->most_in_batch) return {};
  TimePoint due = queue_.empty() ? TimePoint::max() : batch_due_;
  if (sends_metrics_ && is_on_ && target_->metrics) due = std::min(due, metrics_due_);
  return due;
}

Task<> OtlpExporter::work() {
  struct Working {
    bool& flag;
    ~Working() { flag = false; }
  } const working{working_};
  while (has_work()) {
    const TimePoint due = next_due();
    if (Clock::now() < due) {
      co_await wait_until(due);
    } else if (metrics_are_due() && (queue_.empty() || !stopping_)) {
      co_await send_metrics();
    } else if (!queue_.empty()) {
      co_await send_batch(take_batch());
    }
  }
}

// Or until something is new; whoever calls looks what it was.
Task<> OtlpExporter::wait_until(TimePoint time) {
  const auto left = std::chrono::ceil<Milliseconds>(time - Clock::now());
  if (time != TimePoint::max()) alarm_.arm(std::max(left, Milliseconds(0)));
  co_await woken_.wait();
  alarm_.disarm();
}

OtlpExporter::Batch OtlpExporter::take_batch() {
  const std::size_t count = std::min(queue_.size(), target_->most_in_batch);
  Batch batch;
  batch.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    queued_bytes_ -= queue_.front().bytes();
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  batch_due_ = Clock::now() + target_->every;
  return batch;
}

Task<> OtlpExporter::send_batch(Batch batch) {
  const CancelSource never;
  const auto body = co_await offload(
      [&batch, target = target_]() -> Result<std::string> {
        return write_traces(batch, target->resource);
      },
      never);
  const std::size_t count = batch.size();
  batch = {};
  for (int attempt = 1;; ++attempt) {
    const auto target = target_;
    if (!target->traces) co_return drop("failed", count, "there is no collector any more");
    const Answer answer = co_await post(*target, *target->traces, *body);
    if (answer.outcome == Outcome::Sent) {
      const PartialSuccess partial = read_export_answer(answer.body);
      const auto rejected = static_cast<std::size_t>(
          std::clamp<std::int64_t>(partial.rejected, 0, static_cast<std::int64_t>(count)));
      metrics_.spans_done("exported", count - rejected);
      if (stopping_) metrics_due_ = Clock::now();  // what came last is to be in them
      if (rejected > 0 || !partial.message.empty())
        drop("rejected", rejected, "the collector says: " + printable(partial.message));
      co_return;
    }
    if (answer.outcome == Outcome::Refused || stopping_ || attempt == kMostTries)
      co_return drop("failed", count, answer.problem);
    const auto until = Clock::now() + std::max(answer.retry_after, pause_before(attempt));
    while (!stopping_ && Clock::now() < until) co_await wait_until(until);
  }
}

Task<> OtlpExporter::send_metrics() {
  const auto target = target_;
  metrics_due_ = stopping_ ? TimePoint() : Clock::now() + target->metrics_every;
  const auto series = metrics_.round_histograms();
  if (series.empty()) co_return;
  const std::string body = write_metrics(series, target->resource, began_, wall_nanoseconds());
  // The next one says it all again.
  const Answer answer = co_await post(*target, *target->metrics, body);
  if (answer.outcome != Outcome::Sent) tell_problem(0, "metrics were not taken: " + answer.problem);
}

Task<OtlpExporter::Answer> OtlpExporter::post(const OtlpTarget& target, const UpstreamAddress& to,
                                              std::string_view body) {
  const auto began = Clock::now();
  if (stopping_ && time_left_ <= Milliseconds(0))
    co_return Answer{.problem = "the gateway stops and the collector does not answer"};
  CancelSource cancel(static_cast<const Cancel&>(cancel_));
  struct Limit {
    OtlpExporter& exporter;
    ~Limit() {
      exporter.request_limit_.disarm();
      exporter.request_ = nullptr;
    }
  };
  request_ = &cancel;
  Answer answer;
  {
    const Limit limit{*this};
    request_limit_.arm(stopping_ ? time_left_ : kRequestTime);
    answer = co_await exchange(target, to, body, cancel);
  }
  if (!stopping_) co_return answer;
  time_left_ -= std::chrono::ceil<Milliseconds>(Clock::now() - began);
  if (answer.outcome == Outcome::Retry) time_left_ = Milliseconds(0);
  co_return answer;
}

Task<OtlpExporter::Answer> OtlpExporter::exchange(const OtlpTarget& target,
                                                  const UpstreamAddress& to, std::string_view body,
                                                  const Cancel& cancel) {
  const std::string head = make_head(target, to, body.size());
  auto response = co_await client_.send({.to = to,
                                         .method = "POST",
                                         .head = head,
                                         .body = std::span(&body, 1),
                                         .times = {kRequestTime, kRequestTime, kRequestTime}},
                                        cancel);
  if (!response)
    co_return Answer{.problem = cancel.reason() == CancelReason::Timeout
                                    ? "the collector does not answer"
                                    : response.error().message};
  const int status = (*response)->status();
  Answer answer{.outcome = status >= 200 && status <= 299 ? Outcome::Sent
                           : may_be_tried_again(status)   ? Outcome::Retry
                                                          : Outcome::Refused,
                .problem = fmt::format("the collector answered with status {}", status),
                .retry_after = retry_after((*response)->head())};
  // To its end, so that the connection is kept.
  auto text = co_await (*response)->read_all(kMostAnswerBytes, cancel);
  if (text) answer.body = std::move(*text);
  co_return answer;
}

void OtlpExporter::drop(std::string_view outcome, std::size_t count, std::string_view why) {
  if (count > 0) metrics_.spans_done(outcome, count);
  tell_problem(count, why);
}

}  // namespace toolgate
