#include <openssl/crypto.h>

#include "builtin/supervisor.h"
#include "cli/commands.h"

// For jemalloc: a thread keeps more free blocks of each size at hand. A request makes and frees a
// dozen coroutine frames, and many requests take their turns.
extern "C" const char* malloc_conf;
const char* malloc_conf = "tcache_nslots_small_min:128";

int main(int count, char** arguments) {
  if (count > 1 && arguments[1] == toolgate::kSupervise)
    return toolgate::supervise_command(count - 1, arguments + 1);
  // Threads that hash end after our last word: what OpenSSL keeps for them is theirs to free.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
  return toolgate::run_command_line(count, arguments);
}
