#include "cli/memory.h"

#include <malloc.h>

namespace toolgate {

void keep_freed_memory() {
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
}

}  // namespace toolgate
