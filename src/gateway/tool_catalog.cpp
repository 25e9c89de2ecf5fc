#include "gateway/tool_catalog.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "base/json.h"
#include "hosts/extension_manifest.h"
#include "tools/toolset_file.h"

namespace toolgate {
namespace {

using std::filesystem::path;

constexpr std::size_t kMostExtensions = 1000;
constexpr std::size_t kMostToolSetFiles = 200;

// In order of their names; a folder that is not there has none.
std::vector<path> entries_of(const path& folder) {
  std::vector<path> result;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    result.push_back(entry->path());
  std::ranges::sort(result);
  return result;
}

// Nothing when it cannot be read or is over the limit.
std::optional<std::string> read_file(const path& file, std::size_t most) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error || size > most) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

CatalogProblem problem_of_file(const path& file, std::string_view what, std::string advice = {}) {
  return {file.string(), fmt::format("{}: {}", file.string(), what), std::move(advice)};
}

}  // namespace

ToolCatalog::ToolCatalog(ToolFiles files, std::unique_ptr<ChangeTimer> timer)
    : files_(std::move(files)), registry_(std::move(timer)) {}

void ToolCatalog::load(const Settings& settings) {
  problems_.clear();
  set_context(settings);
  registry_.set_settings(settings.catalog);
  load_extensions();
  load_tool_sets();
}

std::vector<path> ToolCatalog::watched_files() const {
  std::vector<path> result = files_.tool_sets;
  const std::string any_tool_set = "*" + std::string(kToolSetFileSuffix);
  if (!files_.profile.empty()) {
    result.push_back(files_.profile / any_tool_set);
    result.push_back(files_.profile / "extensions" / "*");
  }
  if (!files_.workspace.empty()) result.push_back(files_.workspace / ".toolgate" / any_tool_set);
  for (const path& folder : extension_folders())
    for (const char* name : {"package.json", "package.nls.json"}) result.push_back(folder / name);
  return result;
}

// Those of the profile, and those that were given.
std::vector<path> ToolCatalog::extension_folders() const {
  std::vector<path> folders;
  if (!files_.profile.empty())
    for (path& entry : entries_of(files_.profile / "extensions"))
      if (std::filesystem::exists(entry / "package.json")) folders.push_back(std::move(entry));
  folders.insert(folders.end(), files_.extensions.begin(), files_.extensions.end());
  if (folders.size() > kMostExtensions) folders.resize(kMostExtensions);
  return folders;
}

std::vector<path> ToolCatalog::tool_set_files() const {
  std::vector<path> files;
  for (const path& folder : {files_.profile, files_.workspace / ".toolgate"})
    for (path& entry : entries_of(folder))
      if (entry.filename().string().ends_with(kToolSetFileSuffix))
        files.push_back(std::move(entry));
  files.insert(files.end(), files_.tool_sets.begin(), files_.tool_sets.end());
  if (files.size() > kMostToolSetFiles) files.resize(kMostToolSetFiles);
  return files;
}

// What is not there any more goes first: another file may bring its names.
void ToolCatalog::update(Sources& sources, std::vector<std::pair<path, std::string>> texts,
                         Source (ToolCatalog::*read)(const path&, const std::string&)) {
  std::erase_if(sources, [&](const auto& source) {
    return std::ranges::find_if(texts, [&](const auto& text) {
             return text.first == source.first && text.second == source.second.text;
           }) == texts.end();
  });
  for (auto& [file, text] : texts) {
    if (!sources.contains(file)) {
      Source source = (this->*read)(file, text);
      source.text = std::move(text);
      sources.emplace(file, std::move(source));
    }
    const auto& problems = sources.at(file).problems;
    problems_.insert(problems_.end(), problems.begin(), problems.end());
  }
}

void ToolCatalog::load_extensions() {
  std::vector<std::pair<path, std::string>> texts;
  for (path& folder : extension_folders()) {
    auto package = read_file(folder / "package.json", kMaxManifestBytes);
    if (!package) {
      problems_.push_back(problem_of_file(folder / "package.json",
                                          "cannot be read, or is too large",
                                          "give the folder of an unpacked VS Code extension"));
      continue;
    }
    // Both files in one text, so that a change of either is noticed.
    *package += '\0' + read_file(folder / "package.nls.json", kMaxManifestBytes).value_or("");
    texts.emplace_back(std::move(folder), std::move(*package));
  }
  update(extensions_, std::move(texts), &ToolCatalog::read_extension);
}

ToolCatalog::Source ToolCatalog::read_extension(const path& folder, const std::string& text) {
  Source source;
  const std::size_t border = text.find('\0');
  ManifestOptions options;
  options.root = folder.string();
  auto manifest = read_manifest(std::string_view(text).substr(0, border),
                                std::string_view(text).substr(border + 1), options);
  const auto note = [&](const std::vector<ManifestFault>& faults) {
    for (const ManifestFault& fault : faults)
      source.problems.push_back(
          problem_of_file(folder / "package.json", fault.message, fault.advice));
  };
  note(manifest.faults);
  auto registered = register_manifest(registry_, std::move(manifest));
  note(registered.faults);
  source.registrations = std::move(registered.registrations);
  return source;
}

void ToolCatalog::load_tool_sets() {
  std::vector<std::pair<path, std::string>> texts;
  for (path& file : tool_set_files()) {
    auto text = read_file(file, ToolSetFileLimits{}.bytes);
    if (text)
      texts.emplace_back(std::move(file), std::move(*text));
    else
      problems_.push_back(problem_of_file(file, "cannot be read, or is too large"));
  }
  update(tool_sets_, std::move(texts), &ToolCatalog::read_tool_sets);
}

ToolCatalog::Source ToolCatalog::read_tool_sets(const path& file, const std::string& text) {
  Source source;
  auto read = read_tool_set_file(file.string(), text);
  for (const ToolSetFileFault& fault : read.faults)
    source.problems.push_back(
        {file.string(),
         fmt::format("{}:{}:{}: {}", file.string(), fault.line, fault.column, fault.message),
         {}});
  for (ToolSetData& set : read.sets)
    if (auto added = registry_.add_set(std::move(set)))
      source.registrations.push_back(std::move(*added));
  return source;
}

// What a window of VS Code with this folder open would say.
void ToolCatalog::set_context(const Settings& settings) {
  (void)registry_.set_context("workspaceFolderCount", files_.workspace.empty() ? "0" : "1");
  (void)registry_.set_context("workbenchState",
                              files_.workspace.empty() ? "\"empty\"" : "\"folder\"");
  for (const std::string& key : context_keys_)
    if (!settings.config.contains(key)) (void)registry_.set_context(key, "");
  context_keys_.clear();
  for (const auto& [key, value] : settings.config) {
    (void)registry_.set_context(key, value);
    context_keys_.push_back(key);
  }
}

}  // namespace toolgate
