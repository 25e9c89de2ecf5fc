#include "gateway/settings_builtin.h"

namespace toolgate {

Result<void> builtin_tools_switch(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_bool(value), draft.settings.builtin.enabled);
}

Result<void> kept_edit_bytes(const SettingsValue& value, SettingsDraft& draft) {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  return keep(read_integer(value, 0, kMost), draft.settings.builtin.edit_bytes);
}

Result<void> extra_folders(const SettingsValue& value, SettingsDraft& draft) {
  const auto* list = value.value().if_array();
  if (!list) return value.fail("must be a list of absolute paths of folders");
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto folder = read_text(value.item(i));
    if (!folder) return std::unexpected(std::move(folder.error()));
    if (!folder->starts_with('/')) return value.item(i).fail("must be an absolute path");
    folders.push_back(std::move(*folder));
  }
  draft.settings.builtin.extra_folders = std::move(folders);
  return {};
}

}  // namespace toolgate
