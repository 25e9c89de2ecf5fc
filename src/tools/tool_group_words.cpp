#include "tools/tool_group_words.h"

#include <algorithm>
#include <array>
#include <deque>
#include <queue>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/ascii.h"

namespace toolgate {
namespace {

constexpr std::size_t kMaxWords = 12;
constexpr std::size_t kMaxWordLength = 32;
constexpr std::size_t kMaxLabelWords = 3;

// Words that say what is done, not to what: they make groups only where nothing else does.
constexpr std::array<std::string_view, 46> kActionWords{
    "add",    "all",  "and",    "apply",   "by",     "call",  "check", "clear", "close", "create",
    "delete", "do",   "edit",   "execute", "fetch",  "find",  "for",   "from",  "get",   "in",
    "insert", "list", "make",   "mcp",     "new",    "of",    "on",    "open",  "post",  "put",
    "query",  "read", "remove", "run",     "search", "send",  "set",   "show",  "start", "stop",
    "the",    "to",   "tool",   "update",  "with",   "write",
};
static_assert(std::ranges::is_sorted(kActionWords));

bool is_letter(char c) {
  return (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || static_cast<unsigned char>(c) >= 0x80;
}

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

void make_singular(std::string& word) {
  for (const std::string_view ending : {"ches", "shes", "sses", "xes"}) {
    if (!word.ends_with(ending)) continue;
    word.resize(word.size() - 2);
    return;
  }
  if (word.size() > 4 && word.ends_with("ies"))
    word.replace(word.size() - 3, 3, "y");
  else if (word.size() > 3 && word.ends_with("s") && !word.ends_with("ss") && !word.ends_with("us"))
    word.pop_back();
}

template <class Visit>
void each_word(std::string_view name, Visit visit) {
  std::string word;
  std::size_t count = 0;
  const auto end_word = [&] {
    if (word.empty() || count == kMaxWords) return;
    ++count;
    make_singular(word);
    visit(word);
    word.clear();
  };
  for (std::size_t i = 0; i < name.size() && count < kMaxWords; ++i) {
    const char c = name[i];
    const bool ends_capitals =
        i + 1 < name.size() && is_letter(name[i + 1]) && !is_upper(name[i + 1]);
    const bool begins = is_upper(c) && i > 0 && (!is_upper(name[i - 1]) || ends_capitals);
    if (!is_letter(c) || begins) end_word();
    if (is_letter(c) && word.size() < kMaxWordLength) word += ascii_lower(c);
  }
  end_word();
}

using Members = std::vector<std::uint32_t>;

class Splitter {
 public:
  Splitter(std::span<const std::string_view> names, std::span<const std::uint32_t> members)
      : members_(members), words_(members.size()), taken_(members.size()) {
    ids_.reserve(2 * members.size());
    for (std::uint32_t position = 0; position < members.size(); ++position)
      read_words(position, names[members[position]]);
  }

  std::vector<WordCluster> split(const SplitLimits& limits) {
    const std::size_t most =
        std::min(limits.max_size, std::max<std::size_t>(4, members_.size() * 3 / 5));
    cluster(false, most);
    cluster(true, most);
    Members alone;
    for (std::uint32_t position = 0; position < taken_.size(); ++position)
      if (!taken_[position]) alone.push_back(position);
    if (parts_.size() + alone.size() <= limits.max_parts)
      for (const std::uint32_t position : alone) add_part({position});
    else
      add_rest(alone, limits);
    merge_smallest(limits);
    if (parts_.size() > limits.max_parts) cut_evenly(limits);
    return finish();
  }

 private:
  struct Word {
    std::string text;
    bool is_action = false;
    Members positions;
  };
  struct Candidate {
    std::size_t count = 0;
    std::uint32_t word = 0;
  };

  void read_words(std::uint32_t position, std::string_view name) {
    each_word(name, [&](const std::string& text) {
      const std::uint32_t id = word_id(text);
      Members& positions = vocabulary_[id].positions;
      if (!positions.empty() && positions.back() == position) return;
      positions.push_back(position);
      words_[position].push_back(id);
    });
  }

  std::uint32_t word_id(const std::string& text) {
    if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    const bool is_action =
        text.size() == 1 || std::ranges::binary_search(kActionWords, std::string_view(text));
    const auto id = static_cast<std::uint32_t>(vocabulary_.size());
    const Word& word = vocabulary_.emplace_back(text, is_action, Members());
    ids_.emplace(word.text, id);
    return id;
  }

  std::size_t free_count(std::uint32_t word) const {
    const Members& positions = vocabulary_[word].positions;
    return static_cast<std::size_t>(
        std::ranges::count_if(positions, [&](auto position) { return !taken_[position]; }));
  }

  // The most common word first; one that too many share waits until others have taken some.
  void cluster(bool actions, std::size_t most) {
    std::vector<std::uint32_t> words;
    for (std::uint32_t word = 0; word < vocabulary_.size(); ++word)
      if (vocabulary_[word].is_action == actions) words.push_back(word);
    const auto waiting = cluster_words(words, most);
    cluster_words(waiting, most);
  }

  std::vector<std::uint32_t> cluster_words(const std::vector<std::uint32_t>& words,
                                           std::size_t most) {
    const auto later = [&](const Candidate& a, const Candidate& b) {
      return a.count != b.count ? a.count < b.count
                                : vocabulary_[a.word].text > vocabulary_[b.word].text;
    };
    std::priority_queue<Candidate, std::vector<Candidate>, decltype(later)> queue(later);
    for (const std::uint32_t word : words) queue.push({free_count(word), word});
    std::vector<std::uint32_t> waiting;
    while (!queue.empty()) {
      const Candidate best = queue.top();
      queue.pop();
      const std::size_t count = free_count(best.word);
      if (count < 2) continue;
      if (count < best.count)
        queue.push({count, best.word});
      else if (count > most)
        waiting.push_back(best.word);
      else
        take(best.word);
    }
    return waiting;
  }

  void take(std::uint32_t word) {
    Members positions;
    for (const std::uint32_t position : vocabulary_[word].positions)
      if (!taken_[position]) positions.push_back(position);
    add_part(std::move(positions));
  }

  void add_part(Members positions) {
    for (const std::uint32_t position : positions) taken_[position] = true;
    std::string label = shared_words(positions);
    parts_.push_back({std::move(label), std::move(positions)});
  }

  // Of a part, without those that everything shares; words of action only if there are no others.
  std::string shared_words(const Members& positions) const {
    std::string label = shared_words(positions, false);
    if (label.empty()) label = shared_words(positions, true);
    return label.empty() ? "other" : label;
  }

  std::string shared_words(const Members& positions, bool actions) const {
    std::string label;
    std::size_t count = 0;
    for (const std::uint32_t word : words_[positions.front()]) {
      const Word& shared = vocabulary_[word];
      if (shared.is_action != actions || shared.positions.size() == members_.size()) continue;
      const bool all = std::ranges::all_of(positions, [&](std::uint32_t position) {
        return std::ranges::find(words_[position], word) != words_[position].end();
      });
      if (!all) continue;
      if (!label.empty()) label += '_';
      label += shared.text;
      if (++count == kMaxLabelWords) break;
    }
    return label;
  }

  void add_rest(const Members& alone, const SplitLimits& limits) {
    if (alone.empty()) return;
    const std::size_t count = (alone.size() + limits.max_size - 1) / limits.max_size;
    for (std::size_t i = 0; i < count; ++i) {
      const auto begin = alone.begin() + static_cast<std::ptrdiff_t>(alone.size() * i / count);
      const auto end = alone.begin() + static_cast<std::ptrdiff_t>(alone.size() * (i + 1) / count);
      parts_.push_back(
          {count == 1 ? "other" : fmt::format("other_{}", i + 1), Members(begin, end)});
    }
  }

  // While there are too many parts and the two smallest fit together.
  void merge_smallest(const SplitLimits& limits) {
    if (parts_.size() <= limits.max_parts) return;
    std::set<std::pair<std::size_t, std::size_t>> by_size;
    for (std::size_t i = 0; i < parts_.size(); ++i) by_size.emplace(parts_[i].members.size(), i);
    while (by_size.size() > limits.max_parts) {
      const auto [size, from] = *by_size.begin();
      const auto [other_size, into] = *std::next(by_size.begin());
      if (size + other_size > limits.max_size) break;
      by_size.erase(by_size.begin(), std::next(by_size.begin(), 2));
      absorb(parts_[into], parts_[from]);
      by_size.emplace(size + other_size, into);
    }
    std::erase_if(parts_, [](const WordCluster& part) { return part.members.empty(); });
  }

  static void absorb(WordCluster& into, WordCluster& from) {
    constexpr std::string_view kMore = "_and_more";
    const bool merged = into.label.find("_and_") != into.label.npos;
    if (!merged)
      into.label += "_and_" + from.label;
    else if (!into.label.ends_with(kMore))
      into.label += kMore;
    into.members.insert(into.members.end(), from.members.begin(), from.members.end());
    std::ranges::sort(into.members);
    from.members.clear();
  }

  // The last resort, and always possible: what was found to belong together stays neighbours.
  void cut_evenly(const SplitLimits& limits) {
    Members all;
    for (const WordCluster& part : parts_)
      all.insert(all.end(), part.members.begin(), part.members.end());
    const std::size_t count = std::min(limits.max_parts, all.size());
    parts_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(all.size() * i / count);
      const auto end = all.begin() + static_cast<std::ptrdiff_t>(all.size() * (i + 1) / count);
      Members positions(begin, end);
      std::ranges::sort(positions);
      parts_.push_back({fmt::format("part_{}", i + 1), std::move(positions)});
    }
  }

  std::vector<WordCluster> finish() {
    std::ranges::sort(parts_, {}, [](const WordCluster& part) { return part.members.front(); });
    for (WordCluster& part : parts_)
      for (std::uint32_t& member : part.members) member = members_[member];
    return std::move(parts_);
  }

  std::span<const std::uint32_t> members_;
  std::deque<Word> vocabulary_;
  std::unordered_map<std::string_view, std::uint32_t> ids_;  // of the texts in vocabulary_
  std::vector<std::vector<std::uint32_t>> words_;            // of each position
  std::vector<bool> taken_;
  std::vector<WordCluster> parts_;  // of positions, until finish()
};

}  // namespace

std::vector<std::string> name_words(std::string_view name) {
  std::vector<std::string> words;
  each_word(name, [&](const std::string& word) { words.push_back(word); });
  return words;
}

std::vector<WordCluster> split_by_words(std::span<const std::string_view> names,
                                        std::span<const std::uint32_t> members,
                                        const SplitLimits& limits) {
  if (members.empty()) return {};
  return Splitter(names, members).split(limits);
}

}  // namespace toolgate
