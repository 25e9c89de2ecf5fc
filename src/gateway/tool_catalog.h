// The registry and everything that fills it from files: manifests of extensions, tool-set files,
// settings and what is known of the workspace. The gateway has one; commands that show the
// catalogue make one of their own.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
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
  struct FileText {
    std::filesystem::path path;
    std::string text;
  };
  // What one file brought.
  struct Source {
    FileText file;
    std::vector<Registration> registrations;
    std::vector<CatalogProblem> problems;
  };

  std::vector<std::filesystem::path> extension_folders() const;
  std::vector<std::filesystem::path> tool_set_files() const;
  void load_extensions();
  void load_tool_sets();
  void set_context(const Settings& settings);
  void set_workspace_context();
  void note_left_out(std::vector<FileText>& texts, std::size_t most, std::string_view what);
  void update(std::vector<Source>& sources, std::vector<FileText> texts,
              Source (ToolCatalog::*read)(const FileText&));
  Source read_extension(const FileText& folder);
  Source read_tool_sets(const FileText& file);

  const ToolFiles files_;
  Registry registry_;
  std::vector<Source> extensions_;
  std::vector<Source> tool_sets_;
  std::vector<std::string> context_keys_;  // those that settings brought
  std::set<std::string> languages_;        // of the workspace, by the last load()
  std::vector<CatalogProblem> problems_;
};

}  // namespace toolgate
