#include "builtin/supervisor.h"
#include "cli/commands.h"

int main(int count, char** arguments) {
  if (count > 1 && arguments[1] == toolgate::kSupervise)
    return toolgate::supervise_command(count - 1, arguments + 1);
  return toolgate::run_command_line(count, arguments);
}
