// The numbers behind /metrics. prometheus-cpp stands behind it, in metrics.cpp only. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace toolgate {

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
  void stream_opened();
  void stream_closed();
  void settings_reloaded(bool accepted);

  // In Prometheus' text format.
  std::string text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toolgate
