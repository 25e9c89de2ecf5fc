#include "builtin/code_search.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "async/offload.h"
#include "base/utf8.h"
#include "builtin/file_bytes.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostNameBytes = 500;
constexpr std::size_t kMostPaths = 100;
constexpr std::size_t kMostOccurrencesOfFile = 200;
constexpr std::size_t kMostLineBytes = 200;
constexpr std::size_t kMostTextsBytes = std::size_t{32} << 20;

// The last separator of a qualified name, and its length.
std::pair<std::size_t, std::size_t> find_separator(std::string_view name) {
  std::pair<std::size_t, std::size_t> last{std::string_view::npos, 0};
  for (const std::string_view separator : {"::", ".", "#", "->"}) {
    const std::size_t at = name.rfind(separator);
    if (at == std::string_view::npos || at == 0 || at + separator.size() == name.size()) continue;
    if (last.first == std::string_view::npos || at > last.first) last = {at, separator.size()};
  }
  return last;
}

// "Shape::" or "Shape." right before the word.
bool has_qualifier(std::string_view before, std::string_view qualifier) {
  if (qualifier.empty()) return false;
  for (const std::string_view separator : {"::", ".", "#", "->"})
    if (before.ends_with(separator) &&
        before.substr(0, before.size() - separator.size()).ends_with(qualifier))
      return true;
  return false;
}

std::vector<Occurrence> occurrences_in(const Workspace& workspace, const SymbolName& name,
                                       const std::string& path) {
  std::vector<Occurrence> found;
  const auto file = workspace.open_file(path);
  if (!file) return found;
  auto text = read_whole_file(file->descriptor.get(), LanguageServer::kMostDocumentBytes, path);
  if (!text) return found;
  if (!is_valid_utf8(*text)) *text = mend_utf8(*text);  // as the server has it
  const TextLines lines(*text);
  for (const std::size_t at : find_word(*text, name.word, kMostOccurrencesOfFile))
    found.push_back({path, lines.position_of(at),
                     has_qualifier(std::string_view(*text).substr(0, at), name.qualifier)
                         ? NameFit::Qualified
                         : NameFit::Word});
  return found;
}

// "geometry::Disc<int>.area" -> geometry, Disc, area. What has no name is left out.
std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  const auto add = [&](std::string_view part) {
    part = part.substr(0, part.find('<'));
    if (!part.empty() && !part.starts_with('(')) parts.push_back(part);
  };
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] == '<') ++depth;
    if (name[at] == '>') --depth;
    if (depth > 0 || !std::string_view(":.#").contains(name[at])) continue;
    add(name.substr(begin, at - begin));
    begin = at + 1;
  }
  add(name.substr(begin));
  return parts;
}

// The names in the outlines of these files that are the one looked for.
Task<Result<std::vector<LspLocation>>> find_declared(LanguageServer& server, const SymbolName& name,
                                                     const std::vector<std::string>& paths,
                                                     const Cancel& cancel) {
  std::vector<LspLocation> declared;
  for (const std::string& path : paths) {
    const auto symbols = co_await server.outline(path, cancel);
    if (!symbols && symbols.error().code == Errc::InvalidRequest) continue;  // it was not shown
    if (!symbols) co_return std::unexpected(symbols.error());
    for (const LspSymbol& symbol : *symbols)
      if (is_named(symbol, name)) declared.push_back(symbol.location);
  }
  co_return declared;
}

SourceSearch make_search(const CodeSettings& settings, std::string text, bool whole_word) {
  SourceSearch search{.text = std::move(text), .whole_word = whole_word};
  for (const Language& language : settings.languages)
    if (language.is_on)
      std::ranges::copy(language.extensions, std::back_inserter(search.extensions));
  return search;
}

void add_file(const CodeSettings& settings, const std::string& path, FoundSources& found) {
  const Language* language = find_language(settings.languages, path);
  if (!language) return;
  auto place = std::ranges::find(found.languages, language, &LanguageFiles::language);
  if (place == found.languages.end()) {
    found.languages.push_back({language, {}});
    place = found.languages.end() - 1;
  }
  if (std::ranges::find(place->paths, path) != place->paths.end()) return;
  if (place->paths.size() == kMostFilesShown)
    found.is_complete = false;
  else
    place->paths.push_back(path);
}

}  // namespace

Result<SymbolName> parse_symbol_name(std::string_view text) {
  while (text.ends_with("()")) text.remove_suffix(2);
  const bool is_odd =
      std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  if (text.empty() || text.size() > kMostNameBytes || is_odd)
    return fail(Errc::InvalidRequest,
                "the name of a symbol has no spaces and between 1 and {} bytes, such as area or "
                "Shape::area",
                kMostNameBytes);
  SymbolName name{.whole = std::string(text), .word = std::string(text), .qualifier = {}};
  if (const auto [at, size] = find_separator(text); at != std::string_view::npos) {
    name.word = text.substr(at + size);
    name.qualifier = text.substr(0, at);
  }
  return name;
}

Task<Result<FoundSources>> find_sources(const CodeSettings& settings, std::string text,
                                        bool whole_word, std::vector<std::string> preferred,
                                        const Cancel& cancel) {
  const SourceSearch search = make_search(settings, std::move(text), whole_word);
  std::atomic<bool> stop = false;
  const CancelHook hook(cancel, [&stop](CancelReason) { stop = true; });
  const auto work = [&]() -> Result<SourceFiles> {
    const Workspace& workspace = *settings.workspace;
    if (const auto there = workspace.open(workspace.folder(), O_PATH); !there)
      return std::unexpected(there.error());
    return find_source_files(workspace, search, stop);
  };
  const auto files = co_await offload(work, cancel);
  if (!files) co_return std::unexpected(files.error());
  if (cancel.requested()) co_return fail(Errc::Cancelled, "the request was cancelled");
  FoundSources found{.languages = {}, .too_long = {}, .is_complete = files->is_complete};
  for (const std::string& path : preferred) add_file(settings, path, found);
  for (const std::string& path : files->paths) add_file(settings, path, found);
  std::ranges::copy_if(files->too_long, std::back_inserter(found.too_long),
                       [&](const std::string& path) {
                         return std::ranges::find(preferred, path) == preferred.end();
                       });
  co_return found;
}

std::string describe_too_long(const Workspace& workspace, std::span<const std::string> paths) {
  std::string text = workspace.name_of(paths.front());
  if (paths.size() == 2) text += " and another file";
  if (paths.size() > 2) text += fmt::format(" and {} more files", paths.size() - 1);
  return text + (paths.size() == 1 ? " has this name and is" : " have this name and are") +
         " too long for a language server";
}

Task<Result<void>> show_files(LanguageServer& server, const std::vector<std::string>& paths,
                              const Cancel& cancel) {
  if (auto done = co_await server.refresh(cancel); !done) co_return done;
  std::size_t shown = 0;
  Result<void> last;
  for (const std::string& path : paths) {
    auto opened = co_await server.open(path, cancel);
    if (opened) ++shown;
    if (!opened && opened.error().code == Errc::Cancelled) co_return opened;
    if (!opened) last = std::move(opened);  // it has just gone, or is too long
  }
  if (shown == 0 && !last) co_return last;
  co_return co_await server.settle(cancel);
}

bool is_named(const LspSymbol& symbol, const SymbolName& name) {
  const std::string known =
      symbol.container.empty() ? symbol.name : symbol.container + "::" + symbol.name;
  const auto have = parts_of(known);
  auto want = parts_of(name.qualifier);
  want.push_back(name.word);
  return want.size() <= have.size() && std::ranges::equal(want, std::span(have).last(want.size()));
}

Task<Result<std::vector<Occurrence>>> find_occurrences(LanguageServer& server,
                                                       const SymbolName& name,
                                                       const std::vector<std::string>& paths,
                                                       const Cancel& cancel) {
  std::vector<LspLocation> declared;
  if (!name.qualifier.empty()) {
    auto found = co_await find_declared(server, name, paths, cancel);
    if (!found) co_return std::unexpected(found.error());
    declared = std::move(*found);
  }
  const auto work = [&]() -> Result<std::vector<Occurrence>> {
    std::vector<Occurrence> all;
    for (const std::string& path : paths)
      std::ranges::move(occurrences_in(server.workspace(), name, path), std::back_inserter(all));
    for (Occurrence& each : all)
      if (std::ranges::any_of(declared, [&](const LspLocation& location) {
            return covers(location, each.path, each.position);
          }))
        each.fit = NameFit::Declared;
    std::vector<Occurrence> sorted;
    for (const NameFit fit : {NameFit::Declared, NameFit::Qualified, NameFit::Word})
      std::ranges::copy_if(all, std::back_inserter(sorted),
                           [fit](const Occurrence& each) { return each.fit == fit; });
    return sorted;
  };
  co_return co_await offload(work, cancel);
}

Task<Result<std::vector<std::string>>> real_paths_of(const Workspace& workspace,
                                                     std::vector<std::string> given,
                                                     const Cancel& cancel) {
  const auto work = [&]() -> Result<std::vector<std::string>> {
    if (given.size() > kMostPaths)
      return fail(Errc::InvalidRequest, "filePaths names {} files, where {} are the most",
                  given.size(), kMostPaths);
    std::vector<std::string> paths;
    for (const std::string& path : given) {
      auto file = workspace.open_file(path);
      if (!file) return std::unexpected(file.error());
      paths.push_back(std::move(file->path));
    }
    return paths;
  };
  co_return co_await offload(work, cancel);
}

std::string CodeLines::place_of(const LspLocation& location) const {
  return fmt::format("{}:{}:{}", visible_text(workspace_.shown(location.path), false),
                     std::uint64_t{location.range.start.line} + 1,
                     std::uint64_t{location.range.start.character} + 1);
}

std::string_view CodeLines::whole_line(const LspLocation& location) {
  auto entry = texts_.find(location.path);
  if (entry == texts_.end()) {
    std::string text;
    if (bytes_ < kMostTextsBytes)
      if (const auto file = workspace_.open_file(location.path))
        text = read_whole_file(file->descriptor.get(), LanguageServer::kMostDocumentBytes, "")
                   .value_or("");
    bytes_ += text.size();
    entry = texts_.try_emplace(location.path, std::move(text)).first;
  }
  return entry->second.lines.line(location.range.start.line);
}

std::string CodeLines::text_of(const LspLocation& location) {
  std::string_view line = whole_line(location);
  while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
  constexpr std::size_t kMostCharacterBytes = 4;
  // As the server has it. Else a byte at the end would look like a character that is cut.
  const std::string mended = mend_utf8(line.substr(0, kMostLineBytes + kMostCharacterBytes));
  const std::string_view beginning = first_characters(mended, kMostLineBytes);
  return visible_text(beginning, false) + (beginning.size() < mended.size() ? "…" : "");
}

std::string CodeLines::describe(const LspLocation& location) {
  const std::string text = text_of(location);
  return text.empty() ? place_of(location) : fmt::format("{}: {}", place_of(location), text);
}

}  // namespace toolgate
