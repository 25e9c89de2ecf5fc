#include "builtin/draft_changes.h"

#include "builtin/string_replace.h"
#include "builtin/text_form.h"

namespace toolgate {

Result<void> replace_in_draft(EditDraft& draft, const std::string& path, std::string_view old_text,
                              std::string_view new_text) {
  const auto is_there = draft.has(path);
  if (!is_there) return std::unexpected(is_there.error());
  if (!*is_there && old_text.empty()) return draft.create(path, new_text);
  const auto text = draft.read(path);
  if (!text) return std::unexpected(text.error());
  const auto replaced =
      replace_once(*text, plain_text(old_text), plain_text(new_text), draft.name_of(path));
  if (!replaced) return std::unexpected(replaced.error());
  return draft.write(path, *replaced);
}

}  // namespace toolgate
