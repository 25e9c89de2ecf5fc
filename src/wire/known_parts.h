// Parts of requests that need not be read again. One per loop.
#pragma once

#include "wire/known_messages.h"
#include "wire/known_tools.h"

namespace toolgate {

struct KnownParts {
  KnownTools tools = {};
  KnownMessages messages = {};
};

}  // namespace toolgate
