// What Tab puts at the prompt of `toolgate chat`: `#names` of tools and tool sets, commands, and
// what some commands take. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/prompt.h"

namespace toolgate {

struct ChatWords {
  std::vector<std::string> commands;    // "/help"
  std::vector<std::string> references;  // without '#'
  std::vector<std::string> models;
};

// The rest that all candidates share; where there is none, the candidates.
Completion complete_chat(std::string_view text, std::size_t cursor, const ChatWords& words);

// Names that may be referenced, from the answers of GET /v1/tools and GET /v1/toolsets; each once,
// in order.
std::vector<std::string> read_reference_names(std::string tools, std::string toolsets);

}  // namespace toolgate
