// toolgate doctor: what is in order and what is not, with what to do next.
#include "gateway/doctor.h"

#include <memory>

#include "cli/catalog_options.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "cli/tool_list.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostPerArea = 20;  // on a terminal
constexpr std::string_view kIndent = "    ";

struct DoctorCommand {
  CatalogOptions catalog;
  bool as_json = false;
};

std::string mark_of(const DoctorCheck& check, const Terminal& terminal) {
  if (check.is_missing) return terminal.paint(Paint::Dim, "–");
  switch (check.status) {
    case CheckStatus::Ok:
      return terminal.paint(Paint::Green, "✓");
    case CheckStatus::Warning:
      return terminal.paint(Paint::Yellow, "!");
    case CheckStatus::Error:
      return terminal.paint(Paint::Red, "✗");
  }
  return "";
}

class CheckPrinter {
 public:
  explicit CheckPrinter(const Terminal& terminal)
      : terminal_(terminal), width_(terminal.width() - kIndent.size()) {}

  // All of one area, the worst first.
  void print_area(std::span<const DoctorCheck> checks) const {
    terminal_.print(terminal_.paint(Paint::Bold, title_of(checks.front().area)) + "\n");
    const std::size_t most = terminal_.is_terminal() ? kMostPerArea : checks.size();
    std::size_t printed = 0;
    for (const auto status : {CheckStatus::Error, CheckStatus::Warning, CheckStatus::Ok})
      for (const DoctorCheck& check : checks)
        if (check.status == status && printed < most) {
          print_check(check);
          ++printed;
        }
    if (printed < checks.size())
      terminal_.print(
          terminal_.paint(Paint::Dim, fmt::format("{}and {} more; --json lists all\n", kIndent,
                                                  with_commas(checks.size() - printed))));
    terminal_.print("\n");
  }

 private:
  static std::string title_of(std::string_view area) {
    if (area == "mcp") return "MCP servers";
    std::string title(area);
    title.front() = static_cast<char>(title.front() - 'a' + 'A');
    return title;
  }

  std::string text_of(std::string_view text) const {
    return terminal_.is_terminal() ? with_tilde(tidy(text)) : tidy(text);
  }

  void print_check(const DoctorCheck& check) const {
    std::string lead = "  " + mark_of(check, terminal_) + " ";
    for (const std::string& line : wrap_to_columns(text_of(check.message), width_)) {
      terminal_.print(lead + line + "\n");
      lead = kIndent;
    }
    lead = fmt::format("{}{} ", kIndent, terminal_.paint(Paint::Cyan, "→"));
    for (const std::string& line : wrap_to_columns(text_of(check.advice), width_ - 2)) {
      terminal_.print(lead + terminal_.paint(Paint::Cyan, line) + "\n");
      lead = std::string(kIndent) + "  ";
    }
  }

  const Terminal& terminal_;
  const std::size_t width_;
};

void print_verdict(std::span<const DoctorCheck> checks, const Terminal& terminal) {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  for (const DoctorCheck& check : checks) {
    errors += check.status == CheckStatus::Error ? 1 : 0;
    warnings += check.status == CheckStatus::Warning ? 1 : 0;
  }
  if (errors + warnings == 0)
    terminal.print(terminal.paint(Paint::Green, "All is well.") + "\n");
  else
    terminal.print(fmt::format(
        "{}, {}\n",
        terminal.paint(errors > 0 ? Paint::Red : Paint::Plain, counted(errors, "error")),
        terminal.paint(warnings > 0 ? Paint::Yellow : Paint::Plain, counted(warnings, "warning"))));
}

int run_doctor(const DoctorCommand& command) {
  auto settings = load_settings(command.catalog.settings, read_environment);
  // With the defaults in place of settings that cannot be read, the rest can still be looked at.
  const OpenCatalog open = open_catalog(command.catalog, settings.value_or(Settings{}));
  const auto checks = examine({.settings_files = command.catalog.settings,
                               .settings = std::move(settings),
                               .environment = read_environment,
                               .data = command.catalog.data,
                               .catalog = open.catalog.get(),
                               .file_problems = open.files->problems(),
                               .mcp_files = command.catalog.mcp});
  const int status = worst_of(checks) == CheckStatus::Error ? 1 : 0;
  if (command.as_json) {
    fmt::print("{}\n", write_checks(checks));
    return status;
  }
  const Terminal terminal(stdout);
  const CheckPrinter printer(terminal);
  for (std::size_t begin = 0, end = 0; begin < checks.size(); begin = end) {
    while (end < checks.size() && checks[end].area == checks[begin].area) ++end;
    printer.print_area(std::span(checks).subspan(begin, end - begin));
  }
  print_verdict(checks, terminal);
  return status;
}

}  // namespace

void add_doctor(CLI::App& app, Run& run) {
  auto options = std::make_shared<DoctorCommand>();
  CLI::App* command = app.add_subcommand(
      "doctor", "Check settings, models, extensions and tools; say what to mend");
  command->add_flag("--json", options->as_json, "Print one object: status, counts, checks");
  add_catalog_options(*command, options->catalog);
  command->footer(
      "Nothing is changed and nobody is asked over the network.\n"
      "Exit status: 0, or 1 when there is an error; warnings alone do not count.");
  command->callback([options, &run] {
    complete_catalog_options(options->catalog);
    run = [options] { return run_doctor(*options); };
  });
}

}  // namespace toolgate
