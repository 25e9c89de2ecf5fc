#include "builtin/search_workspace_symbols.h"

#include <algorithm>
#include <iterator>

#include "async/offload.h"
#include "base/ascii.h"
#include "builtin/code_search.h"
#include "builtin/name_line.h"
#include "builtin/tool_input.h"
#include "invoke/visible_text.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "symbolName": {"type": "string", "description": "The name, or a part of it: a function, class, method, variable, type …"}
  },
  "required": ["symbolName"]
})";

struct FoundSymbols {
  std::vector<LspSymbol> symbols;
  std::vector<std::string> notes;  // what was not looked at, and why
};

bool is_in_workspace(const Workspace& workspace, const LspSymbol& symbol) {
  return workspace.check(symbol.location.path, symbol.location.path).has_value();
}

Task<Result<FoundSymbols>> find_all_symbols(LanguageServers& servers, const CodeSettings& settings,
                                            const SymbolName& name, const Cancel& cancel) {
  const auto sources = co_await find_sources(settings, name.word, false, {}, cancel);
  if (!sources) co_return std::unexpected(sources.error());
  FoundSymbols found;
  std::optional<Error> first_error;
  for (const LanguageFiles& files : sources->languages) {
    const auto work = [&](LanguageServer& server) -> Task<Result<std::vector<LspSymbol>>> {
      if (auto shown = co_await show_files(server, files.paths, cancel); !shown)
        co_return std::unexpected(shown.error());
      co_return co_await server.find_symbols(name.word, cancel);
    };
    auto symbols = co_await servers.ask(settings, *files.language, work, cancel);
    if (cancel.requested()) co_return fail(Errc::Cancelled, "the request was cancelled");
    if (!symbols) {
      found.notes.push_back(symbols.error().message);
      if (!first_error) first_error = symbols.error();
      continue;
    }
    std::erase_if(*symbols, [&](const LspSymbol& symbol) {
      return !is_in_workspace(*settings.workspace, symbol);
    });
    std::ranges::move(*symbols, std::back_inserter(found.symbols));
  }
  if (found.notes.size() == sources->languages.size() && first_error)
    co_return std::unexpected(*first_error);
  if (!sources->too_long.empty())
    found.notes.push_back(describe_too_long(*settings.workspace, sources->too_long));
  if (!sources->is_complete)
    found.notes.push_back(
        "more files have this text than were looked at: a longer name finds more");
  co_return found;
}

// Exact names first, then those that begin with it; each where its server had it.
void sort_by_name(std::vector<LspSymbol>& symbols, const SymbolName& name) {
  const auto rank = [&](const LspSymbol& symbol) {
    if (symbol.name == name.word) return 0;
    if (equal_ignoring_case(symbol.name, name.word)) return 1;
    return symbol.name.starts_with(name.word) ? 2 : 3;
  };
  std::vector<LspSymbol> sorted;
  for (int wanted = 0; wanted <= 3; ++wanted)
    std::ranges::copy_if(symbols, std::back_inserter(sorted),
                         [&](const LspSymbol& symbol) { return rank(symbol) == wanted; });
  symbols = std::move(sorted);
}

std::string describe(const Workspace& workspace, const FoundSymbols& found,
                     const SymbolName& name) {
  std::string text;
  CodeLines lines(workspace);
  for (const LspSymbol& symbol : found.symbols) {
    if (&symbol - found.symbols.data() == kMostLinesOfResult) {
      text += fmt::format("[{} more are not shown]\n", found.symbols.size() - kMostLinesOfResult);
      break;
    }
    const std::string container =
        symbol.container.empty() ? ""
                                 : fmt::format(" in {}", visible_text(symbol.container, false));
    text +=
        fmt::format("{} {}{}: {}\n", name_of_symbol_kind(symbol.kind),
                    visible_text(symbol.name, false), container, lines.describe(symbol.location));
  }
  if (text.empty())
    text = fmt::format("No symbol has '{}' in its name.\n", visible_text(name.word, false));
  for (const std::string& note : found.notes) text += fmt::format("[{}]\n", note);
  return text;
}

class SearchWorkspaceSymbols final : public Tool {
 public:
  explicit SearchWorkspaceSymbols(Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const auto name = parse_symbol_name(ToolInput(call.input).text("symbolName"));
    if (!name) co_return std::unexpected(name.error());
    const auto settings = workbench_.settings();
    LanguageServers& servers = workbench_.language_servers();
    const auto work = [&](const Cancel& there) {
      return find_all_symbols(servers, *settings->code, *name, there);
    };
    auto found = co_await servers.run(work, cancel);
    if (!found) co_return std::unexpected(found.error());
    sort_by_name(found->symbols, *name);
    const auto write = [&]() -> Result<ToolResult> {
      ToolResult result = text_result(describe(*settings->workspace, *found, *name));
      result.message = fmt::format("Searched for symbols named {}: {} found",
                                   visible_text(name->whole, false), found->symbols.size());
      return result;
    };
    co_return co_await offload(write, cancel);
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const std::string name = name_on_one_line(ToolInput(call.input).text("symbolName"));
    co_return PreparedCall{.invocation_message = "Searching for symbols named " + name,
                           .past_tense_message = "Searched for symbols named " + name};
  }

 private:
  Workbench& workbench_;
};

}  // namespace

ToolData search_workspace_symbols_data() {
  return {.id = "search_workspace_symbols",
          .reference_name = "symbols",
          .display_name = "Workspace Symbols",
          .user_description = "Find functions, classes and other symbols by name",
          .model_description =
              "Finds functions, classes, variables and other symbols of the workspace by name or a "
              "part of one, each as file:line:column with its kind. Use it when you know what "
              "something is called but not where it is; for text in general use a text search.",
          .input_schema = std::string(kSchema),
          .tags = {"vscode_codesearch"},
          .icon = "$(symbol)",
          .is_read_only = true};
}

std::shared_ptr<Tool> make_search_workspace_symbols(const BuiltinSurroundings& around) {
  return std::make_shared<SearchWorkspaceSymbols>(around.workbench);
}

}  // namespace toolgate
