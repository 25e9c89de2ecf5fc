// pack_ranks FOLDER CLASSES OUT: turns the rank files <FOLDER>/{o200k_base,cl100k_base}.tiktoken
// and the character classes into the tables that tokens/ is linked with: OUT/*.bin, and
// OUT/tables.s that includes them. Runs at build time; see cmake/tokens.cmake.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tokens/vocabulary_format.h"

namespace toolgate {
namespace {

[[noreturn]] void die(const std::string& message) {
  std::cerr << "pack_ranks: " << message << '\n';
  std::exit(1);
}

std::ifstream open_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) die("cannot read " + path.string());
  return file;
}

void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file.flush()) die("cannot write " + path.string());
}

template <class T>
void append_raw(std::string& out, const T* values, std::size_t count) {
  out.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

std::string decode_base64(const std::string& text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int have = 0;
  for (const char digit : text) {
    if (digit == '=') break;
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) die("not base64: " + text);
    bits = (bits << 6) | static_cast<unsigned>(value);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    bytes.push_back(static_cast<char>((bits >> have) & 0xFF));
  }
  return bytes;
}

// Line by line `base64 rank`, ranks counting up from 0 without a gap; a rank is the id.
std::vector<std::string> read_ranks(const std::filesystem::path& path) {
  std::ifstream file = open_file(path);
  std::vector<std::string> tokens;
  std::string text;
  std::size_t rank = 0;
  while (file >> text >> rank) {
    if (rank != tokens.size()) die("rank out of order in " + path.string());
    tokens.push_back(decode_base64(text));
    if (tokens.back().empty() || tokens.back().size() > 255) die("odd length: " + text);
  }
  if (tokens.size() < 256) die("too few ranks in " + path.string());
  return tokens;
}

class Packer {
 public:
  explicit Packer(const std::vector<std::string>& tokens) {
    header_.token_count = static_cast<std::uint32_t>(tokens.size());
    while ((kBucketSlots << header_.bucket_bits) * 8 < tokens.size() * 10) ++header_.bucket_bits;
    buckets_.resize(std::size_t{1} << header_.bucket_bits);
    for (const std::string& token : tokens) add(token);
    header_.long_bytes = static_cast<std::uint32_t>(long_bytes_.size());
  }

  std::string block() const {
    std::string out;
    append_raw(out, &header_, 1);
    append_raw(out, buckets_.data(), buckets_.size());
    append_raw(out, places_.data(), places_.size());
    return out + long_bytes_;
  }

 private:
  void add(const std::string& token) {
    TokenKey key = token_key(token);
    const std::size_t home = hash_token(key) >> (64 - header_.bucket_bits);
    if (token.size() > kInlineTokenBytes) {
      key.high = static_cast<std::uint32_t>(long_bytes_.size());
      long_bytes_ += token;
    }
    header_.longest = std::max(header_.longest, key.length);
    for (std::size_t bucket = home;; bucket = (bucket + 1) % buckets_.size()) {
      auto& slots = buckets_[bucket].slots;
      const auto free = std::ranges::find_if(slots, [](auto& slot) { return slot.length() == 0; });
      if (free == slots.end()) {
        slots[0].tag |= TokenSlot::kOverflow;
        continue;
      }
      const auto id = static_cast<std::uint32_t>(places_.size());
      *free = {key.low, key.high, id | (key.length << TokenSlot::kLengthShift)};
      if (token.size() == 1) header_.byte_tokens[static_cast<unsigned char>(token[0])] = id;
      places_.push_back(static_cast<std::uint32_t>(bucket * kBucketSlots +
                                                   static_cast<std::size_t>(free - slots.begin())));
      return;
    }
  }

  VocabularyHeader header_;
  std::vector<TokenBucket> buckets_;
  std::vector<std::uint32_t> places_;
  std::string long_bytes_;
};

const std::map<std::string, CharacterClass> kClassNames{
    {"Newline", kNewline}, {"Space", kSpace},   {"Number", kNumber}, {"Upper", kUpper},
    {"Lower", kLower},     {"Letter", kLetter}, {"Mark", kMark},
};

std::string pack_classes(const std::filesystem::path& path) {
  std::string classes(0x110000, static_cast<char>(kSymbol));
  std::ifstream file = open_file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string word;
    words >> word;
    const auto named = kClassNames.find(word);
    if (named == kClassNames.end()) die("unknown class " + word);
    while (words >> word) {
      char* rest = nullptr;
      const unsigned long first = std::strtoul(word.c_str(), &rest, 16);
      const unsigned long last = *rest == '-' ? std::strtoul(rest + 1, nullptr, 16) : first;
      if (last < first || last >= classes.size()) die("odd range " + word);
      std::fill_n(classes.begin() + static_cast<std::ptrdiff_t>(first), last - first + 1,
                  static_cast<char>(named->second));
    }
  }
  std::string index;
  std::vector<std::string> blocks;
  for (std::size_t at = 0; at < classes.size(); at += kClassBlock) {
    const std::string block = classes.substr(at, kClassBlock);
    const auto known = std::ranges::find(blocks, block);
    if (known - blocks.begin() > 255) die("too many different blocks of character classes");
    index.push_back(static_cast<char>(known - blocks.begin()));
    if (known == blocks.end()) blocks.push_back(block);
  }
  for (const std::string& block : blocks) index += block;
  return index;
}

void include_block(std::string& assembly, const std::string& name, const std::filesystem::path& out,
                   const std::string& block) {
  const std::filesystem::path path = std::filesystem::absolute(out / (name + ".bin"));
  write_file(path, block);
  const std::string symbol = "toolgate_" + name;
  assembly += "  .balign 64\n  .globl " + symbol + "\n  .hidden " + symbol + "\n  .type " + symbol +
              ", %object\n" + symbol + ":\n  .incbin \"" + path.string() + "\"\n  .size " + symbol +
              ", . - " + symbol + "\n";
}

}  // namespace
}  // namespace toolgate

int main(int argc, char** argv) {
  using namespace toolgate;
  if (argc != 4) die("usage: pack_ranks FOLDER CLASSES OUT");
  const std::filesystem::path ranks = argv[1];
  const std::filesystem::path out = argv[3];
  std::string assembly = "  .section .rodata.toolgate_tokens, \"a\", %progbits\n";
  for (const std::string name : {"o200k_base", "cl100k_base"})
    include_block(assembly, name, out, Packer(read_ranks(ranks / (name + ".tiktoken"))).block());
  include_block(assembly, "character_classes", out, pack_classes(argv[2]));
  assembly += "  .section .note.GNU-stack, \"\", %progbits\n";
  write_file(out / "tables.s", assembly);
}
