// The secret that lets a person, and no tool, decide: a file only its owner can read.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"

namespace toolgate {

// Reads <data>/operator-token, or makes it (mode 0600, its folder 0700).
Result<std::string> open_operator_token(const std::filesystem::path& data_folder);

}  // namespace toolgate
