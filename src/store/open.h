// The list of stores: which one `toolgate.store` means.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "invoke/store.h"

namespace toolgate {

// "sqlite:PATH", relative to the data folder; "" is "sqlite:toolgate.db". "memory:" forgets.
Result<std::unique_ptr<Store>> open_store(std::string_view setting,
                                          const std::filesystem::path& data_folder);

}  // namespace toolgate
