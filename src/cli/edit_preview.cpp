#include "cli/edit_preview.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;
namespace fs = std::filesystem;

constexpr std::size_t kMostFileBytes = std::size_t{2} << 20;

constexpr std::string_view kFileNames[] = {"filePath", "file_path", "path", "file"};
constexpr std::string_view kOldNames[] = {"oldString", "old_string", "old_str"};
constexpr std::string_view kNewNames[] = {"newString", "new_string", "new_str"};
constexpr std::string_view kContentNames[] = {"content", "contents", "file_text"};
constexpr std::string_view kListNames[] = {"replacements", "edits"};

const JsonNode* find_text(const JsonNode& arguments, std::span<const std::string_view> names) {
  for (const std::string_view name : names)
    if (const JsonNode* found = arguments.find(name); found && found->is(Kind::String))
      return found;
  return nullptr;
}

// Nothing: there is none, or none that we read.
std::optional<std::string> read_file(std::string_view name, const std::string& workspace) {
  constexpr std::string_view kScheme = "file://";
  if (name.starts_with(kScheme)) name.remove_prefix(kScheme.size());
  const fs::path path = fs::path(workspace) / fs::path(name);
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMostFileBytes)
    return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

EditPreview preview_replacement(std::string_view file, std::string_view old_text,
                                std::string_view new_text, const std::string& workspace) {
  EditPreview edit{std::string(file), std::string(old_text), std::string(new_text), {}};
  const auto content = file.empty() ? std::nullopt : read_file(file, workspace);
  if (!content) return edit;
  const std::size_t at = content->find(old_text);
  if (at == content->npos) {
    edit.note = "the text to replace does not stand in the file";
    return edit;
  }
  if (old_text.empty() || content->find(old_text, at + 1) != content->npos) {
    edit.note = "the text to replace stands in the file more than once";
    return edit;
  }
  edit.before = *content;
  edit.after = *content;
  edit.after.replace(at, old_text.size(), new_text);
  return edit;
}

EditPreview preview_writing(std::string_view file, std::string_view text,
                            const std::string& workspace) {
  const auto content = read_file(file, workspace);
  return {std::string(file), content.value_or(""), std::string(text),
          content ? "" : "there is no such file yet"};
}

std::optional<EditPreview> preview_one(const JsonNode& arguments, std::string_view usual_file,
                                       const std::string& workspace,
                                       std::vector<std::string_view>& shown) {
  const JsonNode* file = find_text(arguments, kFileNames);
  const JsonNode* old_text = find_text(arguments, kOldNames);
  const JsonNode* new_text = find_text(arguments, kNewNames);
  const JsonNode* content = find_text(arguments, kContentNames);
  const std::string_view name = file ? file->text : usual_file;
  if (old_text && new_text) {
    shown.insert(shown.end(), {old_text->key, new_text->key});
    return preview_replacement(name, old_text->text, new_text->text, workspace);
  }
  if (name.empty() || !content) return std::nullopt;
  shown.push_back(content->key);
  return preview_writing(name, content->text, workspace);
}

}  // namespace

EditPreviews preview_edits(const JsonNode& arguments, const std::string& workspace) {
  EditPreviews previews;
  if (auto edit = preview_one(arguments, {}, workspace, previews.shown))
    previews.edits.push_back(std::move(*edit));
  const JsonNode* file = find_text(arguments, kFileNames);
  for (const std::string_view name : kListNames) {
    const JsonNode* list = arguments.find(name);
    if (!list || !list->is(Kind::Array) || !list->first) continue;
    std::vector<EditPreview> edits;
    for (const JsonNode* item = list->first; item; item = item->next) {
      std::vector<std::string_view> seen;
      auto edit = preview_one(*item, file ? file->text : "", workspace, seen);
      const bool names_file = find_text(*item, kFileNames) != nullptr;
      if (edit && item->size == seen.size() + (names_file ? 1 : 0))
        edits.push_back(std::move(*edit));
    }
    // A list of which a part would not be shown is shown as it is.
    if (edits.size() != list->size) continue;
    previews.shown.push_back(list->key);
    std::ranges::move(edits, std::back_inserter(previews.edits));
  }
  return previews;
}

}  // namespace toolgate
