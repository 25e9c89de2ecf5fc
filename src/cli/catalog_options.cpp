#include "cli/catalog_options.h"

#include "cli/input.h"
#include "cli/terminal.h"
#include "hosts/http_tool.h"
#include "store/open.h"

namespace toolgate {

std::filesystem::path default_data_folder() {
  const std::filesystem::path data = read_environment("XDG_DATA_HOME").value_or("");
  if (data.is_absolute()) return data / "toolgate";
  const std::filesystem::path home = read_environment("HOME").value_or("");
  return home.is_absolute() ? home / ".local/share/toolgate" : std::filesystem::path();
}

void add_catalog_options(CLI::App& command, CatalogOptions& options) {
  options.data = default_data_folder();
  add_settings_options(command, options.settings);
  command.get_option("--workspace")->each([&options](const std::string&) {
    options.names_workspace = true;
  });
  command.add_option("--data", options.data, "Folder for the database and the operator token")
      ->type_name("DIR")
      ->default_str("~/.local/share/toolgate");
  command
      .add_option("--extension", options.tools.extensions,
                  "Folder of a VS Code extension whose tools to take; may be given again")
      ->allow_extra_args(false)
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  command
      .add_option("--toolsets", options.tools.tool_sets,
                  "A file with tool sets; may be given again")
      ->allow_extra_args(false)
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command.add_option("--mcp", options.mcp, "A file with MCP servers; this version reads none")
      ->allow_extra_args(false)
      ->type_name("FILE");
}

void complete_catalog_options(CatalogOptions& options) {
  options.tools.profile = profile_folder(read_environment);
  options.tools.workspace = options.settings.workspace;
  options.settings.profile = options.tools.profile / "settings.json";
}

std::string workspace_path(const SettingsFiles& files) {
  std::string path = std::filesystem::absolute(files.workspace).lexically_normal().string();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

BuiltinPlaces builtin_places(const CatalogOptions& options) {
  return {.workspace = options.tools.workspace,
          .data = options.data,
          .profile = options.tools.profile,
          .settings_files = options.settings.extra};
}

void warn_of_unread_options(const CatalogOptions& options) {
  for (const auto& file : options.mcp)
    fmt::print(stderr, "toolgate: {} is not read: this version has no MCP servers yet\n",
               visible(file.string()));
}

std::size_t OpenCatalog::problem_count() const {
  return settings.warnings.size() + files->problems().size() + catalog->problems.size();
}

namespace {

Result<std::vector<HttpToolRow>> read_http_tools(const Settings& settings,
                                                 const std::filesystem::path& data) {
  if (!has_database(settings, data)) return std::vector<HttpToolRow>();
  const auto store = open_store(settings.store, data);
  if (!store) return std::unexpected(store.error());
  return (*store)->load_http_tools();
}

// Read from the database beside a gateway that may use it.
void add_http_tools(OpenCatalog& open, const std::filesystem::path& data) {
  const auto rows = read_http_tools(open.settings, data);
  if (!rows) {
    open.settings.warnings.push_back("tools that were registered through the API are not there: " +
                                     rows.error().message);
    return;
  }
  Registry& registry = open.files->registry();
  for (const HttpToolRow& row : *rows) {
    auto definition = parse_http_tool(row.definition);
    if (!definition) continue;
    ToolData tool = tool_data_of(*definition);
    auto added =
        registry.add(std::move(tool),
                     std::make_shared<HttpTool>(std::move(*definition), open.settings.http_tools));
    if (added) open.http_tools.push_back(std::move(*added));
  }
  registry.flush();
}

}  // namespace

bool has_database(const Settings& settings, const std::filesystem::path& data) {
  constexpr std::string_view kSqlite = "sqlite:";
  std::string_view setting = settings.store;
  if (data.empty() || (!setting.empty() && !setting.starts_with(kSqlite))) return false;
  setting.remove_prefix(std::min(setting.size(), kSqlite.size()));
  std::error_code ignored;
  return std::filesystem::exists(data / (setting.empty() ? "toolgate.db" : setting), ignored);
}

OpenCatalog open_catalog(const CatalogOptions& options, Settings settings) {
  OpenCatalog open;
  open.settings = std::move(settings);
  open.files = std::make_unique<ToolCatalog>(options.tools);
  open.builtin_tools = std::make_unique<BuiltinTools>(builtin_places(options));
  if (auto declared = open.builtin_tools->declare(open.files->registry(), open.settings); !declared)
    open.settings.warnings.push_back(declared.error().message);
  open.files->load(open.settings);
  add_http_tools(open, options.data);
  open.catalog = open.files->catalog();
  return open;
}

Result<OpenCatalog> open_catalog(const CatalogOptions& options) {
  auto settings = load_settings(options.settings, read_environment);
  if (!settings) return std::unexpected(std::move(settings.error()));
  return open_catalog(options, std::move(*settings));
}

}  // namespace toolgate
