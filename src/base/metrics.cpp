#include "base/metrics.h"

#include <atomic>
#include <functional>
#include <map>
#include <unordered_map>

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

// Series by name and status. The registry's own look-up locks and copies labels, so each thread
// remembers what it has found; series are never removed.
template <class Metric>
class SeriesCache {
 public:
  template <class Find>
  Metric& get(std::uint64_t owner, std::string_view name, int status, Find find) {
    const std::size_t key = std::hash<std::string_view>()(name) ^
                            (static_cast<std::size_t>(status) * 0x9e3779b97f4a7c15ull) ^
                            static_cast<std::size_t>(owner) * 31;
    auto [first, last] = found_.equal_range(key);
    for (; first != last; ++first)
      if (first->second.name == name && first->second.status == status &&
          first->second.owner == owner)
        return *first->second.metric;
    Metric& metric = find();
    found_.emplace(key, Entry{owner, std::string(name), status, &metric});
    return metric;
  }

 private:
  struct Entry {
    std::uint64_t owner;
    std::string name;
    int status;
    Metric* metric;
  };
  std::unordered_multimap<std::size_t, Entry> found_;
};

template <class Metric>
SeriesCache<Metric>& cache() {
  thread_local SeriesCache<Metric> series;
  return series;
}

}  // namespace

struct Metrics::Impl {
  // Tells this object's series from those of an earlier one at the same address. Two are used up:
  // one for routes and one for models.
  const std::uint64_t number = next_number.fetch_add(2);
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

}  // namespace toolgate
