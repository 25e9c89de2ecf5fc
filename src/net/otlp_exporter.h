// Sends spans, and the histograms of rounds, to a collector of OpenTelemetry. One per loop; spans
// wait in a bounded queue for a task in the background, so that no request waits for a collector or
// fails with it. gateway/ owns it and tells it where to send.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/event.h"
#include "async/loop.h"
#include "base/metrics.h"
#include "base/span.h"
#include "net/http_client.h"

namespace toolgate {

// Where to, made from the settings once and shared by the loops.
struct OtlpTarget {
  std::optional<UpstreamAddress> traces = {};   // with the whole path
  std::optional<UpstreamAddress> metrics = {};  // likewise
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string resource = "{}";  // write_resource()
  double sample = 1;            // how many of the traces that begin here
  bool content = false;
  std::size_t most_queued = 2'048;  // spans, per loop
  std::size_t most_in_batch = 512;
  std::chrono::milliseconds every{5'000};
  std::chrono::milliseconds metrics_every{60'000};
};

class OtlpExporter final : public Tracer {
 public:
  // `sends_metrics`: of one loop only, as they are those of the process.
  OtlpExporter(Loop& loop, HttpClient& client, Metrics& metrics, bool sends_metrics);
  ~OtlpExporter() override;

  // From now on. Null: nothing is recorded any more, and what is queued still goes to where it was
  // meant for.
  void set_target(std::shared_ptr<const OtlpTarget> target);
  // The tracer for requests that begin; null: nobody wants their spans.
  Tracer* tracer();

  bool samples(const TraceId& trace) const override;
  bool keeps_content() const override { return is_on_ && target_->content; }
  void take(SpanRecord record) override;

  // The gateway stops: what is there and what still comes is sent at once, tried once, and for a
  // few seconds in all.
  void stop();
  // Now: what is under way is given up.
  void stop_now();

 private:
  using Batch = std::vector<SpanRecord>;
  using TimePoint = std::chrono::steady_clock::time_point;
  enum class Outcome : std::uint8_t { Sent, Refused, Retry };
  struct Answer {
    Outcome outcome = Outcome::Retry;
    std::string problem = {};
    std::chrono::milliseconds retry_after{0};
    std::string body = {};
  };

  void start();
  void wake();
  Task<> work();
  bool has_work() const;
  bool metrics_are_due() const;
  Task<> wait_until(TimePoint time);
  TimePoint next_due() const;
  Batch take_batch();
  Task<> send_batch(Batch batch);
  Task<> send_metrics();
  Task<Answer> post(const OtlpTarget& target, const UpstreamAddress& to, std::string_view body);
  Task<Answer> exchange(const OtlpTarget& target, const UpstreamAddress& to, std::string_view body,
                        const Cancel& cancel);
  void drop(std::string_view outcome, std::size_t count, std::string_view why);

  Loop& loop_;
  HttpClient& client_;
  Metrics& metrics_;
  const bool sends_metrics_;
  const std::int64_t began_;
  std::shared_ptr<const OtlpTarget> target_;  // the last that there was
  bool is_on_ = false;
  std::deque<SpanRecord> queue_;
  std::size_t queued_bytes_ = 0;
  TimePoint batch_due_ = {};
  TimePoint metrics_due_ = {};
  bool working_ = false;
  bool wake_posted_ = false;
  Event woken_;
  Deadline alarm_;
  CancelSource cancel_;
  CancelSource* request_ = nullptr;  // of the one under way
  Deadline request_limit_;
  bool stopping_ = false;
  std::chrono::milliseconds time_left_;  // to send in, once stopping
};

}  // namespace toolgate
