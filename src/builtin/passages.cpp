#include "builtin/passages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"
#include "builtin/readable_text.h"

namespace toolgate {
namespace {

constexpr std::size_t kUsualPassageBytes = 1'500;
constexpr std::string_view kGap = "[…]";
constexpr double kHeadingWeight = 3;

constexpr std::array<std::string_view, 28> kCommonWords{
    "a",    "an",   "and",  "are", "as",   "at",   "be",   "by", "do", "does",
    "for",  "from", "how",  "in",  "is",   "it",   "its",  "of", "on", "or",
    "that", "the",  "this", "to",  "what", "when", "with", "you"};

// Words in lower case, plurals as singulars. Letters beyond ASCII are parts of words.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (word.size() > 3 && word.ends_with('s') && !word.ends_with("ss")) word.pop_back();
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (const char c : text) {
    if (is_ascii_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80)
      word += ascii_lower(c);
    else
      end_word();
  }
  end_word();
  return words;
}

std::vector<std::string> words_of_query(std::string_view query) {
  std::vector<std::string> words = words_of(query);
  std::ranges::sort(words);
  const auto same = std::ranges::unique(words);
  words.erase(same.begin(), same.end());
  std::erase_if(words, [](const std::string& word) {
    return std::ranges::find(kCommonWords, word) != kCommonWords.end();
  });
  return words;
}

// A block, or a part of one that is too long to stay whole.
struct Piece {
  std::string_view text;
  std::string_view separator;  // before it
  int heading = 0;
};

// The end of a line, else of a sentence, else of a character, at about the usual size.
std::size_t good_end(std::string_view text) {
  const std::string_view part = first_characters(text, kUsualPassageBytes);
  for (const std::string_view mark : {"\n", ". ", " "})
    if (const std::size_t at = part.rfind(mark); at != part.npos && at >= part.size() / 2)
      return at + mark.size();
  return part.size();
}

std::vector<Piece> pieces_of(const std::vector<ReadableBlock>& blocks) {
  std::vector<Piece> pieces;
  for (const ReadableBlock& block : blocks) {
    std::string_view rest = block.text;
    std::string_view separator = block.follows_line ? "\n" : "\n\n";
    const bool stays_whole = rest.contains("```");  // code without its end would swallow the rest
    while (!stays_whole && rest.size() > 2 * kUsualPassageBytes) {
      const std::size_t end = good_end(rest);
      pieces.push_back({rest.substr(0, end), separator, block.heading});
      rest.remove_prefix(end);
      separator = "";
    }
    pieces.push_back({rest, separator, block.heading});
  }
  return pieces;
}

// Pieces that stay together.
struct Passage {
  std::span<const Piece> pieces;
  std::size_t bytes = 0;
  std::string headings;  // the one it begins with and those above it
  double score = 0;
};

std::vector<Passage> cut(std::span<const Piece> pieces) {
  std::vector<Passage> passages;
  std::array<std::string_view, 7> headings;
  std::size_t first = 0;
  std::size_t bytes = 0;
  const auto end_passage = [&](std::size_t end) {
    if (end == first) return;
    Passage passage;
    passage.pieces = pieces.subspan(first, end - first);
    passage.bytes = bytes;
    passage.headings = fmt::format("{}", fmt::join(headings, "\n"));
    passages.push_back(std::move(passage));
    first = end;
    bytes = 0;
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto level = static_cast<std::size_t>(pieces[i].heading);
    const bool is_full = bytes + pieces[i].text.size() > kUsualPassageBytes * 3 / 2;
    if (level > 0 || is_full) end_passage(i);
    if (level > 0) {
      headings[level] = pieces[i].text;
      std::fill(headings.begin() + static_cast<std::ptrdiff_t>(level) + 1, headings.end(), "");
    }
    bytes += pieces[i].text.size() + pieces[i].separator.size();
  }
  end_passage(pieces.size());
  return passages;
}

// BM25 with the usual constants; a word in a heading is worth several in the text.
void rank(std::vector<Passage>& passages, const std::vector<std::string>& query) {
  constexpr double kSaturation = 1.2;
  constexpr double kLengthShare = 0.75;
  std::map<std::string_view, std::vector<double>> found;  // per word: how often, per passage
  for (const std::string& word : query) found[word].resize(passages.size());
  double all_bytes = 1;
  for (std::size_t i = 0; i < passages.size(); ++i) {
    all_bytes += static_cast<double>(passages[i].bytes);
    const auto count = [&](std::string_view text, double weight) {
      for (const std::string& word : words_of(text))
        if (const auto at = found.find(word); at != found.end()) at->second[i] += weight;
    };
    count(passages[i].headings, kHeadingWeight);
    for (const Piece& piece : passages[i].pieces) count(piece.text, 1);
  }
  const double number = static_cast<double>(passages.size());
  for (const auto& [word, counts] : found) {
    const auto with =
        static_cast<double>(std::ranges::count_if(counts, [](double count) { return count > 0; }));
    const double rarity = std::log(1 + (number - with + 0.5) / (with + 0.5));
    for (std::size_t i = 0; i < passages.size(); ++i) {
      const double length = static_cast<double>(passages[i].bytes) * number / all_bytes;
      const double norm = kSaturation * (1 - kLengthShare + kLengthShare * length);
      passages[i].score += rarity * counts[i] * (kSaturation + 1) / (counts[i] + norm);
    }
  }
}

// The passages to show, best first, as far as there is room.
std::vector<bool> choose(const std::vector<Passage>& passages, std::size_t room) {
  std::vector<std::size_t> order(passages.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin() + 1, order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(-passages[a].score, a) < std::pair(-passages[b].score, b);
  });
  std::vector<bool> is_chosen(passages.size());
  for (const std::size_t i : order) {
    const std::size_t cost = passages[i].bytes + kGap.size() + 2;
    if (cost > room) continue;
    is_chosen[i] = true;
    room -= cost;
  }
  return is_chosen;
}

std::string write(const std::vector<Passage>& passages, const std::vector<bool>& is_chosen) {
  std::string text;
  bool is_gap = false;
  for (std::size_t i = 0; i < passages.size(); ++i) {
    if (!is_chosen[i]) {
      is_gap = true;
      continue;
    }
    if (is_gap) text.append(text.empty() ? "" : "\n\n").append(kGap).append("\n\n");
    bool is_first = is_gap || text.empty();
    is_gap = false;
    for (const Piece& piece : passages[i].pieces)
      text.append(std::exchange(is_first, false) ? "" : piece.separator).append(piece.text);
  }
  if (is_gap && !text.empty()) text.append("\n\n").append(kGap);
  return text;
}

}  // namespace

Passages choose_passages(const std::vector<ReadableBlock>& blocks, std::string_view query,
                         std::size_t most_bytes) {
  Passages result;
  for (const ReadableBlock& block : blocks) result.all_bytes += block.text.size() + 2;
  if (result.all_bytes <= most_bytes) {
    result.text = write_blocks(blocks);
    return result;
  }
  result.is_shortened = true;
  const std::vector<Piece> pieces = pieces_of(blocks);
  std::vector<Passage> passages = cut(pieces);
  rank(passages, words_of_query(query));
  result.text = write(passages, choose(passages, most_bytes));
  if (result.text.empty())  // there is no room for a whole passage
    result.text = fmt::format("{} {}", first_characters(blocks[0].text, most_bytes), kGap);
  return result;
}

}  // namespace toolgate
