// Finds where a value stands in the text of a JSON file with comments, so that an error found after
// parsing can still name line and column. The settings reader calls it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace toolgate {

// A member's name or an item's index.
using JsonStep = std::variant<std::string, std::size_t>;

struct JsonPlace {
  std::size_t key = 0;    // byte offset of the member's name; of the value where there is no name
  std::size_t value = 0;  // byte offset of the value
};

// The place of the value at `path`, or of its nearest ancestor when the path leads nowhere. Of
// equal names in one object the last counts, as it does for the parser. `text` is expected to
// parse; other text gives some offset within it.
JsonPlace locate_json(std::string_view text, std::span<const JsonStep> path);

}  // namespace toolgate
