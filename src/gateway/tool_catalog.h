// The registry and everything that fills it from files: manifests of extensions, tool-set files,
// settings and what is known of the workspace. The gateway has one; commands that show the
// catalogue make one of their own.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/settings.h"
#include "toolgate/registry.h"

namespace toolgate {

struct ToolFiles {
  std::filesystem::path profile;    // a folder: extensions/*/package.json and *.toolsets.jsonc
  std::filesystem::path workspace;  // .toolgate/*.toolsets.jsonc
  std::vector<std::filesystem::path> extensions;  // --extension
  std::vector<std::filesystem::path> tool_sets;   // --toolsets
};

class ToolCatalog {
 public:
  explicit ToolCatalog(ToolFiles files, std::unique_ptr<ChangeTimer> timer = nullptr);

  // Reads the files and takes the settings over. Called again after a change: what is as it was
  // stays registered. Not from two threads at once.
  void load(const Settings& settings);

  Registry& registry() { return registry_; }
  std::shared_ptr<const Catalog> catalog() const { return registry_.catalog(); }
  // What is wrong in the files, by the last load(); the catalogue has its own problems.
  const std::vector<CatalogProblem>& problems() const { return problems_; }
  std::vector<std::filesystem::path> watched_files() const;

 private:
  // What one file brought, until its text is another.
  struct Source {
    std::string text;
    std::vector<Registration> registrations;
    std::vector<CatalogProblem> problems;
  };
  using Sources = std::map<std::filesystem::path, Source>;

  std::vector<std::filesystem::path> extension_folders() const;
  std::vector<std::filesystem::path> tool_set_files() const;
  void load_extensions();
  void load_tool_sets();
  void set_context(const Settings& settings);
  void update(Sources& sources, std::vector<std::pair<std::filesystem::path, std::string>> texts,
              Source (ToolCatalog::*read)(const std::filesystem::path&, const std::string&));
  Source read_extension(const std::filesystem::path& folder, const std::string& text);
  Source read_tool_sets(const std::filesystem::path& file, const std::string& text);

  const ToolFiles files_;
  Registry registry_;
  Sources extensions_;
  Sources tool_sets_;
  std::vector<std::string> context_keys_;  // those that settings brought
  std::vector<CatalogProblem> problems_;
};

}  // namespace toolgate
