// What commands.cpp knows of each command: how it adds itself to the command line. The chosen one
// leaves its work in `run`.
#pragma once

#include <functional>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace toolgate {

using Run = std::function<int()>;

void add_serve(CLI::App& app, Run& run);
void add_routes(CLI::App& app, Run& run);

}  // namespace toolgate
