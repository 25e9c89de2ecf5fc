#include "builtin/list_code_usages.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "async/offload.h"
#include "builtin/code_search.h"
#include "builtin/name_line.h"
#include "builtin/tool_input.h"
#include "invoke/visible_text.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

// One name may be several symbols: so many are followed, from so many places in the text.
constexpr std::size_t kMostFollowed = 5;
constexpr std::size_t kMostPlacesAsked = 16;

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "symbolName": {"type": "string", "description": "The name of a function, class, method, variable …; Shape::area or Shape.area says which."},
    "filePaths": {
      "type": "array",
      "items": {"type": "string"},
      "description": "Files in which the symbol is likely to be found. Optional; makes it faster and more certain."
    }
  },
  "required": ["symbolName"]
})";

struct Usages {
  std::set<LspLocation> definitions;
  std::set<LspLocation> references;
  std::set<LspLocation> implementations;
  NameFit fit = NameFit::Declared;  // of what was followed
};

struct FoundUsages {
  Usages usages;
  std::vector<std::string> notes;
  bool has_files = false;  // some file has the name in it
};

// Follows the symbols that the name stands for in the files, as the server sees them.
class UsageSearch {
 public:
  UsageSearch(LanguageServer& server, const SymbolName& name, const Cancel& cancel)
      : server_(server), name_(name), cancel_(cancel) {}

  Task<Result<Usages>> search(const std::vector<std::string>& paths) {
    if (auto shown = co_await show_files(server_, paths, cancel_); !shown)
      co_return std::unexpected(shown.error());
    const auto places = co_await find_occurrences(server_, name_, paths, cancel_);
    if (!places) co_return std::unexpected(places.error());
    std::size_t asked = 0;
    std::size_t followed = 0;
    for (const Occurrence& place : *places) {
      if (asked == kMostPlacesAsked || followed == kMostFollowed) break;
      if (followed > 0 && place.fit > usages_.fit) break;  // the better ones were meant
      if (is_known(place)) continue;
      ++asked;
      const auto is_symbol = co_await follow(place);
      if (!is_symbol) co_return std::unexpected(is_symbol.error());
      if (!*is_symbol) continue;
      ++followed;
      usages_.fit = place.fit;
    }
    co_return std::move(usages_);
  }

 private:
  bool is_known(const Occurrence& place) const {
    return std::ranges::any_of(usages_.references, [&](const LspLocation& each) {
      return covers(each, place.path, place.position);
    });
  }

  // Whether there is a symbol at all: a word in a comment is none.
  Task<Result<bool>> follow(const Occurrence& place) {
    const auto definitions = co_await locate("textDocument/definition", place);
    if (!definitions) co_return std::unexpected(definitions.error());
    const auto references = co_await locate("textDocument/references", place);
    if (!references) co_return std::unexpected(references.error());
    if (!are_of(place, *definitions, *references)) co_return false;
    const auto implementations = co_await locate("textDocument/implementation", place);
    if (!implementations) co_return std::unexpected(implementations.error());
    usages_.references.insert(references->begin(), references->end());
    add_definitions(*definitions, *implementations);
    co_return true;
  }

  // The name of a file, as in an import, leads to that file, and to the whole text of such imports:
  // then what is found is not about the word. A sign may belong to a name, as in $area.
  static bool are_of(const Occurrence& place, const std::vector<LspLocation>& definitions,
                     const std::vector<LspLocation>& references) {
    if (references.empty()) return !definitions.empty();
    return std::ranges::any_of(references, [&](const LspLocation& each) {
      return covers(each, place.path, place.position) &&
             each.range.start.line == place.position.line &&
             place.position.character - each.range.start.character <= 1;
    });
  }

  // Asked for the definition of what has none, clangd gives what overrides it too.
  void add_definitions(const std::vector<LspLocation>& definitions,
                       const std::vector<LspLocation>& implementations) {
    std::set<LspLocation> own(definitions.begin(), definitions.end());
    std::set<LspLocation> others(implementations.begin(), implementations.end());
    const auto is_other = [&](const LspLocation& each) { return others.contains(each); };
    if (std::ranges::all_of(own, is_other))
      std::erase_if(others, [&](const LspLocation& each) { return own.contains(each); });
    else
      std::erase_if(own, is_other);
    usages_.definitions.merge(own);
    usages_.implementations.merge(others);
  }

  Task<Result<std::vector<LspLocation>>> locate(std::string method, const Occurrence& place) {
    return server_.locate(std::move(method), place.path, place.position, cancel_);
  }

  LanguageServer& server_;
  const SymbolName& name_;
  const Cancel& cancel_;
  Usages usages_;
};

// Servers remember what was in files that have gone.
bool is_gone(const Workspace& workspace, const LspLocation& location) {
  const auto file = workspace.open(location.path, O_PATH);
  return !file && file.error().code == Errc::NotFound;
}

Task<Result<FoundUsages>> find_usages(LanguageServers& servers, const CodeSettings& settings,
                                      const SymbolName& name, const std::vector<std::string>& given,
                                      const Cancel& cancel) {
  auto preferred = co_await real_paths_of(*settings.workspace, given, cancel);
  if (!preferred) co_return std::unexpected(preferred.error());
  const auto sources = co_await find_sources(settings, name.word, true, *preferred, cancel);
  if (!sources) co_return std::unexpected(sources.error());
  FoundUsages found;
  std::optional<Error> first_error;
  std::size_t failed = 0;
  for (const LanguageFiles& files : sources->languages) {
    found.has_files = true;
    std::vector<std::string> not_shown;
    const auto work = [&](LanguageServer& server) -> Task<Result<Usages>> {
      not_shown.clear();
      for (const std::string& path : *preferred) {
        if (find_language(settings.languages, path) != files.language) continue;
        const auto opened = co_await server.open(path, cancel);
        if (!opened) not_shown.push_back(opened.error().message);
      }
      UsageSearch search(server, name, cancel);
      co_return co_await search.search(files.paths);
    };
    auto usages = co_await servers.ask(settings, *files.language, work, cancel);
    if (cancel.requested()) co_return fail(Errc::Cancelled, "the request was cancelled");
    if (!usages) {
      ++failed;
      found.notes.push_back(usages.error().message);
      if (!first_error) first_error = usages.error();
      continue;
    }
    std::ranges::move(not_shown, std::back_inserter(found.notes));
    if (!name.qualifier.empty() && usages->fit == NameFit::Word)
      found.notes.push_back(fmt::format("no {} was found in {}, so these are usages of every {}",
                                        visible_text(name.whole, false), files.language->name,
                                        visible_text(name.word, false)));
    found.usages.definitions.merge(usages->definitions);
    found.usages.references.merge(usages->references);
    found.usages.implementations.merge(usages->implementations);
  }
  if (first_error && failed == sources->languages.size()) co_return std::unexpected(*first_error);
  const auto forget_gone = [&]() -> Result<void> {
    for (auto* places :
         {&found.usages.definitions, &found.usages.references, &found.usages.implementations})
      std::erase_if(*places, [&](const LspLocation& location) {
        return is_gone(*settings.workspace, location);
      });
    return {};
  };
  if (auto done = co_await offload(forget_gone, cancel); !done)
    co_return std::unexpected(done.error());
  if (!sources->too_long.empty())
    found.notes.push_back(describe_too_long(*settings.workspace, sources->too_long) +
                          ", so usages may be missing: look there with a text search");
  if (!sources->is_complete)
    found.notes.push_back(
        "more files have this name in them than were looked at, so usages may be missing; "
        "filePaths says where to look");
  co_return found;
}

class UsageReport {
 public:
  explicit UsageReport(const Workspace& workspace) : lines_(workspace) {}

  std::string write(const FoundUsages& found, const SymbolName& name) {
    add("definition", found.usages.definitions);
    add("reference", found.usages.references);
    add("implementation", found.usages.implementations);
    if (text_.empty()) text_ = nothing_found(found, name);
    for (const std::string& note : found.notes) text_ += fmt::format("[{}]\n", note);
    return std::move(text_);
  }

 private:
  static std::string nothing_found(const FoundUsages& found, const SymbolName& name) {
    const std::string shown = visible_text(name.word, false);
    return found.has_files
               ? fmt::format("'{}' stands in files, but is no symbol there.\n", shown)
               : fmt::format("No source file of a known language has '{}' in it.\n", shown);
  }

  void add(std::string_view what, const std::set<LspLocation>& locations) {
    if (locations.empty()) return;
    text_ += fmt::format("{} {}{}:\n", locations.size(), what, locations.size() == 1 ? "" : "s");
    std::size_t shown = 0;
    for (const LspLocation& location : locations) {
      if (++shown > kMostLinesOfResult) {
        text_ += fmt::format("[{} more are not shown]\n", locations.size() - kMostLinesOfResult);
        break;
      }
      text_ += lines_.describe(location) + "\n";
    }
  }

  CodeLines lines_;
  std::string text_;
};

class ListCodeUsages final : public Tool {
 public:
  explicit ListCodeUsages(Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const ToolInput input(call.input);
    const auto name = parse_symbol_name(input.text("symbolName"));
    if (!name) co_return std::unexpected(name.error());
    const auto given = input.texts("filePaths").value_or(std::vector<std::string>());
    const auto settings = workbench_.settings();
    LanguageServers& servers = workbench_.language_servers();
    const auto work = [&](const Cancel& there) {
      return find_usages(servers, *settings->code, *name, given, there);
    };
    const auto found = co_await servers.run(work, cancel);
    if (!found) co_return std::unexpected(found.error());
    const auto write = [&]() -> Result<ToolResult> {
      ToolResult result = text_result(UsageReport(*settings->workspace).write(*found, *name));
      const std::size_t count = found->usages.references.size();
      result.message =
          fmt::format("Looked for usages of {}: {} found", visible_text(name->whole, false), count);
      return result;
    };
    co_return co_await offload(write, cancel);
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const std::string name = name_on_one_line(ToolInput(call.input).text("symbolName"));
    co_return PreparedCall{.invocation_message = "Looking for usages of " + name,
                           .past_tense_message = "Looked for usages of " + name};
  }

 private:
  Workbench& workbench_;
};

}  // namespace

ToolData list_code_usages_data() {
  return {.id = "list_code_usages",
          .reference_name = "usages",
          .display_name = "Usages",
          .user_description = "Find where a symbol is defined, used and implemented",
          .model_description =
              "Lists where a function, class, method, variable or type is defined, used and "
              "implemented, each as file:line:column with its line. Unlike a text search it knows "
              "one symbol from another of the same name, and leaves comments out. Use it before "
              "you change something that others use. It knows C, C++, TypeScript, JavaScript and "
              "Python where their language servers are installed.",
          .input_schema = std::string(kSchema),
          .tags = {"vscode_codesearch"},
          .icon = "$(references)",
          .is_read_only = true};
}

std::shared_ptr<Tool> make_list_code_usages(const BuiltinSurroundings& around) {
  return std::make_shared<ListCodeUsages>(around.workbench);
}

}  // namespace toolgate
