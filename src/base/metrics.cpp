#include "base/metrics.h"

#include <atomic>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace toolgate {
namespace {

using Labels = std::map<std::string, std::string>;

const prometheus::Histogram::BucketBoundaries kSeconds{
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300};

// As OpenTelemetry's conventions want them for gen_ai.client.operation.duration and .token.usage,
// which these are exported as.
const prometheus::Histogram::BucketBoundaries kRoundSeconds{
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92};
const prometheus::Histogram::BucketBoundaries kRoundTokens{
    1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864};

constexpr std::size_t kMostTools = 1'000;
constexpr std::size_t kMostRemembered = 20'000;

// Series by name and status. The registry's own look-up locks and copies labels, so each thread
// remembers what it has found; series are never removed.
template <class Metric>
class SeriesCache {
 public:
  template <class Find>
  Metric& get(std::uint64_t owner, std::string_view name, int status, Find find) {
    return get(owner, name, status, {}, find);
  }
  template <class Find>
  Metric& get(std::uint64_t owner, std::string_view name, std::string_view word, Find find) {
    return get(owner, name, 0, word, find);
  }

 private:
  struct Entry {
    std::uint64_t owner;
    std::string name;
    int status;
    std::string word;
    Metric* metric;
  };

  template <class Find>
  Metric& get(std::uint64_t owner, std::string_view name, int status, std::string_view word,
              Find& find) {
    const std::size_t key = std::hash<std::string_view>()(name) ^
                            (static_cast<std::size_t>(status) * 0x9e3779b97f4a7c15ull) ^
                            static_cast<std::size_t>(owner) * 31 ^ word.size();
    auto [first, last] = found_.equal_range(key);
    for (; first != last; ++first)
      if (first->second.name == name && first->second.status == status &&
          first->second.word == word && first->second.owner == owner)
        return *first->second.metric;
    Metric& metric = find();
    if (found_.size() < kMostRemembered)
      found_.emplace(key, Entry{owner, std::string(name), status, std::string(word), &metric});
    return metric;
  }

  std::unordered_multimap<std::size_t, Entry> found_;
};

// Of one model and outcome: found together. Those of tokens are there once they are known.
struct RoundSeries {
  prometheus::Histogram& seconds;
  prometheus::Histogram* input = nullptr;
  prometheus::Histogram* output = nullptr;
};

template <class Metric>
SeriesCache<Metric>& cache() {
  thread_local SeriesCache<Metric> series;
  return series;
}

}  // namespace

struct Metrics::Impl {
  // Tells this object's series from those of an earlier one at the same address. Four are used up:
  // for routes, models, rounds of models, and tools.
  const std::uint64_t number = next_number.fetch_add(4);
  static inline std::atomic<std::uint64_t> next_number{0};

  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests =
      prometheus::BuildCounter()
          .Name("toolgate_requests_total")
          .Help("Requests answered, by route and status.")
          .Register(registry);
  prometheus::Family<prometheus::Histogram>& request_seconds =
      prometheus::BuildHistogram()
          .Name("toolgate_request_seconds")
          .Help("Time from a request's header to the end of its answer.")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& upstream_answers =
      prometheus::BuildCounter()
          .Name("toolgate_upstream_answers_total")
          .Help("Answers of upstream models, by model and by the status told to the client.")
          .Register(registry);
  prometheus::Family<prometheus::Histogram>& upstream_seconds =
      prometheus::BuildHistogram()
          .Name("toolgate_upstream_seconds")
          .Help(
              "Time from asking an upstream model to the first piece of a stream or the end of a "
              "whole answer.")
          .Register(registry);
  prometheus::Family<prometheus::Histogram>& round_seconds =
      prometheus::BuildHistogram()
          .Name("toolgate_round_seconds")
          .Help("Time from asking an upstream model to the end of its answer, by how that ended.")
          .Register(registry);
  prometheus::Family<prometheus::Histogram>& round_tokens =
      prometheus::BuildHistogram()
          .Name("toolgate_round_tokens")
          .Help("Tokens of one answer of an upstream model, by direction, where they are known.")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& tool_calls =
      prometheus::BuildCounter()
          .Name("toolgate_tool_calls_total")
          .Help("Calls of registered tools, by tool and by what came of them.")
          .Register(registry);
  prometheus::Family<prometheus::Histogram>& tool_seconds =
      prometheus::BuildHistogram()
          .Name("toolgate_tool_seconds")
          .Help("Time that calls of registered tools took, without waiting for a person.")
          .Register(registry);
  prometheus::Histogram& person_wait_seconds = prometheus::BuildHistogram()
                                                   .Name("toolgate_person_wait_seconds")
                                                   .Help("Time that calls waited for a person.")
                                                   .Register(registry)
                                                   .Add({}, kSeconds);
  prometheus::Family<prometheus::Counter>& spans =
      prometheus::BuildCounter()
          .Name("toolgate_telemetry_spans_total")
          .Help("Spans for the collector, by what became of them (docs/telemetry.md).")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& errors =
      prometheus::BuildCounter()
          .Name("toolgate_errors_total")
          .Help("Errors told to clients, by code (docs/errors.md).")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& bytes =
      prometheus::BuildCounter()
          .Name("toolgate_bytes_total")
          .Help("Bytes of request bodies (in) and of answers (out).")
          .Register(registry);
  prometheus::Counter& bytes_in = bytes.Add({{"direction", "in"}});
  prometheus::Counter& bytes_out = bytes.Add({{"direction", "out"}});
  prometheus::Gauge& open_streams = prometheus::BuildGauge()
                                        .Name("toolgate_open_streams")
                                        .Help("Streamed answers under way.")
                                        .Register(registry)
                                        .Add({});
  prometheus::Counter& streams = prometheus::BuildCounter()
                                     .Name("toolgate_streams_total")
                                     .Help("Streamed answers begun.")
                                     .Register(registry)
                                     .Add({});
  prometheus::Family<prometheus::Counter>& reloads =
      prometheus::BuildCounter()
          .Name("toolgate_settings_reloads_total")
          .Help("Settings read again after a change, by whether they were accepted.")
          .Register(registry);

  std::mutex tools_mutex;
  std::unordered_set<std::string> tools;

  // Series stay for ever, so that no more than the first tools get their own.
  std::string tool_label(std::string_view tool) {
    const std::lock_guard lock(tools_mutex);
    std::string label(tool);
    if (tools.contains(label)) return label;
    if (tools.size() >= kMostTools) return "other";
    tools.insert(label);
    return label;
  }
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

void Metrics::request_done(std::string_view route, int status, double seconds,
                           std::uint64_t bytes_in, std::uint64_t bytes_out) {
  Impl& impl = *impl_;
  cache<prometheus::Counter>()
      .get(impl.number, route, status,
           [&]() -> prometheus::Counter& {
             return impl.requests.Add(
                 {{"route", std::string(route)}, {"status", std::to_string(status)}});
           })
      .Increment();
  cache<prometheus::Histogram>()
      .get(impl.number, route, 0,
           [&]() -> prometheus::Histogram& {
             return impl.request_seconds.Add({{"route", std::string(route)}}, kSeconds);
           })
      .Observe(seconds);
  impl.bytes_in.Increment(static_cast<double>(bytes_in));
  impl.bytes_out.Increment(static_cast<double>(bytes_out));
}

void Metrics::error(std::string_view code) {
  impl_->errors.Add({{"code", std::string(code)}}).Increment();
}

void Metrics::upstream_answered(std::string_view model, int status, double seconds) {
  Impl& impl = *impl_;
  cache<prometheus::Counter>()
      .get(impl.number + 1, model, status,
           [&]() -> prometheus::Counter& {
             return impl.upstream_answers.Add(
                 {{"model", std::string(model)}, {"status", std::to_string(status)}});
           })
      .Increment();
  cache<prometheus::Histogram>()
      .get(impl.number + 1, model, 0,
           [&]() -> prometheus::Histogram& {
             return impl.upstream_seconds.Add({{"model", std::string(model)}}, kSeconds);
           })
      .Observe(seconds);
}

void Metrics::round_done(const RoundNumbers& round) {
  Impl& impl = *impl_;
  RoundSeries& series =
      cache<RoundSeries>().get(impl.number + 2, round.model, round.outcome, [&]() -> RoundSeries& {
        thread_local std::deque<RoundSeries> all;
        return all.emplace_back(impl.round_seconds.Add({{"model", std::string(round.model)},
                                                        {"provider", std::string(round.provider)},
                                                        {"outcome", std::string(round.outcome)}},
                                                       kRoundSeconds));
      });
  series.seconds.Observe(round.seconds);
  const auto observe = [&](std::optional<std::int64_t> tokens, prometheus::Histogram*& histogram,
                           const char* direction) {
    if (!tokens) return;
    if (!histogram)
      histogram = &impl.round_tokens.Add({{"model", std::string(round.model)},
                                          {"provider", std::string(round.provider)},
                                          {"direction", direction}},
                                         kRoundTokens);
    histogram->Observe(static_cast<double>(*tokens));
  };
  observe(round.input_tokens, series.input, "input");
  observe(round.output_tokens, series.output, "output");
}

void Metrics::call_done(std::string_view tool, std::string_view outcome, double seconds) {
  Impl& impl = *impl_;
  cache<prometheus::Counter>()
      .get(impl.number + 3, tool, outcome,
           [&]() -> prometheus::Counter& {
             return impl.tool_calls.Add(
                 {{"tool", impl.tool_label(tool)}, {"outcome", std::string(outcome)}});
           })
      .Increment();
  cache<prometheus::Histogram>()
      .get(impl.number + 3, tool, 0,
           [&]() -> prometheus::Histogram& {
             return impl.tool_seconds.Add({{"tool", impl.tool_label(tool)}}, kSeconds);
           })
      .Observe(seconds);
}

void Metrics::person_waited(double seconds) {
  impl_->person_wait_seconds.Observe(seconds);
}

void Metrics::spans_done(std::string_view outcome, std::size_t count) {
  impl_->spans.Add({{"outcome", std::string(outcome)}}).Increment(static_cast<double>(count));
}

void Metrics::stream_opened() {
  impl_->open_streams.Increment();
  impl_->streams.Increment();
}

void Metrics::stream_closed() {
  impl_->open_streams.Decrement();
}

void Metrics::settings_reloaded(bool accepted) {
  impl_->reloads.Add({{"accepted", accepted ? "true" : "false"}}).Increment();
}

std::string Metrics::text() const {
  return prometheus::TextSerializer().Serialize(impl_->registry.Collect());
}

std::vector<HistogramSeries> Metrics::round_histograms() const {
  std::vector<HistogramSeries> all;
  const auto add = [&all](std::string_view name, const auto& family) {
    for (const prometheus::MetricFamily& one : family.Collect())
      for (const prometheus::ClientMetric& metric : one.metric) {
        HistogramSeries& series = all.emplace_back();
        series.name = name;
        for (const auto& label : metric.label) series.labels.emplace_back(label.name, label.value);
        std::uint64_t below = 0;
        for (const auto& bucket : metric.histogram.bucket) {
          if (!std::isinf(bucket.upper_bound)) series.bounds.push_back(bucket.upper_bound);
          series.counts.push_back(bucket.cumulative_count - below);
          below = bucket.cumulative_count;
        }
        series.count = metric.histogram.sample_count;
        series.sum = metric.histogram.sample_sum;
      }
  };
  add("round_seconds", impl_->round_seconds);
  add("round_tokens", impl_->round_tokens);
  return all;
}

}  // namespace toolgate
