#include "cli/yes_or_no.h"

#include <cstdio>
#include <termios.h>
#include <unistd.h>

#include <fmt/format.h>

namespace toolgate {

bool person_agrees(std::string_view question) {
  termios usual{};
  if (::tcgetattr(STDIN_FILENO, &usual) != 0) return false;
  termios by_key = usual;
  // Ctrl-C is a key, too: the terminal must be as it was afterwards.
  by_key.c_lflag &= static_cast<tcflag_t>(~(ICANON | ECHO | ISIG));
  by_key.c_cc[VMIN] = 1;
  by_key.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSAFLUSH, &by_key) != 0) return false;
  fmt::print(stderr, "{} [y/N] ", question);
  std::fflush(stderr);
  char key = 0;
  const bool agrees = ::read(STDIN_FILENO, &key, 1) == 1 && (key == 'y' || key == 'Y');
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual);
  fmt::print(stderr, "{}\n", agrees ? "yes" : "no");
  return agrees;
}

}  // namespace toolgate
