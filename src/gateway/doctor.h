// What is in order in an installation and what is not, with what to do about it: settings, models,
// the data folder, extensions, tool sets and tools. Reads files, changes nothing, and asks nobody
// over the network. `toolgate doctor` prints it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/settings.h"
#include "toolgate/catalog.h"

namespace toolgate {

enum class CheckStatus : std::uint8_t {
  Ok,
  Warning,  // works, but perhaps not as it was meant
  Error,    // does not work
};

std::string_view name_of(CheckStatus status);  // "ok", "warning", "error"

struct DoctorCheck {
  std::string area;  // "settings", "models", …; those of one area stand together
  CheckStatus status = CheckStatus::Ok;
  std::string message;
  std::string advice;       // what to do; may be empty
  bool is_missing = false;  // not there, which is no fault
};

struct Installation {
  SettingsFiles settings_files;
  Result<Settings> settings;  // what load_settings() made of them
  Environment environment;
  std::filesystem::path data;
  const Catalog* catalog = nullptr;
  std::span<const CatalogProblem> file_problems;  // of manifests and tool-set files
  std::vector<std::filesystem::path> mcp_files;   // that were given
};

std::vector<DoctorCheck> examine(const Installation& installation);

CheckStatus worst_of(std::span<const DoctorCheck> checks);

// {"status","ok","warnings","errors","checks":[{area, status, message, advice?}]}
std::string write_checks(std::span<const DoctorCheck> checks);

}  // namespace toolgate
