#include "gateway/tool_catalog.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "base/json.h"
#include "gateway/workspace_facts.h"
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

// The error says why it cannot be read; nothing when it is not there.
Result<std::optional<std::string>> read_file(const path& file, std::size_t most) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) return std::nullopt;
  if (error) return fail(Errc::Io, "cannot be read: {}", error.message());
  // Opening a pipe would wait for whoever writes into it.
  if (!std::filesystem::is_regular_file(status)) return fail(Errc::Io, "is no regular file");
  const auto size = std::filesystem::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream) return fail(Errc::Io, "cannot be read");
  if (size > most) return fail(Errc::TooLarge, "has {} bytes, at most {} are read", size, most);
  std::string text(size, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
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
  if (!files_.profile.empty()) folders = entries_of(files_.profile / "extensions");
  folders.insert(folders.end(), files_.extensions.begin(), files_.extensions.end());
  return folders;
}

std::vector<path> ToolCatalog::tool_set_files() const {
  std::vector<path> files;
  const auto add = [&](const path& folder) {
    for (path& entry : entries_of(folder))
      if (entry.filename().string().ends_with(kToolSetFileSuffix))
        files.push_back(std::move(entry));
  };
  if (!files_.profile.empty()) add(files_.profile);
  if (!files_.workspace.empty()) add(files_.workspace / ".toolgate");
  files.insert(files.end(), files_.tool_sets.begin(), files_.tool_sets.end());
  return files;
}

void ToolCatalog::note_left_out(std::vector<FileText>& texts, std::size_t most,
                                std::string_view what) {
  if (texts.size() <= most) return;
  problems_.push_back({std::string(what),
                       fmt::format("{} {} are more than {}: those from {} on do not count",
                                   texts.size(), what, most, texts[most].path.string()),
                       "remove some"});
  texts.resize(most);
}

// When one is another, all are read again: who comes first has the names, and the order of tools is
// that of a fresh start.
void ToolCatalog::update(std::vector<Source>& sources, std::vector<FileText> texts,
                         Source (ToolCatalog::*read)(const FileText&)) {
  const auto is_same = [](const Source& source, const FileText& text) {
    return source.file.path == text.path && source.file.text == text.text;
  };
  if (!std::ranges::equal(sources, texts, is_same)) {
    sources.clear();
    for (FileText& text : texts) {
      sources.push_back((this->*read)(text));
      sources.back().file = std::move(text);
    }
  }
  for (const Source& source : sources)
    problems_.insert(problems_.end(), source.problems.begin(), source.problems.end());
}

void ToolCatalog::load_extensions() {
  std::vector<FileText> texts;
  for (path& folder : extension_folders()) {
    const path file = folder / "package.json";
    auto package = read_file(file, kMaxManifestBytes);
    const bool given = std::ranges::find(files_.extensions, folder) != files_.extensions.end();
    if (package && !*package && !given) continue;  // no extension: something else lies there
    if (!package || !*package) {
      problems_.push_back(problem_of_file(file, package ? "is not there" : package.error().message,
                                          "give the folder of an unpacked VS Code extension"));
      continue;
    }
    auto names = read_file(folder / "package.nls.json", kMaxManifestBytes);
    if (!names)
      problems_.push_back(problem_of_file(folder / "package.nls.json", names.error().message));
    // Both files in one text, so that a change of either is noticed.
    **package += '\0';
    if (names && *names) **package += **names;
    texts.push_back({std::move(folder), std::move(**package)});
  }
  note_left_out(texts, kMostExtensions, "extensions");
  update(extensions_, std::move(texts), &ToolCatalog::read_extension);
}

ToolCatalog::Source ToolCatalog::read_extension(const FileText& file) {
  Source source;
  const std::string_view text = file.text;
  const std::size_t border = text.find('\0');
  ManifestOptions options;
  options.root = file.path.string();
  auto manifest = read_manifest(text.substr(0, border), text.substr(border + 1), options);
  const auto note = [&](const std::vector<ManifestFault>& faults) {
    for (const ManifestFault& fault : faults)
      source.problems.push_back(
          problem_of_file(file.path / "package.json", fault.message, fault.advice));
  };
  note(manifest.faults);
  auto registered = register_manifest(registry_, std::move(manifest));
  note(registered.faults);
  source.registrations = std::move(registered.registrations);
  return source;
}

void ToolCatalog::load_tool_sets() {
  std::vector<FileText> texts;
  for (path& file : tool_set_files()) {
    auto text = read_file(file, ToolSetFileLimits{}.bytes);
    if (text && *text)
      texts.push_back({std::move(file), std::move(**text)});
    else
      problems_.push_back(problem_of_file(file, text ? "is not there" : text.error().message));
  }
  note_left_out(texts, kMostToolSetFiles, "tool-set files");
  update(tool_sets_, std::move(texts), &ToolCatalog::read_tool_sets);
}

ToolCatalog::Source ToolCatalog::read_tool_sets(const FileText& file) {
  Source source;
  const std::string name = file.path.string();
  auto read = read_tool_set_file(name, file.text);
  for (const ToolSetFileFault& fault : read.faults)
    source.problems.push_back(
        {name, fmt::format("{}:{}:{}: {}", name, fault.line, fault.column, fault.message), {}});
  const bool in_workspace =
      !files_.workspace.empty() && file.path.parent_path() == files_.workspace / ".toolgate";
  for (ToolSetData& set : read.sets) {
    set.is_trusted = !in_workspace;
    auto added = registry_.add_set(std::move(set));
    if (added)
      source.registrations.push_back(std::move(*added));
    else
      source.problems.push_back(problem_of_file(file.path, added.error().message));
  }
  return source;
}

// What a window of VS Code with this folder open would say.
void ToolCatalog::set_context(const Settings& settings) {
  (void)registry_.set_context("workspaceFolderCount", files_.workspace.empty() ? "0" : "1");
  (void)registry_.set_context("workbenchState",
                              files_.workspace.empty() ? "\"empty\"" : "\"folder\"");
  set_workspace_context();
  for (const std::string& key : context_keys_)
    if (!settings.config.contains(key)) (void)registry_.set_context(key, "");
  context_keys_.clear();
  for (const auto& [key, value] : settings.config) {
    (void)registry_.set_context(key, value);
    context_keys_.push_back(key);
  }
}

void ToolCatalog::set_workspace_context() {
  WorkspaceFacts facts;
  if (!files_.workspace.empty()) facts = look_at_workspace(files_.workspace);
  (void)registry_.set_context("gitOpenRepositoryCount", std::to_string(facts.git_repositories));
  for (const std::string& language : languages_)
    if (!facts.languages.contains(language))
      (void)registry_.set_context("toolgate.language." + language, "");
  for (const std::string& language : facts.languages)
    (void)registry_.set_context("toolgate.language." + language, "true");
  languages_ = std::move(facts.languages);
}

}  // namespace toolgate
