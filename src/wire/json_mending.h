// Small repairs of JSON values from upstreams, shared by the codecs of streamed and whole answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"

namespace toolgate {

// Parses even with broken UTF-8 or halves of surrogate pairs inside; mend_strings makes such a
// value valid again. `valid` says whether that is needed.
struct LooseJson {
  json::value value;
  bool valid = true;
};
Result<LooseJson> parse_loose_json(std::string_view text);

// Makes every string and key valid UTF-8.
void mend_strings(json::value& value);

// A string as it is, null as nothing, anything else as its JSON text.
std::string text_of(const json::value* value);

// Message content as text: a string, or the text parts of a list.
std::string content_text(const json::value& content);

// A count or index that is not negative, also when written 1.0.
std::optional<std::int64_t> natural_number(const json::value* value);

// The string unless it is missing, empty, or something else.
std::string_view string_in(const json::object& object, std::string_view key);

}  // namespace toolgate
