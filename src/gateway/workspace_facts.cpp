#include "gateway/workspace_facts.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>
#include <system_error>
#include <utility>

namespace toolgate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNames = 3'000;
constexpr std::size_t kMostOfOneFolder = 500;
constexpr int kMostLevels = 4;
constexpr int kRepositoryLevels = 2;  // as VS Code's git.repositoryScanMaxDepth has it

constexpr auto kLanguages = std::to_array<std::pair<std::string_view, std::string_view>>({
    {".bash", "shellscript"},
    {".c", "c"},
    {".cc", "cpp"},
    {".cpp", "cpp"},
    {".cs", "csharp"},
    {".css", "css"},
    {".cxx", "cpp"},
    {".dart", "dart"},
    {".ex", "elixir"},
    {".go", "go"},
    {".hpp", "cpp"},
    {".hs", "haskell"},
    {".htm", "html"},
    {".html", "html"},
    {".ipynb", "jupyter"},
    {".java", "java"},
    {".jl", "julia"},
    {".js", "javascript"},
    {".json", "json"},
    {".jsx", "javascriptreact"},
    {".kt", "kotlin"},
    {".less", "less"},
    {".lua", "lua"},
    {".m", "objective-c"},
    {".md", "markdown"},
    {".mjs", "javascript"},
    {".php", "php"},
    {".pl", "perl"},
    {".ps1", "powershell"},
    {".py", "python"},
    {".r", "r"},
    {".rb", "ruby"},
    {".rs", "rust"},
    {".scala", "scala"},
    {".scss", "scss"},
    {".sh", "shellscript"},
    {".sql", "sql"},
    {".swift", "swift"},
    {".ts", "typescript"},
    {".tsx", "typescriptreact"},
    {".vue", "vue"},
    {".xml", "xml"},
    {".yaml", "yaml"},
    {".yml", "yaml"},
    {".zig", "zig"},
});
static_assert(std::ranges::is_sorted(kLanguages));

// Full of what others wrote, or of what was made from the rest.
constexpr std::array<std::string_view, 6> kPassedOver{"node_modules", "vendor", "third_party",
                                                      "build",        "dist",   "target"};

void note_language(const fs::path& file, std::set<std::string>& languages) {
  const std::string ending = file.extension().string();
  const auto found = std::ranges::lower_bound(kLanguages, std::string_view(ending), {},
                                              &decltype(kLanguages)::value_type::first);
  if (found != kLanguages.end() && found->first == ending) languages.emplace(found->second);
}

bool is_passed_over(const std::string& name) {
  return name.starts_with('.') || std::ranges::find(kPassedOver, name) != kPassedOver.end();
}

}  // namespace

// Breadth first: the first levels say most.
WorkspaceFacts look_at_workspace(const fs::path& folder) {
  WorkspaceFacts facts;
  std::error_code error;
  std::size_t names = 0;
  std::deque<std::pair<fs::path, int>> waiting{{folder, 1}};
  while (!waiting.empty() && names < kMostNames) {
    const auto [place, level] = std::move(waiting.front());
    waiting.pop_front();
    if (level <= kRepositoryLevels && fs::exists(place / ".git", error)) ++facts.git_repositories;
    error.clear();
    std::size_t here = 0;
    for (fs::directory_iterator entry(place, error), end;
         !error && entry != end && here < kMostOfOneFolder && names < kMostNames;
         entry.increment(error), ++here, ++names) {
      const auto kind = entry->symlink_status(error).type();
      if (kind == fs::file_type::regular)
        note_language(entry->path(), facts.languages);
      else if (kind == fs::file_type::directory && level < kMostLevels &&
               !is_passed_over(entry->path().filename().string()))
        waiting.emplace_back(entry->path(), level + 1);
    }
    error.clear();
  }
  return facts;
}

}  // namespace toolgate
