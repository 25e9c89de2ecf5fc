// What language servers say, read from their JSON with suspicion: places, problems, symbols and
// edits. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace toolgate {

// Both count from 0; `character` counts UTF-16 units.
struct LspPosition {
  std::uint32_t line = 0;
  std::uint32_t character = 0;
  auto operator<=>(const LspPosition&) const = default;
};

struct LspRange {
  LspPosition start;
  LspPosition end;
  auto operator<=>(const LspRange&) const = default;
};

struct LspLocation {
  std::string path;  // absolute; no claim that it is in the workspace, or there
  LspRange range;
  auto operator<=>(const LspLocation&) const = default;
};

inline bool covers(const LspLocation& location, std::string_view path, LspPosition position) {
  return location.path == path && location.range.start <= position && position < location.range.end;
}

struct LspDiagnostic {
  LspRange range;
  int severity = 1;  // 1 error, 2 warning, 3 information, 4 hint
  std::string message;
  std::string origin;  // who says so, and the code: "clang undeclared_var_use"
};

struct LspSymbol {
  std::string name;
  std::string container;
  int kind = 0;
  LspLocation location;
};

struct LspTextEdit {
  LspRange range;
  std::string new_text;
};

// file:///a%20b -> "/a b"; nothing for any other URI.
std::optional<std::string> path_of_uri(std::string_view uri);
std::string uri_of_path(std::string_view path);

json::value write_position(const LspPosition& position);
std::optional<LspRange> read_range(const json::value& value);

// A Location, a LocationLink, a list of either, or null. What makes no sense is left out, and what
// is over `most`.
std::vector<LspLocation> read_locations(const json::value& value, std::size_t most);
std::vector<LspDiagnostic> read_diagnostics(const json::value& list, std::size_t most);
// Of typescript-language-server's way to tsserver: lines and offsets count from 1.
std::vector<LspDiagnostic> read_tsserver_diagnostics(const json::value& answer, std::size_t most);
std::vector<LspSymbol> read_symbols(const json::value& list, std::size_t most);
// What a document declares: a tree of DocumentSymbols, each after what holds it and with that as
// its container ("geometry::Shape"), or a list of SymbolInformation. The location is that of the
// name.
std::vector<LspSymbol> read_outline(const json::value& list, const std::string& path,
                                    std::size_t most);
// Where the symbol is defined, if clangd's answer to textDocument/symbolInfo says so.
std::optional<LspLocation> read_symbol_definition(const json::value& list);
// By path. Refuses what creates, renames or deletes files, and what is not a file.
Result<std::map<std::string, std::vector<LspTextEdit>>> read_workspace_edit(
    const json::value& value);

// "function", "class", … for SymbolKind; "symbol" for what is none.
std::string_view name_of_symbol_kind(int kind);

}  // namespace toolgate
