#include "cli/usage_error.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/nearest.h"
#include "cli/terminal.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::size_t kWordColumns = 60;

// "toolgate approvals" of "toolgate approvals lst": how far the line could be followed.
const CLI::App& last_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent ? full_name(*parent) + " " + command.get_name() : command.get_name();
}

std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  Nearest nearest(word);
  for (const std::string& name : names) nearest.consider(name);
  if (nearest.result().empty()) return {};
  return fmt::format("; did you mean {}?", nearest.result());
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* below : command.get_subcommands({})) names.push_back(below->get_name());
  return names;
}

std::string explain_extra(const CLI::App& command, const std::string& word) {
  const std::string shown = cut_to_columns(visible_text(word, false), kWordColumns);
  if (word.starts_with('-'))
    return fmt::format("'{}' has no option '{}'{}", full_name(command), shown,
                       suggestion(word.substr(0, word.find('=')), option_names(command)));
  if (const auto names = command_names(command); !names.empty())
    return fmt::format("there is no '{} {}'{}", full_name(command), shown, suggestion(word, names));
  return fmt::format("'{}' was given '{}', which is one word too many", full_name(command), shown);
}

}  // namespace

std::string explain_usage_error(const CLI::App& app, const CLI::Error& error) {
  const CLI::App& command = last_command(app);
  const auto extra = app.remaining(true);
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) && !extra.empty();
  return fmt::format("toolgate: {}\n'{} --help' says more.\n",
                     is_extra ? explain_extra(command, extra.front()) : std::string(error.what()),
                     full_name(command));
}

}  // namespace toolgate
