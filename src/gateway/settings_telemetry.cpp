#include "gateway/settings_telemetry.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
#include "base/header_text.h"
#include "base/ids.h"
#include "base/percent.h"
#include "base/utf8.h"
#include "base/version.h"
#include "hosts/http_tool_definition.h"
#include "wire/otlp.h"

namespace toolgate {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kMostHeaders = 32;
constexpr std::size_t kMostQueued = 100'000;

// What frames the request is the exporter's to say.
bool is_ours(std::string_view name) {
  constexpr std::array<std::string_view, 6> kOurs{
      "host", "content-length", "content-type", "transfer-encoding", "connection", "via"};
  return std::ranges::any_of(kOurs,
                             [&](std::string_view one) { return equal_ignoring_case(one, name); });
}

// "name=value,name=value" with percent-encoded values, as OTEL_… variables are written.
Pairs read_pairs(std::string_view text) {
  Pairs pairs;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const std::string_view pair = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const auto equals = pair.find('=');
    if (equals == pair.npos) continue;
    pairs.emplace_back(trim_blanks(pair.substr(0, equals)),
                       decode_percent(trim_blanks(pair.substr(equals + 1))));
  }
  return pairs;
}

// A target that is being made.
class TargetMaker {
 public:
  TargetMaker(const TelemetrySettings& settings, const Environment& environment,
              std::vector<std::string>& warnings)
      : settings_(settings), environment_(environment), warnings_(warnings) {}

  std::shared_ptr<const OtlpTarget> make() {
    if (settings_.endpoint.empty() && is_true("OTEL_SDK_DISABLED")) return nullptr;
    set_addresses();
    if (!target_.traces && !target_.metrics) return nullptr;
    set_headers();
    set_resource();
    target_.sample = settings_.sample;
    target_.content = settings_.content;
    set_number("OTEL_BSP_MAX_QUEUE_SIZE", kMostQueued, target_.most_queued);
    set_number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", kMostQueued, target_.most_in_batch);
    set_time("OTEL_BSP_SCHEDULE_DELAY", target_.every);
    set_time("OTEL_METRIC_EXPORT_INTERVAL", target_.metrics_every);
    target_.most_in_batch = std::min(target_.most_in_batch, target_.most_queued);
    return std::make_shared<const OtlpTarget>(std::move(target_));
  }

 private:
  std::string variable(const char* name) const { return environment_(name).value_or(""); }
  bool is_true(const char* name) const { return equal_ignoring_case(variable(name), "true"); }
  void warn(std::string_view name, std::string_view why) {
    warnings_.push_back(fmt::format("the environment variable {} {}, and is ignored", name, why));
  }

  void set_addresses() {
    if (!settings_.endpoint.empty()) {
      target_.traces = parse_base_url(settings_.endpoint + "/v1/traces").value();
      target_.metrics = parse_base_url(settings_.endpoint + "/v1/metrics").value();
      return;
    }
    set_address("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "/v1/traces", target_.traces);
    set_address("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "/v1/metrics", target_.metrics);
    const std::string protocol = variable("OTEL_EXPORTER_OTLP_PROTOCOL");
    if ((target_.traces || target_.metrics) && protocol == "grpc")
      warn("OTEL_EXPORTER_OTLP_PROTOCOL", "says grpc where only http/json is spoken");
  }

  // The variable of one signal holds its whole URL, the one of all their base.
  void set_address(const char* own, std::string_view path, std::optional<UpstreamAddress>& to) {
    constexpr const char* kOfAll = "OTEL_EXPORTER_OTLP_ENDPOINT";
    const std::string whole = variable(own);
    const std::string base = variable(kOfAll);
    if (whole.empty() && base.empty()) return;
    auto address = parse_base_url(whole.empty() ? base : whole);
    if (address && whole.empty()) address = parse_base_url(address->url.append(path));
    if (address)
      to = std::move(*address);
    else
      warn(whole.empty() ? kOfAll : own, address.error().message);
  }

  void set_headers() {
    for (const auto& [name, source] : settings_.headers_env) {
      const std::string value = variable(source.c_str());
      if (value.empty())
        warnings_.push_back(
            fmt::format("toolgate.telemetry.headersEnv: the environment variable {} is not set, so "
                        "{} is not sent",
                        source, name));
      else
        add_header(source, name, value);
    }
    if (!settings_.headers_env.empty() || !settings_.endpoint.empty()) return;
    constexpr const char* kHeaders = "OTEL_EXPORTER_OTLP_HEADERS";
    for (const auto& [name, value] : read_pairs(variable(kHeaders)))
      add_header(kHeaders, name, value);
  }

  // Anything else could end the header field it is sent in.
  void add_header(std::string_view source, const std::string& name, const std::string& value) {
    if (!is_header_name(name) || is_ours(name) || !is_header_value(value))
      return warn(source, "holds what cannot be sent as a header");
    if (target_.headers.size() < kMostHeaders) target_.headers.emplace_back(name, value);
  }

  void set_resource() {
    Pairs attributes{
        {"service.name", settings_.service_name}, {"service.version", std::string(kVersion)},
        {"service.instance.id", instance_name()}, {"telemetry.sdk.name", "toolgate"},
        {"telemetry.sdk.language", "cpp"},        {"telemetry.sdk.version", std::string(kVersion)}};
    std::string& service = attributes.front().second;
    if (service.empty()) service = mend_utf8(variable("OTEL_SERVICE_NAME"));
    for (auto& [key, value] : read_pairs(mend_utf8(variable("OTEL_RESOURCE_ATTRIBUTES")))) {
      const auto known = std::ranges::find(attributes, key, &Pairs::value_type::first);
      if (known == attributes.end())
        attributes.emplace_back(std::move(key), mend_utf8(value));
      else if (known->second.empty())
        known->second = mend_utf8(value);
    }
    if (attributes.front().second.empty()) attributes.front().second = "toolgate";
    target_.resource = write_resource(attributes);
  }

  std::optional<std::size_t> number(const char* name, std::size_t most) {
    const std::string text = variable(name);
    if (text.empty()) return std::nullopt;
    std::size_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size() && value > 0)
      return std::min(value, most);
    warn(name, "holds no number over 0");
    return std::nullopt;
  }
  void set_number(const char* name, std::size_t most, std::size_t& to) {
    to = number(name, most).value_or(to);
  }
  void set_time(const char* name, std::chrono::milliseconds& to) {
    constexpr std::size_t kDay = 86'400'000;
    if (const auto value = number(name, kDay)) to = std::chrono::milliseconds(*value);
  }

  const TelemetrySettings& settings_;
  const Environment& environment_;
  std::vector<std::string>& warnings_;
  OtlpTarget target_;
};

}  // namespace

Result<void> telemetry_endpoint(const SettingsValue& value, SettingsDraft& draft) {
  auto url = read_text(value);
  if (!url) return std::unexpected(std::move(url.error()));
  auto address = parse_base_url(*url);
  if (!address) return value.fail("{}", address.error().message);
  draft.settings.telemetry.endpoint = std::move(address->url);
  return {};
}

Result<void> telemetry_headers(const SettingsValue& value, SettingsDraft& draft) {
  const auto* object = value.value().if_object();
  if (!object) return value.fail("must be an object of header names and environment variables");
  if (object->size() > kMostHeaders)
    return value.fail("has {} entries, at most {} are allowed", object->size(), kMostHeaders);
  Pairs headers;
  for (const auto& [name, unused] : *object) {
    const auto member = value.member(name);
    const auto* source = member.value().if_string();
    if (!is_header_name(name) || is_ours(name))
      return member.fail("cannot be set: it is no name of a header, or one that the gateway sets");
    if (!source || !is_variable_name(*source))
      return member.fail("must be the name of an environment variable, not the value itself");
    headers.emplace_back(name, *source);
  }
  draft.settings.telemetry.headers_env = std::move(headers);
  return {};
}

Result<void> telemetry_service_name(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_text(value), draft.settings.telemetry.service_name);
}

Result<void> telemetry_sample(const SettingsValue& value, SettingsDraft& draft) {
  json::error_code error;
  const auto ratio = value.value().to_number<double>(error);
  if (!value.value().is_number() || error || !(ratio >= 0 && ratio <= 1))
    return value.fail("must be a number from 0 to 1");
  draft.settings.telemetry.sample = ratio;
  return {};
}

Result<void> telemetry_content(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_bool(value), draft.settings.telemetry.content);
}

std::shared_ptr<const OtlpTarget> make_otlp_target(const TelemetrySettings& settings,
                                                   const Environment& environment,
                                                   std::vector<std::string>& warnings) {
  return TargetMaker(settings, environment, warnings).make();
}

}  // namespace toolgate
