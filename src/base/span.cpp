#include "base/span.h"

#include "base/clock.h"
#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr std::size_t kUsualAttributes = 16;
constexpr std::size_t kMostAttributes = 64;
constexpr std::size_t kMostEvents = 32;
constexpr std::size_t kMostNameBytes = 256;

std::string cut(std::string_view value, std::size_t most) {
  return mend_utf8(value.size() > most ? first_characters(value, most) : value);
}

std::size_t size_of(const AttributeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return text->size();
  std::size_t size = 0;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value))
    for (const std::string& text : *texts) size += sizeof text + text.size();
  return size;
}

}  // namespace

std::size_t SpanRecord::bytes() const {
  std::size_t size = sizeof *this + name.size() + context.state.size();
  for (const Attribute& attribute : attributes) size += sizeof attribute + size_of(attribute.value);
  return size + events.size() * sizeof(SpanEvent);
}

Span::Span(Tracer& tracer, const TraceContext* remote, SpanKind kind, std::string name)
    : state_(std::make_unique<State>()) {
  state_->tracer = &tracer;
  state_->began = std::chrono::steady_clock::now();
  SpanRecord& record = state_->record;
  if (remote) {
    record.context = *remote;
    record.parent = remote->span;
    record.parent_is_remote = true;
  } else {
    record.context.trace = make_trace_id();
    record.context.sampled = tracer.samples(record.context.trace);
  }
  record.context.span = make_span_id();
  record.attributes.reserve(kUsualAttributes);
  record.kind = kind;
  record.name = cut(name, kMostNameBytes);
  record.begin = wall_nanoseconds();
}

Span::~Span() {
  if (!*this) return;
  state_->record.end = now();
  state_->tracer->take(std::move(state_->record));
}

Span Span::child_of(const Span* parent, SpanKind kind, std::string_view what,
                    std::string_view name) {
  Span span;
  if (!parent || !parent->state_) return span;
  span.state_ = std::make_unique<State>();
  span.state_->tracer = parent->state_->tracer;
  span.state_->began = std::chrono::steady_clock::now();
  const SpanRecord& above = parent->state_->record;
  SpanRecord& record = span.state_->record;
  record.context = above.context;
  record.context.span = make_span_id();
  if (!span) return span;
  record.attributes.reserve(kUsualAttributes);
  record.parent = above.context.span;
  record.kind = kind;
  record.name = std::string(what).append(" ").append(cut(name, kMostNameBytes));
  // By the clock that the first one began with: steps of the system's would make children outlast
  // their parents.
  using namespace std::chrono;
  const auto after = span.state_->began - parent->state_->began;
  record.begin = above.begin + duration_cast<nanoseconds>(after).count();
  return span;
}

const TraceContext* Span::context() const {
  return state_ ? &state_->record.context : nullptr;
}

std::int64_t Span::now() const {
  using namespace std::chrono;
  return state_->record.begin +
         duration_cast<nanoseconds>(steady_clock::now() - state_->began).count();
}

void Span::add(std::string_view key, AttributeValue value) {
  auto& attributes = state_->record.attributes;
  if (attributes.size() < kMostAttributes) attributes.push_back({key, std::move(value)});
}

void Span::text(std::string_view key, std::string_view value, std::size_t most_bytes) {
  if (*this && !value.empty()) add(key, cut(value, most_bytes));
}

void Span::texts(std::string_view key, std::vector<std::string> values) {
  if (*this && !values.empty()) add(key, std::move(values));
}

void Span::number(std::string_view key, std::int64_t value) {
  if (*this) add(key, value);
}

void Span::real(std::string_view key, double value) {
  if (*this) add(key, value);
}

void Span::truth(std::string_view key, bool value) {
  if (*this) add(key, value);
}

void Span::event(std::string_view name) {
  if (*this && state_->record.events.size() < kMostEvents)
    state_->record.events.push_back({name, now()});
}

void Span::fail(std::string_view error_type) {
  if (!*this || state_->record.failed) return;
  state_->record.failed = true;
  text("error.type", error_type);
}

}  // namespace toolgate
