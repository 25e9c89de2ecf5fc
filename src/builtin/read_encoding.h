// What the bytes of a file are, judged by its beginning, and how they read as text. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace toolgate {

enum class ReadEncoding : std::uint8_t { Utf8, Utf8WithMark, Utf16Little, Utf16Big };

inline constexpr std::size_t kBytesToJudge = 8 << 10;  // so much of a beginning is looked at

ReadEncoding find_encoding(std::string_view beginning);
// So many bytes in front are the byte order mark.
std::size_t mark_bytes(ReadEncoding encoding);
bool is_wide(ReadEncoding encoding);
// Whether this is no text: it has a NUL, and no mark that explains it.
bool is_binary(std::string_view beginning);

// UTF-16 without its mark; what is no text becomes U+FFFD.
std::string decode_utf16(std::string_view bytes, bool is_big);

struct ReadableText {
  enum class As : std::uint8_t { Itself, Mended, Latin1 };
  std::string text;  // valid UTF-8
  As as = As::Itself;
};

// Bytes that ought to be UTF-8. With some well-formed characters in it, what is wrong becomes
// U+FFFD; without any it is read as Latin-1.
ReadableText make_readable(std::string bytes);

}  // namespace toolgate
