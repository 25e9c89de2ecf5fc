// One settings file in memory, and a cursor into it that can say where it stands. settings.cpp
// opens the files; the readers of single keys (settings_keys.cpp, settings_models.cpp) get cursors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/json_locate.h"

namespace toolgate {

inline constexpr std::size_t kMaxSettingsBytes = std::size_t{4} << 20;

struct SettingsFile {
  std::filesystem::path path;
  std::string text;  // without a byte order mark
  json::value root;  // an object
};

// Nothing when there is no such file.
Result<std::optional<SettingsFile>> read_settings_file(const std::filesystem::path& path);

// A value of a file, which must outlive it.
class SettingsValue {
 public:
  explicit SettingsValue(const SettingsFile& file) : file_(&file), value_(&file.root) {}

  const SettingsFile& file() const { return *file_; }
  const json::value& value() const { return *value_; }

  // The key as messages name it: toolgate.models[1].baseUrl
  std::string name() const;

  // The member must exist; check value() first.
  SettingsValue member(std::string_view key) const;
  SettingsValue item(std::size_t index) const;
  std::optional<SettingsValue> find_member(std::string_view key) const;

  std::string value_position() const;  // FILE:LINE:COLUMN
  std::string key_position() const;

  template <class... Args>
  [[nodiscard]] std::unexpected<Error> fail(fmt::format_string<Args...> text,
                                            Args&&... args) const {
    return refuse(fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  std::unexpected<Error> refuse(const std::string& reason) const;
  SettingsValue child(JsonStep step, const json::value& value) const;

  const SettingsFile* file_;
  const json::value* value_;
  std::vector<JsonStep> path_;
};

// A name or value in quotes, shortened, with control characters escaped.
std::string in_quotes(std::string_view text);

// Text that is not empty and has no control characters.
Result<std::string> read_text(const SettingsValue& value);
// A list of such texts; `expected` is what to say of anything else: "must be a list of hosts".
Result<std::vector<std::string>> read_texts(const SettingsValue& value, std::string_view expected);
Result<bool> read_bool(const SettingsValue& value);
Result<std::int64_t> read_integer(const SettingsValue& value, std::int64_t least,
                                  std::int64_t most);
Result<double> read_seconds(const SettingsValue& value);

// Stores what was read, or hands its error on.
template <class T, class Target>
Result<void> keep(Result<T> read, Target& target) {
  if (!read) return std::unexpected(std::move(read.error()));
  target = std::move(*read);
  return {};
}

// Letters, digits and '_', no digit first: the name of an environment variable.
bool is_variable_name(std::string_view text);

}  // namespace toolgate
