// Takes secrets out of what is logged, audited and told: values of arguments whose names look like
// secrets. toolgate.redact lists the names; what runs is never changed.
#pragma once

#include <bitset>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/glob.h"

namespace toolgate {

// Names are compared without case, '-' and '_'; `*` stands for anything.
const std::vector<std::string>& default_redacted_names();

class Redaction {
 public:
  explicit Redaction(std::span<const std::string> names = default_redacted_names());

  bool is_secret(std::string_view name) const;
  // The JSON with the values of secret members, at any depth and in JSON packed into strings too,
  // replaced by "[redacted]". Text that is no JSON becomes that JSON string as a whole.
  std::string redact(std::string_view json) const;
  // The same, but JSON on one line that has nothing to hide stays as it is written. Most has none,
  // and that is seen without reading it.
  std::string redact_line(std::string_view json) const;
  // `text` without the values that redact() would take out of `json`: tools repeat what they got.
  std::string hide(std::string text, std::string_view json) const;

 private:
  bool may_hold_secret(std::string_view text) const;

  std::vector<Glob> globs_;
  // Three characters of each glob, the rarest in a row, hashed: a name or a text that has none of
  // them matches nothing.
  std::bitset<4096> marks_;
  bool filters_ = true;
};

}  // namespace toolgate
