// tokens.json: ids of texts in both encodings, special tokens as text and as tokens. A case gives
// the number of ids, the SHA-256 of the ids joined with commas, and the ids themselves if few.
#include <array>

#include <fmt/ranges.h>
#include <openssl/sha.h>

#include "golden_runner/kinds.h"
#include "tokens/encoding.h"

namespace toolgate {
namespace {

std::string joined(const std::vector<std::uint32_t>& ids) {
  return fmt::format("{}", fmt::join(ids, ","));
}

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

// Only what the case states.
std::string answer_like(const json::value& expected, const std::vector<std::uint32_t>& ids) {
  json::object answer;
  for (const auto& member : expected.as_object()) {
    if (member.key() == "n")
      answer["n"] = ids.size();
    else if (member.key() == "sha256")
      answer["sha256"] = sha256_hex(joined(ids));
    else if (member.key() == "ids")
      answer["ids"] = json::array(ids.begin(), ids.end());
    else
      answer[member.key()] = "unknown field";
  }
  return write_json(answer);
}

std::string shown(std::string_view text) {
  std::string out;
  append_json_string(out, text.substr(0, 60));
  return out;
}

// The text came back, and counting without ids gives their number.
void check_round_trip(const std::string& name, Encoding encoding, std::string_view text,
                      SpecialTokens special, const std::vector<std::uint32_t>& ids, Tally& tally) {
  if (count_tokens(encoding, text, special) != ids.size())
    tally.compare(name + " count", fmt::format("{}", ids.size()),
                  fmt::format("{}", count_tokens(encoding, text, special)));
  const auto back = decode_tokens(encoding, ids);
  if (!back || *back != text)
    tally.compare(name + " decoded", shown(text), back ? shown(*back) : back.error().message);
}

}  // namespace

void run_tokens(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("cases").as_array()) {
    const std::string_view text = text_in(entry, "text");
    for (const auto encoding : {Encoding::Cl100kBase, Encoding::O200kBase}) {
      for (const auto special : {SpecialTokens::AsText, SpecialTokens::AsTokens}) {
        const bool as_tokens = special == SpecialTokens::AsTokens;
        const std::string field =
            std::string(encoding_name(encoding)) + (as_tokens ? "_special" : "");
        const json::value* expected = find(entry, field);
        // Without a special variant the ids are the same as those of the plain text.
        if (expected == nullptr) expected = find(entry, encoding_name(encoding));
        if (expected == nullptr) continue;
        const auto ids = encode_tokens(encoding, text, special);
        const std::string name = fmt::format("{} {} {}", text_in(entry, "cat"), field, shown(text));
        tally.compare(name, write_json(*expected), answer_like(*expected, ids));
        check_round_trip(name, encoding, text, special, ids, tally);
      }
    }
  }
}

}  // namespace toolgate
