// Text of models and servers for the eyes of a person who decides: nothing in it can move the
// cursor, reorder what stands beside it or hide.
#pragma once

#include <string>
#include <string_view>

namespace toolgate {

// Control characters (but newline and tab where `lines` is true), bidirectional controls,
// zero-width and other invisible characters, tags, and invalid UTF-8 are written as ⟨U+202E⟩ or
// ⟨0x9B⟩.
std::string visible_text(std::string_view text, bool lines = true);

}  // namespace toolgate
