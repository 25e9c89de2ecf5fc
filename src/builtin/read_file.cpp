#include "builtin/read_file.h"

#include <algorithm>
#include <atomic>
#include <ctime>

#include "async/offload.h"
#include "builtin/file_bytes.h"
#include "builtin/image_file.h"
#include "builtin/line_mark_cache.h"
#include "builtin/name_line.h"
#include "builtin/tool_input.h"
#include "invoke/visible_text.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

constexpr std::uint64_t kMostLines = 2'000;
constexpr double kLastLine = 9007199254740991;

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "filePath": {"type": "string", "description": "The file: absolute, or relative to the workspace."},
    "startLine": {"type": "number", "description": "The first line to read; lines count from 1. Default: 1."},
    "endLine": {"type": "number", "description": "The last line to read. Default: as many as are shown at once."},
    "offset": {"type": "number", "description": "Another word for startLine."},
    "limit": {"type": "number", "minimum": 1, "description": "How many lines, instead of endLine."}
  },
  "required": ["filePath"]
})";

struct LineWish {
  std::string path;
  std::uint64_t first = 1;
  std::uint64_t count = kMostLines;
};

Result<LineWish> read_wish(const std::string& text) {
  const ToolInput input(text);
  const auto line = [&](std::string_view name) -> std::optional<std::uint64_t> {
    const auto number = input.number(name);
    if (!number) return std::nullopt;
    return static_cast<std::uint64_t>(std::clamp(*number, 0.0, kLastLine));
  };
  LineWish wish{.path = input.text("filePath")};
  const auto start = line("startLine");
  wish.first = std::max<std::uint64_t>(start ? *start : line("offset").value_or(1), 1);
  if (const auto end = line("endLine")) {
    if (*end < wish.first)
      return fail(Errc::InvalidRequest, "endLine {} is before startLine {}", *end, wish.first);
    wish.count = *end - wish.first + 1;
  } else if (const auto limit = line("limit")) {
    wish.count = std::max<std::uint64_t>(*limit, 1);
  }
  return wish;
}

std::string notes_about(const LinesRead& lines, ReadEncoding encoding) {
  std::string notes;
  if (encoding == ReadEncoding::Utf8WithMark) notes += "; begins with a byte order mark";
  if (is_wide(encoding)) notes += "; is UTF-16";
  if (lines.as == ReadableText::As::Latin1) notes += "; is not UTF-8, read as Latin-1";
  if (lines.as == ReadableText::As::Mended) notes += "; is not UTF-8: � stands for wrong bytes";
  if (lines.has_carriage_returns) notes += "; lines end with \\r\\n";
  if (lines.count > 0 && lines.ends_without_break) notes += "; no line break at the end";
  if (lines.lines_cut > 0) notes += fmt::format("; {} too long and cut", lines.lines_cut);
  return notes;
}

// "a.txt, lines 1 to 20 of 300"
std::string range_of(std::string_view shown, const LinesRead& lines) {
  std::string text =
      fmt::format("{}, lines {} to {}", shown, lines.first, lines.first + lines.count - 1);
  if (lines.total) text += fmt::format(" of {}", *lines.total);
  return text;
}

Result<ToolResult> describe(std::string_view shown, const LinesRead& lines, ReadEncoding encoding) {
  if (lines.count == 0 && lines.total == 0) return text_result(fmt::format("[{} is empty]", shown));
  if (lines.count == 0)
    return fail(Errc::InvalidRequest, "line {} is behind the end: {} has {} lines", lines.first,
                shown, lines.total.value_or(0));
  const std::string range = range_of(shown, lines);
  const std::uint64_t last = lines.first + lines.count - 1;
  const std::string next =
      lines.total == last ? "" : fmt::format("; go on with startLine {}", last + 1);
  ToolResult result = text_result(
      fmt::format("[{}{}{}]\n{}", range, next, notes_about(lines, encoding), lines.text));
  result.message = "Read " + range;
  return result;
}

class ReadFile final : public Tool {
 public:
  explicit ReadFile(Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const auto wish = read_wish(call.input);
    if (!wish) co_return std::unexpected(wish.error());
    const auto settings = workbench_.settings();
    std::atomic<bool> stop = false;
    const CancelHook hook(cancel, [&stop](CancelReason) { stop = true; });
    const auto work = [&] { return read(call, *settings->workspace, *wish, stop); };
    co_return co_await offload(work, cancel);
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const std::string path = name_on_one_line(ToolInput(call.input).text("filePath"));
    co_return PreparedCall{.invocation_message = "Reading " + path,
                           .past_tense_message = "Read " + path};
  }

 private:
  Result<ToolResult> read(const ToolCall& call, const Workspace& workspace, const LineWish& wish,
                          const std::atomic<bool>& stop) {
    auto file = workspace.open_file(wish.path);
    if (!file) return std::unexpected(file.error());
    auto result = show(*file, visible_text(workspace.shown(file->path), false), wish, stop);
    if (result) workbench_.seen_files().note(call, file->path, file->facts);
    return result;
  }

  Result<ToolResult> show(const OpenedFile& file, const std::string& shown, const LineWish& wish,
                          const std::atomic<bool>& stop) {
    const auto beginning = read_bytes(file.descriptor.get(), 0, kBytesToJudge, shown);
    if (!beginning) return std::unexpected(beginning.error());
    if (image_type(*beginning)) return read_image(file, shown);
    if (is_binary(*beginning))
      return fail(
          Errc::UnsupportedMedia,
          "{} is binary ({} bytes); read_file shows text and PNG, JPEG, GIF or WebP pictures",
          shown, file.facts.st_size);
    return read_text(file, shown, wish, find_encoding(*beginning), stop);
  }

  Result<ToolResult> read_text(const OpenedFile& file, std::string_view shown, const LineWish& wish,
                               ReadEncoding encoding, const std::atomic<bool>& stop) {
    const auto known = marks_.find(file.facts);
    LineReader reader(file.descriptor.get(), encoding, LineLimits{}, stop);
    const auto lines =
        reader.read(wish.first, std::min(wish.count, kMostLines), known ? *known : LineMarks());
    if (!lines) return std::unexpected(lines.error());
    if (reader.marks().size() > (known ? known->size() : 0))
      marks_.keep(file.facts, reader.marks(), std::time(nullptr));
    return describe(shown, *lines, encoding);
  }

  Workbench& workbench_;
  LineMarkCache marks_;
};

}  // namespace

ToolData read_file_data() {
  return {
      .id = "read_file",
      .reference_name = "readFile",
      .legacy_full_names = {"search/readFile"},
      .display_name = "Read File",
      .user_description = "Read lines of a file",
      .model_description =
          "Reads a text file of the workspace, or shows you a picture. Give a range of lines "
          "(startLine and endLine, or offset and limit) if you know where to look; one larger "
          "range is better than many small ones. At most 2000 lines come at once. The first line "
          "of the answer, in brackets, is not part of the file: it says which lines follow and "
          "where to go on.",
      .input_schema = std::string(kSchema),
      .tags = {"vscode_codesearch"},
      .is_read_only = true};
}

std::shared_ptr<Tool> make_read_file(const BuiltinSurroundings& around) {
  return std::make_shared<ReadFile>(around.workbench);
}

}  // namespace toolgate
