#include "gateway/settings_builtin.h"

#include <cmath>

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

Result<void> web_private_hosts(const SettingsValue& value, SettingsDraft& draft) {
  const auto* list = value.value().if_array();
  if (!list) return value.fail("must be a list of hosts, with or without a port");
  std::vector<std::string> hosts;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto host = read_text(value.item(i));
    if (!host) return std::unexpected(std::move(host.error()));
    hosts.push_back(std::move(*host));
  }
  draft.settings.builtin.web.allowed_private_hosts = std::move(hosts);
  return {};
}

Result<void> web_page_bytes(const SettingsValue& value, SettingsDraft& draft) {
  constexpr std::int64_t kMostPageBytes = 64 << 20;  // reading a page takes many times its size
  return keep(read_integer(value, 1, kMostPageBytes), draft.settings.builtin.web.page_bytes);
}

Result<void> web_page_seconds(const SettingsValue& value, SettingsDraft& draft) {
  const auto seconds = read_seconds(value);
  if (!seconds) return std::unexpected(seconds.error());
  draft.settings.builtin.web.page_seconds =
      std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(*seconds * 1000)));
  return {};
}

}  // namespace toolgate
