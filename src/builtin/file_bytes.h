// Reads files into memory, with a limit. Blocks as files do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace toolgate {

// Up to `most` bytes from `offset`; fewer when the file ends there. `shown` is for errors.
Result<std::string> read_bytes(int file, std::uint64_t offset, std::size_t most,
                               std::string_view shown);

// More than `most` bytes are an error, TooLarge.
Result<std::string> read_whole_file(int file, std::size_t most, std::string_view shown);
// Of a file that is our own.
Result<std::string> read_whole_file(const std::filesystem::path& file);

}  // namespace toolgate
