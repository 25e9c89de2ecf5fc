// Bytes of pages as UTF-8, by the label that a header or the page gives: what the Encoding Standard
// says browsers do, with the C library's tables. Pure; fetch_webpage.cpp calls it.
#pragma once

#include <string>
#include <string_view>

namespace toolgate {

// "iso-8859-1" and the like of "text/html; charset=ISO-8859-1", in lower case; empty: none.
std::string charset_of(std::string_view content_type);

// What <meta charset> or <meta http-equiv> in the first bytes of a page names; empty: nothing.
std::string charset_in_page(std::string_view html);

struct DecodedText {
  std::string text;      // valid UTF-8
  std::string encoding;  // that it was read with: "utf-8", "windows-1252" …
};

// A byte order mark decides, then `label`. Without a label that is known: UTF-8 if it is valid,
// else windows-1252. What is wrong in an encoding becomes U+FFFD.
DecodedText decode_text(std::string_view bytes, std::string_view label);

}  // namespace toolgate
