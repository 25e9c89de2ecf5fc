// Lists of tools that requests brought before, by their text: clients send the same one with every
// request, and to read it again would tell nothing new. wire/chat_reader asks it. Not shared
// between threads: each loop has its own.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/openai_chat.h"

namespace toolgate {

class KnownTools {
 public:
  struct Tool {
    std::string name;
    std::size_t begin = 0;  // where it stands in the list's text
    std::size_t size = 0;
  };
  struct List {
    std::string caller;
    std::string text;  // the whole JSON array
    std::vector<Tool> tools;
  };

  // The list that `text` begins with, until the next call; null when this caller has not sent it:
  // how long an answer takes tells nobody what others send.
  const List* find(std::string_view caller, std::string_view text);
  // `text` is a list that was read and found good, `tools` what it holds. Of many lists the last
  // ones used are kept, and none that is huge.
  void add(std::string_view caller, std::string_view text, std::span<const ChatTool> tools);

 private:
  std::vector<List> lists_;  // the last used first
};

}  // namespace toolgate
