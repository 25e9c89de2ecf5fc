#include "builtin/lsp_values.h"

#include <array>

#include "base/ascii.h"
#include "base/percent.h"
#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr std::string_view kFile = "file://";

constexpr std::array<std::string_view, 27> kSymbolKinds{
    "symbol",   "file",        "module",      "namespace", "package",   "class",         "method",
    "property", "field",       "constructor", "enum",      "interface", "function",      "variable",
    "constant", "string",      "number",      "boolean",   "array",     "object",        "key",
    "null",     "enum member", "struct",      "event",     "operator",  "type parameter"};

std::string read_text(const json::value& value, std::string_view name) {
  const json::value* found = find(value, name);
  return found && found->is_string() ? mend_utf8(found->get_string()) : std::string();
}

std::optional<std::uint32_t> read_count(const json::value* value, std::uint32_t least = 0) {
  if (!value || !value->is_number()) return std::nullopt;
  boost::system::error_code error;
  const auto number = value->to_number<std::uint32_t>(error);
  if (error || number < least) return std::nullopt;
  return number - least;
}

// With `least` 1 a position that counts from there.
std::optional<LspPosition> read_position(const json::value* value, std::string_view character,
                                         std::uint32_t least = 0) {
  if (!value) return std::nullopt;
  const auto line = read_count(find(*value, "line"), least);
  const auto column = read_count(find(*value, character), least);
  if (!line || !column) return std::nullopt;
  return LspPosition{*line, *column};
}

std::optional<LspRange> make_range(std::optional<LspPosition> start,
                                   std::optional<LspPosition> end) {
  if (!start || !end || *end < *start) return std::nullopt;
  return LspRange{*start, *end};
}

std::optional<LspLocation> read_location(const json::value& value) {
  const bool is_link = find(value, "targetUri") != nullptr;
  const auto path = path_of_uri(read_text(value, is_link ? "targetUri" : "uri"));
  const json::value* range = find(value, is_link ? "targetSelectionRange" : "range");
  const auto place = range ? read_range(*range) : std::nullopt;
  if (!path || !place) return std::nullopt;
  return LspLocation{*path, *place};
}

// A code is a number or a text.
std::string read_code(const json::value& diagnostic) {
  const json::value* code = find(diagnostic, "code");
  if (!code || code->is_null()) return "";
  return code->is_string() ? mend_utf8(code->get_string()) : write_json(*code);
}

std::string join_words(std::string first, const std::string& second) {
  if (!first.empty() && !second.empty()) first += ' ';
  return first + second;
}

std::optional<LspDiagnostic> read_diagnostic(const json::value& value) {
  const json::value* range = find(value, "range");
  const auto place = range ? read_range(*range) : std::nullopt;
  if (!place) return std::nullopt;
  const auto severity = read_count(find(value, "severity"));
  return LspDiagnostic{
      .range = *place,
      .severity = severity && *severity >= 1 && *severity <= 4 ? static_cast<int>(*severity) : 1,
      .message = read_text(value, "message"),
      .origin = join_words(read_text(value, "source"), read_code(value))};
}

std::optional<LspDiagnostic> read_tsserver_diagnostic(const json::value& value) {
  const auto range = make_range(read_position(find(value, "start"), "offset", 1),
                                read_position(find(value, "end"), "offset", 1));
  if (!range) return std::nullopt;
  const std::string category = read_text(value, "category");
  return LspDiagnostic{.range = *range,
                       .severity = category == "error"     ? 1
                                   : category == "warning" ? 2
                                                           : 4,
                       .message = read_text(value, "text"),
                       .origin = join_words("typescript", read_code(value))};
}

int read_kind(const json::value& symbol) {
  const auto kind = read_count(find(symbol, "kind"));
  return kind ? static_cast<int>(std::min(*kind, 1'000U)) : 0;
}

template <class Read>
auto read_list(const json::value* list, std::size_t most, Read read) {
  std::vector<typename std::invoke_result_t<Read, const json::value&>::value_type> result;
  const auto* items = list ? list->if_array() : nullptr;
  if (!items) return result;
  for (const json::value& item : *items) {
    if (result.size() == most) break;
    if (auto one = read(item)) result.push_back(std::move(*one));
  }
  return result;
}

std::optional<LspTextEdit> read_text_edit(const json::value& value) {
  const json::value* range = find(value, "range");
  const json::value* text = find(value, "newText");
  const auto place = range ? read_range(*range) : std::nullopt;
  if (!place || !text || !text->is_string()) return std::nullopt;
  return LspTextEdit{*place, std::string(text->get_string())};
}

constexpr int kMostOutlineDepth = 64;

void read_outline_level(const json::value* list, const std::string& path,
                        const std::string& container, int depth, std::size_t most,
                        std::vector<LspSymbol>& into) {
  const auto* items = list ? list->if_array() : nullptr;
  if (!items || depth == kMostOutlineDepth) return;
  for (const json::value& item : *items) {
    if (into.size() >= most) return;
    const json::value* selection = find(item, "selectionRange");
    const auto range = selection ? read_range(*selection) : std::nullopt;
    if (!range) continue;
    const std::string name = read_text(item, "name");
    into.push_back({.name = name,
                    .container = container,
                    .kind = read_kind(item),
                    .location = {path, *range}});
    read_outline_level(find(item, "children"), path,
                       container.empty() ? name : container + "::" + name, depth + 1, most, into);
  }
}

using EditsByPath = std::map<std::string, std::vector<LspTextEdit>>;

// Half a rename is worse than none: an edit that makes no sense refuses all.
Result<void> take_edits(std::string_view uri, const json::value* list, EditsByPath& into) {
  const auto path = path_of_uri(uri);
  if (!path) return fail(Errc::UpstreamBroken, "the edit is of something that is no file: {}", uri);
  const auto* items = list ? list->if_array() : nullptr;
  if (!items) return fail(Errc::UpstreamBroken, "the edit of {} is no list", *path);
  for (const json::value& item : *items) {
    auto edit = read_text_edit(item);
    if (!edit) return fail(Errc::UpstreamBroken, "an edit of {} makes no sense", *path);
    into[*path].push_back(std::move(*edit));
  }
  return {};
}

}  // namespace

std::optional<std::string> path_of_uri(std::string_view uri) {
  if (!uri.starts_with(kFile)) return std::nullopt;
  std::string path = decode_percent(uri.substr(kFile.size()));
  if (!path.starts_with('/') || path.contains('\0')) return std::nullopt;
  return path;
}

std::string uri_of_path(std::string_view path) {
  constexpr std::string_view kPlain = "/-._~";
  std::string uri(kFile);
  for (const char c : path)
    if (is_ascii_letter_or_digit(c) || kPlain.contains(c))
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return uri;
}

json::value write_position(const LspPosition& position) {
  return json::object{{"line", position.line}, {"character", position.character}};
}

std::optional<LspRange> read_range(const json::value& value) {
  return make_range(read_position(find(value, "start"), "character"),
                    read_position(find(value, "end"), "character"));
}

std::vector<LspLocation> read_locations(const json::value& value, std::size_t most) {
  if (value.is_array()) return read_list(&value, most, read_location);
  if (auto one = read_location(value)) return {std::move(*one)};
  return {};
}

std::vector<LspDiagnostic> read_diagnostics(const json::value& list, std::size_t most) {
  return read_list(&list, most, read_diagnostic);
}

std::vector<LspDiagnostic> read_tsserver_diagnostics(const json::value& answer, std::size_t most) {
  return read_list(find(answer, "body"), most, read_tsserver_diagnostic);
}

std::vector<LspSymbol> read_symbols(const json::value& list, std::size_t most) {
  return read_list(&list, most, [](const json::value& value) -> std::optional<LspSymbol> {
    const json::value* location = find(value, "location");
    auto place = location ? read_location(*location) : std::nullopt;
    if (!place) return std::nullopt;
    return LspSymbol{.name = read_text(value, "name"),
                     .container = read_text(value, "containerName"),
                     .kind = read_kind(value),
                     .location = std::move(*place)};
  });
}

std::vector<LspSymbol> read_outline(const json::value& list, const std::string& path,
                                    std::size_t most) {
  std::vector<LspSymbol> symbols;
  read_outline_level(&list, path, "", 0, most, symbols);
  return symbols.empty() ? read_symbols(list, most) : symbols;
}

std::optional<LspLocation> read_symbol_definition(const json::value& list) {
  const auto* items = list.if_array();
  if (!items) return std::nullopt;
  for (const json::value& item : *items)
    if (const json::value* definition = find(item, "definitionRange"))
      if (auto location = read_location(*definition)) return location;
  return std::nullopt;
}

Result<EditsByPath> read_workspace_edit(const json::value& value) {
  EditsByPath edits;
  if (const json::value* changes = find(value, "documentChanges"); changes && changes->is_array()) {
    for (const json::value& change : changes->get_array()) {
      if (find(change, "kind"))
        return fail(Errc::InvalidRequest,
                    "the rename would also {} files, which this tool does not do",
                    read_text(change, "kind"));
      const json::value* document = find(change, "textDocument");
      if (!document) return fail(Errc::UpstreamBroken, "an edit names no file");
      if (auto taken = take_edits(read_text(*document, "uri"), find(change, "edits"), edits);
          !taken)
        return std::unexpected(taken.error());
    }
    return edits;
  }
  const json::value* changes = find(value, "changes");
  if (!changes || !changes->is_object()) return edits;
  for (const auto& [uri, list] : changes->get_object())
    if (auto taken = take_edits(uri, &list, edits); !taken) return std::unexpected(taken.error());
  return edits;
}

std::string_view name_of_symbol_kind(int kind) {
  return kSymbolKinds[kind > 0 && kind < static_cast<int>(kSymbolKinds.size())
                          ? static_cast<std::size_t>(kind)
                          : 0];
}

}  // namespace toolgate
