// Any bytes must come back from their tokens, counting must give the number of ids, and no text
// costs more than a token per byte, whole or cut in two. The input is also read as a picture, as
// JSON for the costs, and as a prompt-tsx tree.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json_tree.h"
#include "tokens/costs.h"
#include "tokens/encoding.h"
#include "tokens/prompt_tsx.h"

namespace {

using namespace toolgate;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_text(Encoding encoding, std::string_view text, SpecialTokens special) {
  const auto ids = encode_tokens(encoding, text, special);
  require(count_tokens(encoding, text, special) == ids.size());
  require(ids.size() <= text.size());
  const auto back = decode_tokens(encoding, ids);
  require(back && *back == text);
}

// The first byte of the input says where the text is cut.
void check_cut(Encoding encoding, std::string_view text, std::size_t cut) {
  const std::size_t whole = count_tokens(encoding, text);
  const std::size_t parts =
      count_tokens(encoding, text.substr(0, cut)) + count_tokens(encoding, text.substr(cut));
  require(parts <= text.size() && whole <= text.size());
  require(text.empty() || (parts > 0 && whole > 0));
}

void check_json(std::string_view text) {
  JsonTree tree;
  const auto value = tree.parse(text);
  if (!value) return;
  messages_cost(**value, Encoding::O200kBase);
  const auto classic = tools_cost(**value, Encoding::Cl100kBase, CostRules::Classic);
  require(classic == 0 || classic >= 17);
  flatten_prompt_tsx(**value);
  const auto count = [](std::string_view piece) { return piece.size(); };
  const std::string whole = render_prompt_tsx(**value);
  const auto pruned = render_prompt_tsx(**value, text.size() / 8, count);
  require(pruned.text.size() == pruned.tokens);
  require(pruned.dropped > 0 || pruned.text == whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (const auto encoding : {Encoding::O200kBase, Encoding::Cl100kBase}) {
    check_text(encoding, text, SpecialTokens::AsText);
    check_text(encoding, text, SpecialTokens::AsTokens);
    check_cut(encoding, text, text.empty() ? 0 : data[0] * text.size() / 256);
  }
  image_size(text);
  image_url_cost(text, "high", Encoding::O200kBase);
  check_json(text);
  return 0;
}
