#include <openssl/crypto.h>

#include "builtin/supervisor.h"
#include "cli/commands.h"

int main(int count, char** arguments) {
  if (count > 1 && arguments[1] == toolgate::kSupervise)
    return toolgate::supervise_command(count - 1, arguments + 1);
  // Threads that hash end after our last word: what OpenSSL keeps for them is theirs to free.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
  return toolgate::run_command_line(count, arguments);
}
