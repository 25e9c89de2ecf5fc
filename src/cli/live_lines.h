// The last lines of a terminal, drawn again when they change: one for each call that runs. The
// cursor stands below them. Pure: gives the bytes to print. chat_view draws with it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace toolgate {

class LiveLines {
 public:
  // Only the lines that are another one now are sent.
  std::string draw(const std::vector<std::string>& lines);
  // The first of them stay on the screen as they are.
  void keep(std::size_t count);
  std::string erase();

  std::size_t count() const { return shown_.size(); }

 private:
  std::vector<std::string> shown_;
};

}  // namespace toolgate
