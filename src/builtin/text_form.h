// How a text file is written: byte-order mark and line endings. Edits are made on plain text with
// line feeds; what they leave alone keeps its bytes. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace toolgate {

struct TextForm {
  bool has_mark = false;        // begins with U+FEFF
  bool ends_with_crlf = false;  // most of its lines do
  bool is_mixed = false;        // but not all
};

struct PlainText {
  TextForm form = {};
  std::string text = {};  // without the mark, lines ended by line feeds
};

// Fails for what is no text: NUL characters, or not UTF-8. `shown` names the file.
Result<PlainText> read_plain_text(std::string_view bytes, std::string_view shown);

// "\r\n" becomes "\n"; a mark at the beginning goes.
std::string plain_text(std::string_view bytes);

// The bytes of `text` in the form of the file that held `before`: lines that stay keep their
// ending, new ones get the usual one.
std::string write_in_form(std::string_view text, std::string_view before);

}  // namespace toolgate
