// What terminals show: valid UTF-8 without control characters, bounded, and the same however the
// bytes arrive.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "builtin/terminal_text.h"
#include "fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace toolgate;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  TerminalText whole(5, 200, 400);
  whole.feed(bytes);
  TerminalText parts(5, 200, 400);
  for (const char byte : bytes) parts.feed({&byte, 1});
  const std::string text = whole.text();
  require(text == parts.text(), "however it arrives, it is the same");
  require(is_valid_utf8(text), "it is UTF-8");
  require(is_valid_utf8(whole.last_lines(3, 50)), "its last lines are UTF-8");
  require(std::ranges::none_of(
              text, [](char c) { return (c >= 0 && c < 0x20 && c != '\n') || c == 0x7F; }),
          "it has no control characters");
  return 0;
}
