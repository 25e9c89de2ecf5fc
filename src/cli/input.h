// What commands read: a file, standard input, or the environment.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "gateway/settings.h"

namespace toolgate {

inline constexpr std::size_t kMostInputBytes = std::size_t{64} << 20;

std::optional<std::string> read_environment(const char* name);

// "-" or nothing is standard input. The error names the file.
Result<std::string> read_input(const std::string& path);

// JSON on the command line, @file, or - for standard input; strict JSON, else the error names
// `option` or the file.
Result<std::string> read_json_argument(const std::string& given, std::string_view option);

// The profile's settings, the workspace's and the given ones, as `serve` reads them.
Result<Settings> read_command_settings(const SettingsFiles& files);

// Prints "toolgate: …" on stderr and answers with exit status 1.
int report_failure(const Error& error);

}  // namespace toolgate
