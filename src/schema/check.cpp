// See check.h.
#include "schema/check.h"

#include "schema/match.h"
#include "schema/report.h"

namespace toolgate {

Result<CheckReport> check(const Schema& schema, JsonNode& value, JsonTree& tree,
                          const CheckOptions& options) {
  CheckReport report;
  Reporter reporter(schema, tree, options, report);
  reporter.run(value);
  if (auto error = reporter.error()) return std::unexpected(std::move(*error));
  report.steps = reporter.steps();
  return report;
}

Result<bool> is_valid(const Schema& schema, const JsonNode& value, std::uint64_t max_steps) {
  Matcher matcher(schema, max_steps);
  const bool fits = matcher.run(value);
  if (auto error = matcher.error()) [[unlikely]] {
    return std::unexpected(std::move(*error));
  }
  return fits;
}

}  // namespace toolgate
