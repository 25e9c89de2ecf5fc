// Checks JSON values against compiled schemas: a fast yes or no, or a report of every fault, with
// type coercion on request. check_input (repair.h), the normaliser and the metaschemas call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json_tree.h"
#include "schema/compile.h"
#include "schema/types.h"

namespace toolgate {

// Texts of a report that would take it over kMostReportBytes are shortened, each step of a path on
// its own: keys of megabytes would come back once for every fault. Such a path leads nowhere or
// elsewhere; `node` is always the value.
struct Fault {
  std::string path;                // of the value, a JSON pointer; "" is the root
  std::string schema_path;         // "#/properties/a/type"
  std::string_view keyword;        // static text; "false schema" for a schema that is `false`
  std::string message;             // Ajv's wording: "must be string"
  std::string sentence;            // for people: "must be string, not number"
  std::string property;            // the member that is missing or too many, where it is about one
  JsonNode* node = nullptr;        // the value at `path`
  TypeSet expected = 0;            // of a `type` fault: the types that would do
  std::uint32_t branch_depth = 0;  // how many anyOf, oneOf, not, if, contains … it stands inside
};

// A value that was changed. Shortened like a fault.
struct Repair {
  std::string path;
  std::string from;  // compact JSON
  std::string to;    // compact JSON
  std::string reason;
};

inline constexpr std::size_t kMostReportBytes = std::size_t{1} << 20;  // faults and repairs, each

struct CheckOptions {
  bool coerce = false;           // change scalars in place to the type that is due, as Ajv does
  bool first_only = false;       // stop where Ajv (allErrors: false) stops, with its list of faults
  std::size_t max_faults = 100;  // more are counted in CheckReport::left_out
  std::size_t max_repairs = 1000;  // more are made too, and counted in repairs_left_out
  std::uint64_t max_steps = kDefaultCheckSteps;
};

struct CheckReport {
  std::vector<Fault> faults;
  std::vector<Repair> repairs;
  std::size_t left_out = 0;          // faults beyond max_faults
  std::size_t repairs_left_out = 0;  // changes beyond max_repairs or kMostReportBytes
  std::uint64_t steps = 0;           // spent of max_steps

  bool valid() const { return faults.empty(); }
};

// `value` belongs to `tree`, which takes the texts of coerced values. The error tells that a limit
// was reached ("check budget exceeded", "check depth exceeded", "pattern limit exceeded"): the
// value is then neither valid nor invalid. The default limits are those of about a second.
Result<CheckReport> check(const Schema& schema, JsonNode& value, JsonTree& tree,
                          const CheckOptions& options = {});

// Stops at the first fault and allocates nothing in common cases. Errors as above.
Result<bool> is_valid(const Schema& schema, const JsonNode& value,
                      std::uint64_t max_steps = kDefaultCheckSteps);

}  // namespace toolgate
