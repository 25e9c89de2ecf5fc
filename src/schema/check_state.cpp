// See check_state.h.
#include "schema/check_state.h"

namespace toolgate {

std::optional<Error> CheckBudget::error() const {
  switch (stop_) {
    case Stop::None:
      return std::nullopt;
    case Stop::Steps:
      return Error{Errc::TooLarge,
                   "check budget exceeded: the schema takes too many steps for this input",
                   {}};
    case Stop::Depth:
      return Error{Errc::TooLarge,
                   fmt::format("check depth exceeded: over {} nested subschemas", kMaxCheckDepth),
                   {}};
    case Stop::Loop:
      return Error{Errc::TooLarge,
                   fmt::format("schema loop: over {} references in a row without going deeper into "
                               "the input",
                               kMaxInPlaceDepth),
                   {}};
    case Stop::Pattern:
      return Error{Errc::TooLarge,
                   fmt::format("pattern limit exceeded: '{}' takes too long on this input",
                               pattern_->source()),
                   {}};
  }
  return std::nullopt;
}

SubschemaId dynamic_target(const Schema& schema, const Rule& rule, const DynamicScope* scope) {
  SubschemaId target = rule.a;
  if (rule.b == kNone) return target;
  const std::string_view name = schema.dynamic_names[rule.b];
  for (; scope != nullptr; scope = scope->outer) {  // the outermost one wins
    for (const DynamicAnchor& anchor : schema.dynamic_anchors) {
      if (anchor.resource == scope->resource && anchor.name == name) target = anchor.target;
    }
  }
  return target;
}

}  // namespace toolgate
