#include "builtin/languages.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>
#include <utility>

#include "builtin/below.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;

// clangd keeps no index on disk: it would lie in the workspace, and no reading tool writes there.
std::vector<Language> known_languages() {
  return {
      {.name = "cpp",
       .extensions = {".c", ".h", ".cc", ".hh", ".cpp", ".hpp", ".cxx", ".hxx", ".c++", ".h++",
                      ".ipp", ".inl", ".m", ".mm"},
       .programs = {"clangd", "clangd-21", "clangd-20", "clangd-19", "clangd-18", "clangd-17",
                    "clangd-16", "clangd-15", "clangd-14"},
       .arguments = {"--background-index=false", "-j=2", "--log=error", "--pch-storage=memory"},
       .how_to_install = "apt install clangd, or clangd-19 where there is one"},
      {.name = "typescript",
       .extensions = {".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"},
       .programs = {"typescript-language-server"},
       .arguments = {"--stdio"},
       .how_to_install = "npm install -g typescript-language-server typescript@5"},
      {.name = "python",
       .extensions = {".py", ".pyi"},
       .programs = {"pyright-langserver"},
       .arguments = {"--stdio"},
       .how_to_install = "npm install -g pyright"},
  };
}

constexpr std::pair<std::string_view, std::string_view> kLanguageIds[] = {
    {".c", "c"},
    {".m", "objective-c"},
    {".mm", "objective-cpp"},
    {".tsx", "typescriptreact"},
    {".js", "javascript"},
    {".mjs", "javascript"},
    {".cjs", "javascript"},
    {".jsx", "javascriptreact"},
};

std::string extension_of(std::string_view path) {
  return fs::path(path).extension().string();
}

std::string real_path(const fs::path& path) {
  std::error_code error;
  const auto real = fs::canonical(path, error);
  return error ? std::string() : real.string();
}

bool is_program(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// As given and free of links: either may be how a path is written.
std::vector<std::string> with_real_paths(std::span<const std::string> folders) {
  std::vector<std::string> result;
  for (const std::string& folder : folders) {
    std::string normal = fs::path(folder).lexically_normal().string();
    if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
    result.push_back(std::move(normal));
    if (auto real = real_path(folder); !real.empty()) result.push_back(std::move(real));
  }
  return result;
}

std::vector<std::string> trusted_folders(std::string_view search_path,
                                         std::span<const std::string> untrusted) {
  const auto barred = with_real_paths(untrusted);
  std::vector<std::string> folders;
  while (!search_path.empty()) {
    const std::size_t end = search_path.find(':');
    const std::string folder(search_path.substr(0, end));
    search_path.remove_prefix(end == std::string_view::npos ? search_path.size() : end + 1);
    if (!folder.starts_with('/')) continue;
    const std::string normal = fs::path(folder).lexically_normal().string();
    if (!is_below_any(normal, barred) && !is_below_any(real_path(folder), barred))
      folders.push_back(folder);
  }
  return folders;
}

bool is_typescript_server(std::string_view program) {
  return fs::path(program).filename() == "typescript-language-server";
}

// The TypeScript that was installed with the server. Otherwise it would run the workspace's.
std::string find_typescript(std::string_view program) {
  for (fs::path folder = real_path(program); folder.has_relative_path();
       folder = folder.parent_path()) {
    const fs::path library = folder.parent_path() / "typescript" / "lib";
    std::error_code error;
    if (folder.parent_path().filename() == "node_modules" &&
        fs::exists(library / "tsserver.js", error))
      return library.string();
  }
  return "";
}

}  // namespace

std::vector<Language> make_languages(std::span<const LanguageServerSetting> settings) {
  std::vector<Language> languages = known_languages();
  for (const LanguageServerSetting& setting : settings) {
    auto found = std::ranges::find(languages, setting.language, &Language::name);
    if (found == languages.end()) {
      languages.push_back({.name = setting.language,
                           .extensions = {},
                           .programs = {},
                           .arguments = {},
                           .how_to_install = "mend toolgate.languageServers"});
      found = languages.end() - 1;
    }
    found->is_on = setting.is_on;
    found->is_sandboxed = setting.is_sandboxed;
    if (!setting.extensions.empty()) found->extensions = setting.extensions;
    if (setting.command.empty()) continue;
    found->programs = {setting.command.front()};
    found->arguments.assign(setting.command.begin() + 1, setting.command.end());
    found->how_to_install = "or mend toolgate.languageServers";
  }
  return languages;
}

const Language* find_language(std::span<const Language> languages, std::string_view path) {
  const std::string extension = extension_of(path);
  // The settings' own come last and win.
  for (std::size_t i = languages.size(); i-- > 0;)
    if (std::ranges::find(languages[i].extensions, extension) != languages[i].extensions.end())
      return &languages[i];
  return nullptr;
}

std::string language_id_of(const Language& language, std::string_view path) {
  const std::string extension = extension_of(path);
  for (const auto& [known, id] : kLanguageIds)
    if (extension == known) return std::string(id);
  return language.name;
}

std::optional<std::string> find_program(std::string_view name, std::string_view search_path,
                                        std::span<const std::string> untrusted) {
  if (name.starts_with('/'))
    return is_program(std::string(name)) ? std::optional(std::string(name)) : std::nullopt;
  if (name.empty() || name.contains('/')) return std::nullopt;
  const auto barred = with_real_paths(untrusted);
  for (const std::string& folder : trusted_folders(search_path, untrusted)) {
    const std::string path = (fs::path(folder) / name).string();
    if (is_program(path) && !is_below_any(real_path(path), barred)) return path;
  }
  return std::nullopt;
}

std::string trusted_search_path(std::string_view search_path,
                                std::span<const std::string> untrusted) {
  return fmt::format("{}", fmt::join(trusted_folders(search_path, untrusted), ":"));
}

Result<std::vector<std::string>> find_command(const Language& language,
                                              std::string_view search_path,
                                              std::span<const std::string> untrusted) {
  for (const std::string& name : language.programs)
    if (auto program = find_program(name, search_path, untrusted)) {
      if (is_typescript_server(*program) && find_typescript(*program).empty())
        return fail(Errc::NotFound, "there is no typescript with a tsserver.js beside {} ({})",
                    *program, language.how_to_install);
      std::vector<std::string> command{std::move(*program)};
      command.insert(command.end(), language.arguments.begin(), language.arguments.end());
      return command;
    }
  return fail(Errc::NotFound,
              "the language server for {} is not installed: there is no {} in the "
              "PATH outside the workspace ({})",
              language.name, language.programs.empty() ? "command" : language.programs.front(),
              language.how_to_install);
}

json::value initialization_options(std::string_view program) {
  if (!is_typescript_server(program)) return json::object();
  return json::object{{"tsserver", {{"path", find_typescript(program)}}},
                      {"disableAutomaticTypingAcquisition", true}};
}

}  // namespace toolgate
