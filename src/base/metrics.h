// The numbers behind /metrics. prometheus-cpp stands behind it, in metrics.cpp only. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toolgate {

// One series of a histogram as it stands, for who sends it elsewhere.
struct HistogramSeries {
  std::string_view name;  // without "toolgate_"
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<double> bounds;         // upper ones, all but the last, which has none
  std::vector<std::uint64_t> counts;  // one more
  std::uint64_t count = 0;
  double sum = 0;
};

// One round, from the question to the end of the answer.
struct RoundNumbers {
  std::string_view model;
  std::string_view provider;
  std::string_view outcome;  // a finish reason or an error's word, of a fixed list both
  double seconds = 0;
  std::optional<std::int64_t> input_tokens = {};
  std::optional<std::int64_t> output_tokens = {};
};

class Metrics {
 public:
  Metrics();
  ~Metrics();

  // `route` is a pattern of the route table, never a client's own path.
  void request_done(std::string_view route, int status, double seconds, std::uint64_t bytes_in,
                    std::uint64_t bytes_out);
  // `code` is an Errc's name or an upstream's error code class.
  void error(std::string_view code);
  // To the first piece of a stream or the end of a whole answer.
  void upstream_answered(std::string_view model, int status, double seconds);
  void round_done(const RoundNumbers& round);
  // `tool` is the id of a registered tool; there are many, so that only the first of them have
  // series of their own. Without the time that a person took.
  void call_done(std::string_view tool, std::string_view outcome, double seconds);
  void person_waited(double seconds);
  // Spans that the exporter is done with.
  void spans_done(std::string_view outcome, std::size_t count);
  void stream_opened();
  void stream_closed();
  void settings_reloaded(bool accepted);

  // In Prometheus' text format.
  std::string text() const;
  // Those of rounds.
  std::vector<HistogramSeries> round_histograms() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toolgate
