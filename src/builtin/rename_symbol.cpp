#include "builtin/rename_symbol.h"

#include <algorithm>

#include "async/offload.h"
#include "base/utf8.h"
#include "builtin/code_search.h"
#include "builtin/file_bytes.h"
#include "builtin/text_edits.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostRenamedFiles = 1'000;
constexpr std::size_t kMostPlacesAsked = 16;

Result<RenamedFile> edit_file(const Workspace& workspace, const std::string& path,
                              std::vector<LspTextEdit> edits) {
  auto file = workspace.open_file(path);
  if (!file) return std::unexpected(file.error());
  const std::string shown = visible_text(workspace.shown(path), false);
  auto before = read_whole_file(file->descriptor.get(), LanguageServer::kMostDocumentBytes, shown);
  if (!before) return std::unexpected(before.error());
  if (!is_valid_utf8(*before))
    return fail(Errc::InvalidRequest, "{} is not UTF-8, so nothing in it is renamed", shown);
  auto after = apply_text_edits(*before, std::move(edits));
  if (!after)
    return fail(after.error().code, "the language server's edits of {} make no sense: {}", shown,
                after.error().message);
  return RenamedFile{file->path, std::move(*before), std::move(*after)};
}

Result<std::vector<RenamedFile>> edit_files(const Workspace& workspace, const json::value& answer) {
  auto edits = read_workspace_edit(answer);
  if (!edits) return std::unexpected(edits.error());
  if (edits->size() > kMostRenamedFiles)
    return fail(Errc::TooLarge, "the rename changes {} files, where {} are the most", edits->size(),
                kMostRenamedFiles);
  std::vector<RenamedFile> files;
  for (auto& [path, list] : *edits) {
    auto file = edit_file(workspace, path, std::move(list));
    if (!file) return std::unexpected(file.error());
    if (file->before != file->after) files.push_back(std::move(*file));
  }
  return files;
}

// The places in the file that the request may mean.
Result<std::vector<Occurrence>> choose(const std::vector<Occurrence>& all,
                                       const RenameRequest& request, const Workspace& workspace) {
  std::vector<Occurrence> chosen;
  CodeLines lines(workspace);
  for (const Occurrence& each : all) {
    if (request.line && each.position.line + 1 != *request.line) continue;
    const LspLocation location{each.path, {each.position, each.position}};
    if (!request.line_content.empty() && !lines.whole_line(location).contains(request.line_content))
      continue;
    chosen.push_back(each);
  }
  if (chosen.empty())
    return fail(Errc::NotFound, "'{}' does not stand {} {}", visible_text(request.symbol, false),
                request.line                   ? fmt::format("in line {} of", *request.line)
                : request.line_content.empty() ? "in"
                                               : "in such a line of",
                workspace.name_of(request.file));
  return chosen;
}

class SymbolRename {
 public:
  SymbolRename(LanguageServer& server, const RenameRequest& request, const SymbolName& name,
               const Cancel& cancel)
      : server_(server), request_(request), name_(name), cancel_(cancel) {}

  Task<Result<std::vector<RenamedFile>>> rename(const std::string& path,
                                                const std::vector<std::string>& shown) {
    if (auto done = co_await show_files(server_, shown, cancel_); !done)
      co_return std::unexpected(done.error());
    // Of the others some may have gone, or be too long; without this one there is nothing to ask.
    if (auto opened = co_await server_.open(path, cancel_); !opened)
      co_return std::unexpected(opened.error());
    const Workspace& workspace = server_.workspace();
    const auto all = co_await find_occurrences(server_, name_, {path}, cancel_);
    if (!all) co_return std::unexpected(all.error());
    const auto choosing = [&] { return choose(*all, request_, workspace); };
    const auto places = co_await offload(choosing, cancel_);
    if (!places) co_return std::unexpected(places.error());
    const auto answer = co_await ask(*places);
    if (!answer) co_return std::unexpected(answer.error());
    const auto editing = [&] { return edit_files(workspace, *answer); };
    auto files = co_await offload(editing, cancel_);
    if (files && files->empty())
      co_return fail(Errc::NotFound, "nothing is renamed: '{}' is no symbol there",
                     visible_text(request_.symbol, false));
    co_return files;
  }

 private:
  // The first place that the server takes for a symbol: the word may also stand in a comment.
  Task<Result<json::value>> ask(const std::vector<Occurrence>& places) {
    Result<json::value> answer = json::value();
    std::size_t asked = 0;
    for (const Occurrence& place : places) {
      if (++asked > kMostPlacesAsked) break;
      answer = co_await server_.rename(place.path, place.position, request_.new_name, cancel_);
      if (answer ? !answer->is_null() : answer.error().code != Errc::InvalidRequest) break;
    }
    co_return answer;
  }

  LanguageServer& server_;
  const RenameRequest& request_;
  const SymbolName& name_;
  const Cancel& cancel_;
};

Task<Result<std::vector<RenamedFile>>> rename_there(LanguageServers& servers,
                                                    const CodeSettings& settings,
                                                    const RenameRequest& request,
                                                    const SymbolName& name, const Cancel& cancel) {
  const auto paths = co_await real_paths_of(*settings.workspace, {request.file}, cancel);
  if (!paths) co_return std::unexpected(paths.error());
  const std::string& path = paths->front();
  const Language* language = find_language(settings.languages, path);
  if (!language)
    co_return fail(Errc::InvalidRequest, "no language server is known for {}",
                   settings.workspace->name_of(request.file));
  const auto sources = co_await find_sources(settings, name.word, true, *paths, cancel);
  if (!sources) co_return std::unexpected(sources.error());
  const auto files = std::ranges::find(sources->languages, language, &LanguageFiles::language);
  if (!sources->is_complete)
    co_return fail(Errc::TooLarge,
                   "'{}' stands in more files than a language server is shown ({}), so some would "
                   "be left as they are; change them with a text search and edits",
                   visible_text(request.symbol, false), kMostFilesShown);
  auto too_long = sources->too_long;
  std::erase_if(too_long, [&](const std::string& each) {
    return find_language(settings.languages, each) != language;
  });
  if (!too_long.empty())
    co_return fail(Errc::TooLarge,
                   "{}, so the old name would stay there; change all with a text search and edits",
                   describe_too_long(*settings.workspace, too_long));
  const auto work = [&](LanguageServer& server) -> Task<Result<std::vector<RenamedFile>>> {
    SymbolRename rename(server, request, name, cancel);
    co_return co_await rename.rename(path, files->paths);
  };
  co_return co_await servers.ask(settings, *language, work, cancel);
}

}  // namespace

Task<Result<std::vector<RenamedFile>>> rename_symbol(LanguageServers& servers,
                                                     const CodeSettings& settings,
                                                     RenameRequest request, const Cancel& cancel) {
  const auto name = parse_symbol_name(request.symbol);
  if (!name) co_return std::unexpected(name.error());
  if (const auto new_name = parse_symbol_name(request.new_name);
      !new_name || !new_name->qualifier.empty())
    co_return fail(Errc::InvalidRequest, "'{}' cannot be a symbol's new name",
                   visible_text(request.new_name, false));
  const auto work = [&](const Cancel& there) {
    return rename_there(servers, settings, request, *name, there);
  };
  co_return co_await servers.run(work, cancel);
}

}  // namespace toolgate
