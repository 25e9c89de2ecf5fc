#include "base/json_pointer.h"

namespace toolgate {

void append_pointer_step(std::string& path, std::string_view name) {
  path += '/';
  for (;;) {
    const auto special = name.find_first_of("~/");
    path += name.substr(0, special);
    if (special == name.npos) return;
    path += name[special] == '~' ? "~0" : "~1";
    name.remove_prefix(special + 1);
  }
}

std::string unescape_pointer_step(std::string_view step) {
  std::string name;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool escaped = step[i] == '~' && i + 1 < step.size();
    if (escaped) ++i;
    name += !escaped ? step[i] : step[i] == '1' ? '/' : '~';
  }
  return name;
}

}  // namespace toolgate
