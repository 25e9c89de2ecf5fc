// What `serve` and every command that shows the catalogue take: where settings, data, extensions
// and tool sets are. A command without a running gateway opens a catalogue of its own with them.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "cli/command.h"
#include "gateway/builtin_tools.h"
#include "gateway/settings.h"
#include "gateway/tool_catalog.h"

namespace toolgate {

struct CatalogOptions {
  SettingsFiles settings;
  ToolFiles tools;
  std::filesystem::path data;  // empty: HOME is not set
  std::vector<std::filesystem::path> mcp;
  bool names_workspace = false;  // with --workspace; else it is the current folder
};

// By XDG_DATA_HOME or HOME; empty: neither is set.
std::filesystem::path default_data_folder();

// `options` is complete once the command line is parsed and complete_catalog_options() was called.
void add_catalog_options(CLI::App& command, CatalogOptions& options);
void complete_catalog_options(CatalogOptions& options);

// The workspace as records of edits name it: absolute, without "." and "..".
std::string workspace_path(const SettingsFiles& files);

// For the built-in tools.
BuiltinPlaces builtin_places(const CatalogOptions& options);

// Says on stderr what was given in vain.
void warn_of_unread_options(const CatalogOptions& options);

// Whether there is a database to read, so that looking does not make one.
bool has_database(const Settings& settings, const std::filesystem::path& data);

struct OpenCatalog {
  Settings settings;
  std::unique_ptr<ToolCatalog> files;
  std::unique_ptr<BuiltinTools> builtin_tools;  // declared only
  std::vector<Registration> http_tools;         // those that were registered through the API
  std::shared_ptr<const Catalog> catalog;

  // What `toolgate doctor` would tell about.
  std::size_t problem_count() const;
};

Result<OpenCatalog> open_catalog(const CatalogOptions& options);
// With these settings instead of those in the files.
OpenCatalog open_catalog(const CatalogOptions& options, Settings settings);

}  // namespace toolgate
