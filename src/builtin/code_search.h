// What the tools for code share: which files a language server has to see before it is asked, where
// a name stands in them, and how places are written. On the servers' loop.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "builtin/language_servers.h"
#include "builtin/lsp_values.h"
#include "builtin/source_files.h"
#include "builtin/text_edits.h"

namespace toolgate {

// Servers know what is open; this many files that have a name are shown to one.
inline constexpr std::size_t kMostFilesShown = 24;
inline constexpr std::size_t kMostLinesOfResult = 200;

// A name as people write it, "Shape::area" or "shape.area()", and the part that stands in the text.
struct SymbolName {
  std::string whole;
  std::string word;       // "area"
  std::string qualifier;  // "Shape", or nothing
};
// Refuses what is no name: empty, with spaces or line ends, too long.
Result<SymbolName> parse_symbol_name(std::string_view text);

struct LanguageFiles {
  const Language* language = nullptr;
  std::vector<std::string> paths;
};

struct FoundSources {
  std::vector<LanguageFiles> languages;  // those with files
  std::vector<std::string> too_long;     // files that have the text and cannot be shown
  bool is_complete = true;
};
// "a.cpp and 2 more files have this name and are too long for a language server".
std::string describe_too_long(const Workspace& workspace, std::span<const std::string> paths);

// The files that have the text, by language. Of `preferred` all that have a language, first.
Task<Result<FoundSources>> find_sources(const CodeSettings& settings, std::string text,
                                        bool whole_word, std::vector<std::string> preferred,
                                        const Cancel& cancel);

// Shows the files to the server, as they are on disk, and waits until it has read them.
Task<Result<void>> show_files(LanguageServer& server, const std::vector<std::string>& paths,
                              const Cancel& cancel);

// How well a place fits a name with a qualifier, the best first.
enum class NameFit : std::uint8_t {
  Declared,   // the server says that the qualified name is declared there
  Qualified,  // the qualifier stands before it
  Word,       // all that is known of a name without one
};
struct Occurrence {
  std::string path;
  LspPosition position;
  NameFit fit = NameFit::Word;
};
// Where the name stands in files that were shown to the server, the best fit first.
Task<Result<std::vector<Occurrence>>> find_occurrences(LanguageServer& server,
                                                       const SymbolName& name,
                                                       const std::vector<std::string>& paths,
                                                       const Cancel& cancel);

// Whether a symbol that a server calls `name`, in `container`, can be the one with this qualified
// name: "Disc::area" in "geometry" is geometry.Disc.area, Disc::area and area.
bool is_named(const LspSymbol& symbol, const SymbolName& name);

// What a model wrote as paths, as they really are; each must be a file of the workspace.
Task<Result<std::vector<std::string>>> real_paths_of(const Workspace& workspace,
                                                     std::vector<std::string> given,
                                                     const Cancel& cancel);

// "src/a.cpp:3:5: the line's text". The text of what is outside the workspace is not read.
class CodeLines {
 public:
  explicit CodeLines(const Workspace& workspace) : workspace_(workspace) {}
  // Reads files: through offload().
  std::string describe(const LspLocation& location);
  std::string text_of(const LspLocation& location);  // shortened, without what indents it
  std::string_view whole_line(const LspLocation& location);
  std::string place_of(const LspLocation& location) const;

 private:
  struct FileText {
    explicit FileText(std::string read) : text(std::move(read)), lines(text) {}
    FileText(const FileText&) = delete;
    FileText& operator=(const FileText&) = delete;
    const std::string text;
    const TextLines lines;
  };

  const Workspace& workspace_;
  std::map<std::string, FileText> texts_;
  std::size_t bytes_ = 0;
};

}  // namespace toolgate
