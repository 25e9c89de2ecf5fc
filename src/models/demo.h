// The built-in model `toolgate/demo`: no network, the same answer for the same request. It is a
// script, not an intelligence; models/demo_script says what it answers. models/open.cpp makes it.
#pragma once

#include <memory>
#include <string>

#include "models/provider.h"

namespace toolgate {

std::unique_ptr<ChatProvider> make_demo_provider(std::string id = "toolgate/demo");

}  // namespace toolgate
