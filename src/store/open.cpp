#include "store/open.h"

#include "invoke/memory_store.h"
#include "store/sqlite_store.h"

namespace toolgate {

Result<std::unique_ptr<Store>> open_store(std::string_view setting,
                                          const std::filesystem::path& data_folder) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (setting.empty() || setting.starts_with(kSqlite)) {
    const std::string_view path = setting.empty() ? setting : setting.substr(kSqlite.size());
    auto store = SqliteStore::open(data_folder / (path.empty() ? "toolgate.db" : path));
    if (!store) return std::unexpected(store.error());
    return std::move(*store);
  }
  if (setting == "memory:") return std::make_unique<MemoryStore>();
  if (setting.starts_with("postgres"))
    return fail_at("toolgate.store", Errc::InvalidSettings,
                   "toolgate.store cannot be PostgreSQL yet; use \"sqlite:PATH\" or leave it out");
  return fail_at("toolgate.store", Errc::InvalidSettings,
                 "toolgate.store is \"sqlite:PATH\" or \"memory:\", not \"{}\"", setting);
}

}  // namespace toolgate
