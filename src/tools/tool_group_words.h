// Splits tools by the words of their names: what one can do without a model. tool_groups.cpp calls
// it for sources with more tools than they have room for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

struct WordCluster {
  std::string label;  // the words that its members share, joined by '_'
  std::vector<std::uint32_t> members;
};

struct SplitLimits {
  std::size_t max_parts = 1;
  std::size_t max_size = 1;  // at least members / max_parts, rounded up
};

// Lower case, plurals made singular, numbers left out: "listPullRequests2" is list, pull, request.
std::vector<std::string> name_words(std::string_view name);

// Every member is in one part, in the order given. Members that share no word stand alone while
// there is room for that. `members` are indexes into `names`.
std::vector<WordCluster> split_by_words(std::span<const std::string_view> names,
                                        std::span<const std::uint32_t> members,
                                        const SplitLimits& limits);

}  // namespace toolgate
