#include "cli/commands.h"

int main(int count, char** arguments) {
  return toolgate::run_command_line(count, arguments);
}
