// toolgate routes: the HTTP API as a table, with who may use each route.
#include "gateway/routes.h"

#include <memory>

#include <fmt/format.h>

#include "base/json.h"
#include "cli/command.h"

namespace toolgate {
namespace {

std::string routes_json() {
  json::array list;
  for (const Route& route : routes())
    list.push_back(json::object{{"method", std::string(route.method)},
                                {"path", std::string(route.path)},
                                {"access", std::string(access_name(route.access))}});
  return write_json(list);
}

int print_routes(bool as_json) {
  if (as_json) {
    fmt::print("{}\n", routes_json());
    return 0;
  }
  for (const Route& route : routes())
    fmt::print("{:7} {:28} {}\n", route.method, route.path, access_name(route.access));
  return 0;
}

}  // namespace

void add_routes(CLI::App& app, Run& run) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("routes", "List the HTTP routes and who may use them");
  command->add_flag("--json", *as_json, "Print JSON");
  command->callback([as_json, &run] { run = [as_json] { return print_routes(*as_json); }; });
}

}  // namespace toolgate
