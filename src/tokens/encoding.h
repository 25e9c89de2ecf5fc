// Byte-pair encoding as OpenAI's models do it, id for id the same as tiktoken: o200k_base and
// cl100k_base. costs.cpp counts requests with it; the faces call it for /v1/tokens and `tokens`.
// The tables are part of the program: nothing is loaded, and only touched pages take memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace toolgate {

enum class Encoding : std::uint8_t { O200kBase, Cl100kBase };

std::string_view encoding_name(Encoding encoding);
std::optional<Encoding> encoding_named(std::string_view name);

// What becomes of <|endoftext|> and its like inside the text.
enum class SpecialTokens : std::uint8_t {
  AsText,    // tiktoken's encode_ordinary; right for text that others wrote
  AsTokens,  // tiktoken's encode with every special token allowed
};

// Any bytes may be given. A byte that is not part of a well-formed UTF-8 character is a symbol of
// its own, so decoding gives back exactly what was encoded. Time is linear in the text, and memory
// does not depend on the length of a word.
std::size_t count_tokens(Encoding encoding, std::string_view text,
                         SpecialTokens special = SpecialTokens::AsText);
std::vector<std::uint32_t> encode_tokens(Encoding encoding, std::string_view text,
                                         SpecialTokens special = SpecialTokens::AsText);

// Fails with the first id that the encoding does not have. A single token may be part of a
// character, so the bytes need not be valid UTF-8.
Result<std::string> decode_tokens(Encoding encoding, std::span<const std::uint32_t> ids);

// What a model counts with: `setting` (the model's `encoding`) where it names one, else what the
// model's id says, else its family. Unknown models get o200k_base.
Encoding encoding_for(std::string_view setting, std::string_view family, std::string_view model);

}  // namespace toolgate
