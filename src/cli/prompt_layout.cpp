#include "cli/prompt_layout.h"

#include <algorithm>

#include "cli/terminal.h"

namespace toolgate {
namespace {

constexpr std::string_view kTab = "    ";
constexpr std::size_t kLeastColumns = 4;

}  // namespace

PromptLayout lay_out_prompt(std::string_view text, std::size_t cursor, std::size_t indent,
                            std::size_t width) {
  const std::size_t most = std::max(width - std::min(width, indent + 1), kLeastColumns);
  PromptLayout layout{.rows = {""}};
  std::size_t used = 0;
  const auto next_row = [&] {
    layout.rows.emplace_back();
    used = 0;
  };
  for (std::size_t at = 0; at <= text.size();) {
    const bool at_end = at == text.size();
    const bool is_tab = !at_end && text[at] == '\t';
    const Character next = at_end ? Character{1, 1} : character_at(text, at);
    const std::size_t columns = is_tab ? kTab.size() : next.columns;
    const bool is_feed = !at_end && text[at] == '\n';
    if (!is_feed && !at_end && used + columns > most) next_row();
    if (at == cursor) {
      layout.row = layout.rows.size() - 1;
      layout.column = indent + used;
    }
    if (is_feed) {
      next_row();
    } else if (!at_end) {
      layout.rows.back() += is_tab ? kTab : text.substr(at, next.bytes);
      used += columns;
    }
    at += next.bytes;
  }
  return layout;
}

std::string lay_out_words(const std::vector<std::string>& words, std::size_t width) {
  std::size_t widest = 0;
  for (const std::string& word : words) widest = std::max(widest, columns_of(word));
  const std::size_t columns = std::max<std::size_t>(1, width / (widest + 2));
  const std::size_t rows = (words.size() + columns - 1) / columns;
  std::string out;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t at = row; at < words.size(); at += rows) {
      const bool is_last = at + rows >= words.size();
      out += is_last ? cut_to_columns(words[at], width - 1) : pad_to_columns(words[at], widest + 2);
    }
    out += '\n';
  }
  return out;
}

}  // namespace toolgate
