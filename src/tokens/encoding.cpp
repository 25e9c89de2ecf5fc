// Text is cut into pieces; a piece that is a token costs one lookup, any other is merged.
#include "tokens/encoding.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "tokens/merging.h"
#include "tokens/piece_cache.h"
#include "tokens/pieces.h"
#include "tokens/vocabulary.h"

namespace toolgate {
namespace {

struct Count {
  std::size_t total = 0;
  void take(std::uint32_t) { ++total; }
  void take(TokenIds ids) { total += ids.size(); }
};

struct Collect {
  std::vector<std::uint32_t> all;
  void take(std::uint32_t id) { all.push_back(id); }
  void take(TokenIds ids) { all.insert(all.end(), ids.begin(), ids.end()); }
};

std::uint32_t find_piece(const Vocabulary& vocabulary, std::string_view piece, const char* end) {
  if (piece.size() <= kInlineTokenBytes && end - piece.data() >= 16) [[likely]]
    return vocabulary.find_short(piece.data(), piece.size());
  return vocabulary.find(piece);
}

// Made at first use, because threads that never count should not pay for it.
PieceCache& piece_cache() {
  thread_local const auto cache = std::make_unique<PieceCache>();
  return *cache;
}

template <class Sink>
void merge_short(const Vocabulary& vocabulary, Encoding encoding, std::string_view piece,
                 Sink& sink) {
  if (piece.size() > PieceCache::kMaxBytes) return sink.take(ShortMerge(vocabulary, piece).ids());
  PieceCache::Entry entry = PieceCache::entry_of(encoding, piece);
  PieceCache::Entry& place = piece_cache().place_of(entry);
  if (place.holds(entry)) return sink.take(place.all());
  const ShortMerge merge(vocabulary, piece);
  sink.take(merge.ids());
  if (merge.ids().size() > PieceCache::kMaxIds) return;
  entry.keep(merge.ids());
  place = entry;
}

template <class Sink>
void merge_piece(const Vocabulary& vocabulary, Encoding encoding, std::string_view piece,
                 Sink& sink) {
  if (piece.size() <= ShortMerge::kMaxBytes) return merge_short(vocabulary, encoding, piece, sink);
  LongMerge merge(vocabulary, piece);
  for (TokenIds ids = merge.next(); !ids.empty(); ids = merge.next()) sink.take(ids);
}

using PieceEnd = const char* (*)(const char* at, const char* end);

template <PieceEnd kPieceEnd, class Sink>
void encode_pieces(Encoding encoding, std::string_view text, Sink& sink) {
  const Vocabulary& vocabulary = Vocabulary::of(encoding);
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    const char* next = kPieceEnd(at, end);
    const std::string_view piece(at, static_cast<std::size_t>(next - at));
    const std::uint32_t id = find_piece(vocabulary, piece, end);
    if (id != Vocabulary::kNone) [[likely]]
      sink.take(id);
    else
      merge_piece(vocabulary, encoding, piece, sink);
    at = next;
  }
}

template <class Sink>
void encode_text(Encoding encoding, std::string_view text, Sink& sink) {
  if (encoding == Encoding::Cl100kBase)
    encode_pieces<piece_end_cl100k>(encoding, text, sink);
  else
    encode_pieces<piece_end_o200k>(encoding, text, sink);
}

const SpecialToken* special_at(const Vocabulary& vocabulary, std::string_view text) {
  for (const SpecialToken& token : vocabulary.special_tokens())
    if (text.starts_with(token.text)) return &token;
  return nullptr;
}

// The text between special tokens is cut into pieces on its own.
template <class Sink>
void encode_with_special(Encoding encoding, std::string_view text, Sink& sink) {
  const Vocabulary& vocabulary = Vocabulary::of(encoding);
  std::size_t begin = 0;
  for (std::size_t at = text.find("<|"); at != std::string_view::npos; at = text.find("<|", at)) {
    const SpecialToken* token = special_at(vocabulary, text.substr(at));
    if (token == nullptr) {
      ++at;
      continue;
    }
    encode_text(encoding, text.substr(begin, at - begin), sink);
    sink.take(token->id);
    at += token->text.size();
    begin = at;
  }
  encode_text(encoding, text.substr(begin), sink);
}

template <class Sink>
Sink encode(Encoding encoding, std::string_view text, SpecialTokens special) {
  Sink sink;
  if (special == SpecialTokens::AsTokens)
    encode_with_special(encoding, text, sink);
  else
    encode_text(encoding, text, sink);
  return sink;
}

struct EncodingName {
  Encoding encoding;
  std::string_view name;
};

constexpr std::array kNames{
    EncodingName{Encoding::O200kBase, "o200k_base"},
    EncodingName{Encoding::Cl100kBase, "cl100k_base"},
};

// The models of cl100k_base, by how their names begin; what begins with one of kNewer is not meant.
constexpr std::array<std::string_view, 6> kOlder{
    "gpt-4", "gpt-3.5", "gpt-35", "text-embedding-3", "text-embedding-ada-002", "davinci-002"};
constexpr std::array<std::string_view, 3> kNewer{"gpt-4o", "gpt-4.", "gpt-4-o"};

bool begins_with_any(std::string_view name, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](auto each) { return name.starts_with(each); });
}

}  // namespace

std::string_view encoding_name(Encoding encoding) {
  return kNames[static_cast<std::size_t>(encoding)].name;
}

std::optional<Encoding> encoding_named(std::string_view name) {
  for (const EncodingName& each : kNames)
    if (each.name == name) return each.encoding;
  return std::nullopt;
}

std::size_t count_tokens(Encoding encoding, std::string_view text, SpecialTokens special) {
  return encode<Count>(encoding, text, special).total;
}

std::vector<std::uint32_t> encode_tokens(Encoding encoding, std::string_view text,
                                         SpecialTokens special) {
  return std::move(encode<Collect>(encoding, text, special).all);
}

Result<std::string> decode_tokens(Encoding encoding, std::span<const std::uint32_t> ids) {
  const Vocabulary& vocabulary = Vocabulary::of(encoding);
  std::string text;
  for (const std::uint32_t id : ids) {
    const auto bytes = vocabulary.bytes_of(id);
    if (!bytes)
      return fail(Errc::InvalidRequest, "{} is not a token of {}", id, encoding_name(encoding));
    text += *bytes;
  }
  return text;
}

Encoding encoding_for(std::string_view setting, std::string_view family, std::string_view model) {
  if (const auto named = encoding_named(setting)) return *named;
  for (std::string_view name : {model, family}) {
    if (const auto slash = name.rfind('/'); slash != name.npos) name.remove_prefix(slash + 1);
    if (name.starts_with("ft:")) name.remove_prefix(3);
    if (begins_with_any(name, kNewer)) return Encoding::O200kBase;
    if (begins_with_any(name, kOlder)) return Encoding::Cl100kBase;
  }
  return Encoding::O200kBase;
}

}  // namespace toolgate
