// o200k_base, with U = Lu Lt Lm Lo M and l = Ll Lm Lo M:
//   [^\r\n\p{L}\p{N}]? U* l+ contraction?  |  [^\r\n\p{L}\p{N}]? U+ l* contraction?
//   | \p{N}{1,3} | ' '? [^\s\p{L}\p{N}]+ [\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
// cl100k_base:
//   contraction | [^\r\n\p{L}\p{N}]? \p{L}+ | \p{N}{1,3} | ' '? [^\s\p{L}\p{N}]+ [\r\n]*
//   | \s*[\r\n]+ | \s+(?!\S) | \s+
// contraction: 's 't 're 've 'm 'll 'd in any case. Alternatives are tried from left to right.
#include "tokens/pieces.h"

#include <array>

#include "tokens/vocabulary_format.h"

// Written by cmake/pack_ranks.cpp: kClassBlocks indices, then the blocks.
extern "C" {
extern const unsigned char toolgate_character_classes[];
}

namespace toolgate {
namespace {

constexpr unsigned kLetters = kUpper | kLower | kLetter;
constexpr unsigned kBlank = kSpace | kNewline;
constexpr unsigned kWordStart = kUpper | kLetter | kMark;  // U
constexpr unsigned kWordEnd = kLower | kLetter | kMark;    // l
constexpr unsigned kBothCases = kLetter | kMark;

constexpr auto kAsciiClasses = [] {
  std::array<std::uint8_t, 128> classes{};
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (c == '\r' || c == '\n')
      classes[c] = kNewline;
    else if (c == ' ' || (c >= 9 && c <= 12))
      classes[c] = kSpace;
    else if (c >= '0' && c <= '9')
      classes[c] = kNumber;
    else if (c >= 'A' && c <= 'Z')
      classes[c] = kUpper;
    else if (c >= 'a' && c <= 'z')
      classes[c] = kLower;
    else
      classes[c] = kSymbol;
  }
  return classes;
}();

struct Character {
  unsigned kind;  // one bit of CharacterClass
  unsigned size;  // bytes
};

bool continues(const char* at, unsigned low = 0x80, unsigned high = 0xBF) {
  const auto byte = static_cast<unsigned char>(*at);
  return byte >= low && byte <= high;
}

unsigned tail_bits(const char* at) {
  return static_cast<unsigned char>(*at) & 0x3Fu;
}

unsigned class_of(unsigned code_point) {
  const unsigned block = toolgate_character_classes[code_point / kClassBlock];
  return toolgate_character_classes[kClassBlocks + block * kClassBlock + code_point % kClassBlock];
}

// What is not well-formed UTF-8 is a symbol of one byte.
Character wide_character(const char* at, const char* end) {
  const auto lead = static_cast<unsigned char>(*at);
  const auto left = end - at;
  if (lead >= 0xC2 && lead <= 0xDF) {
    if (left > 1 && continues(at + 1))
      return {class_of((lead & 0x1Fu) << 6 | tail_bits(at + 1)), 2};
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    if (left > 2 && continues(at + 1, low, high) && continues(at + 2))
      return {class_of((lead & 0x0Fu) << 12 | tail_bits(at + 1) << 6 | tail_bits(at + 2)), 3};
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    if (left > 3 && continues(at + 1, low, high) && continues(at + 2) && continues(at + 3))
      return {class_of((lead & 0x07u) << 18 | tail_bits(at + 1) << 12 | tail_bits(at + 2) << 6 |
                       tail_bits(at + 3)),
              4};
  }
  return {kSymbol, 1};
}

inline Character character_at(const char* at, const char* end) {
  const auto byte = static_cast<unsigned char>(*at);
  if (byte < 0x80) [[likely]]
    return {kAsciiClasses[byte], 1};
  return wide_character(at, end);
}

// Past every character whose class is in `mask`.
inline const char* skip(const char* at, const char* end, unsigned mask) {
  while (at < end) {
    const Character character = character_at(at, end);
    if ((character.kind & mask) == 0) break;
    at += character.size;
  }
  return at;
}

const char* skip_newlines(const char* at, const char* end, bool slashes) {
  while (at < end && (*at == '\n' || *at == '\r' || (slashes && *at == '/'))) ++at;
  return at;
}

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
}

// Bytes of the contraction that begins with the apostrophe at `at`, or 0.
std::size_t contraction_size(const char* at, const char* end) {
  if (end - at < 2) return 0;
  const char first = lower(at[1]);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if (end - at < 3) return 0;
  const char second = lower(at[2]);
  if ((first == 'r' || first == 'v') && second == 'e') return 3;
  if (first == 'l' && second == 'l') return 3;
  // U+017F, the long s, is an s in another case.
  return at[1] == '\xC5' && at[2] == '\xBF' ? 3 : 0;
}

const char* with_contraction(const char* at, const char* end) {
  return at < end && *at == '\'' ? at + contraction_size(at, end) : at;
}

const char* numbers_end(const char* at, const char* end) {
  for (int count = 0; count < 3 && at < end; ++count) {
    const Character character = character_at(at, end);
    if (character.kind != kNumber) break;
    at += character.size;
  }
  return at;
}

// \s*[\r\n]+ | \s+(?!\S) | \s+: up to the last line break of the run; without one, the whole run at
// the end of the text, else all but its last character, which may belong to what follows.
const char* blank_end(const char* at, const char* end) {
  const char* after_newline = nullptr;
  const char* last = at;
  const char* next = at;
  while (next < end) {
    const Character character = character_at(next, end);
    if ((character.kind & kBlank) == 0) break;
    last = next;
    next += character.size;
    if (character.kind == kNewline) after_newline = next;
  }
  if (after_newline != nullptr) return after_newline;
  return next == end || last == at ? next : last;
}

// Everything but words; the pattern has the same alternatives for both encodings from here on.
const char* other_end(const char* at, const char* end, Character first, bool slashes) {
  if (first.kind == kNumber) return numbers_end(at, end);
  const char* symbols = *at == ' ' ? at + 1 : at;
  const char* after = skip(symbols, end, kSymbol | kMark);
  if (after > symbols) return skip_newlines(after, end, slashes);
  return blank_end(at, end);
}

// A word of o200k_base without what may stand before it: `whole` when it matches U* l+, else the
// run of capital letters that U+ l* would take; both null when there is no word.
struct Word {
  const char* whole = nullptr;
  const char* capitals = nullptr;
};

Word word_at(const char* at, const char* end) {
  const char* after_both = nullptr;  // behind the last character that is in U and in l
  const char* next = at;
  while (next < end) {
    const Character character = character_at(next, end);
    if ((character.kind & kWordStart) == 0) {
      if (character.kind == kLower) return {skip(next + character.size, end, kWordEnd), nullptr};
      break;
    }
    next += character.size;
    if ((character.kind & kBothCases) != 0) after_both = next;
  }
  if (after_both != nullptr) return {after_both, nullptr};
  return {nullptr, next > at ? next : nullptr};
}

}  // namespace

const char* piece_end_o200k(const char* at, const char* end) {
  const Character first = character_at(at, end);
  if ((first.kind & kLetters) != 0) {
    const Word word = word_at(at, end);
    const char* after = word.whole != nullptr ? word.whole : word.capitals;
    if (after != nullptr) return with_contraction(after, end);
  }
  if ((first.kind & (kNewline | kNumber)) == 0) {
    const Word word = word_at(at + first.size, end);
    if (word.whole != nullptr) return with_contraction(word.whole, end);
    // A mark alone is a word by itself, and that is tried before capitals that follow it.
    if (first.kind == kMark) return with_contraction(at + first.size, end);
    if (word.capitals != nullptr) return with_contraction(word.capitals, end);
  }
  return other_end(at, end, first, true);
}

const char* piece_end_cl100k(const char* at, const char* end) {
  if (*at == '\'')
    if (const std::size_t size = contraction_size(at, end); size > 0) return at + size;
  const Character first = character_at(at, end);
  if ((first.kind & kLetters) != 0) return skip(at + first.size, end, kLetters);
  if ((first.kind & (kNewline | kNumber)) == 0) {
    const char* letters = at + first.size;
    const char* after = skip(letters, end, kLetters);
    if (after > letters) return after;
  }
  return other_end(at, end, first, false);
}

}  // namespace toolgate
