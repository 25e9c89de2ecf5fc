// What is said about a command line that makes no sense: what is wrong with it, what was probably
// meant, and where to read on.
#pragma once

#include <string>

#include <CLI/App.hpp>

namespace toolgate {

std::string explain_usage_error(const CLI::App& app, const CLI::Error& error);

}  // namespace toolgate
