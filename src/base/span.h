// Spans: what was done for a request, from when to when and within what, under the names of
// OpenTelemetry's conventions. The layers make them where the work is; a Tracer takes them when
// they end (net/otlp_exporter.h). Where nobody traces, a Span is a null pointer and does nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/trace_context.h"

namespace toolgate {

enum class SpanKind : std::uint8_t { Internal = 1, Server = 2, Client = 3 };  // OTLP's numbers

using AttributeValue =
    std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>>;

struct Attribute {
  std::string_view key;  // a literal
  AttributeValue value;
};

struct SpanEvent {
  std::string_view name;  // a literal
  std::int64_t time = 0;
};

// One that has ended. Times are nanoseconds since 1970.
struct SpanRecord {
  TraceContext context;
  SpanId parent = {};  // all zero: none
  bool parent_is_remote = false;
  SpanKind kind = SpanKind::Internal;
  std::string name;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<Attribute> attributes;
  std::vector<SpanEvent> events;
  bool failed = false;

  std::size_t bytes() const;  // about how much it holds
};

// Of one loop, whose thread alone calls it. Outlives the spans.
class Tracer {
 public:
  virtual ~Tracer() = default;

  // Whether a trace that begins here is recorded.
  virtual bool samples(const TraceId& trace) const = 0;
  // Whether arguments and results of calls may be recorded.
  virtual bool keeps_content() const = 0;
  virtual void take(SpanRecord record) = 0;
};

class Span {
 public:
  // Nobody traces.
  Span() = default;
  // The first of ours; `remote` is the context that came with the request, if one did.
  Span(Tracer& tracer, const TraceContext* remote, SpanKind kind, std::string name);
  Span(Span&&) noexcept = default;
  Span& operator=(Span&& other) noexcept {
    state_.swap(other.state_);
    return *this;
  }
  ~Span();

  // `name` is written behind `what` and a space. Of a null pointer or of nothing: nothing.
  static Span child_of(const Span* parent, SpanKind kind, std::string_view what,
                       std::string_view name);

  // For the headers of requests that belong to it; null: nobody traces.
  const TraceContext* context() const;

  // Whether what is set below is kept: not where the trace is not sampled.
  explicit operator bool() const { return state_ && state_->record.context.sampled; }
  bool keeps_content() const { return *this && state_->tracer->keeps_content(); }

  // Text is made valid UTF-8 and cut where it is too long.
  void text(std::string_view key, std::string_view value, std::size_t most_bytes = 512);
  void texts(std::string_view key, std::vector<std::string> values);
  void number(std::string_view key, std::int64_t value);
  void real(std::string_view key, double value);
  void truth(std::string_view key, bool value);
  void event(std::string_view name);
  // Sets error.type, a word and never a message: those hold what people sent.
  void fail(std::string_view error_type);

 private:
  struct State {
    Tracer* tracer;
    SpanRecord record;
    std::chrono::steady_clock::time_point began;
  };
  void add(std::string_view key, AttributeValue value);
  std::int64_t now() const;

  std::unique_ptr<State> state_;
};

}  // namespace toolgate
