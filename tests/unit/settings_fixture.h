// Settings files of one test on disk, and what loading them gives. Used by the settings tests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "gateway/settings.h"
#include "temporary_folder.h"

namespace toolgate {

class SettingsFilesTest : public testing::Test {
 protected:
  SettingsFilesTest() {
    files_.profile = folder_.path() / "profile/settings.json";
    files_.workspace = folder_.path() / "work";
  }

  void profile(std::string_view text) { folder_.write("profile/settings.json", text); }
  void vscode(std::string_view text) { folder_.write("work/.vscode/settings.json", text); }
  void toolgate(std::string_view text) { folder_.write("work/.toolgate/settings.json", text); }
  void extra(std::string_view text) {
    const auto name = fmt::format("extra{}.json", files_.extra.size());
    files_.extra.push_back(folder_.write(name, text));
  }

  Result<Settings> load() {
    return load_settings(files_, [this](const char* name) -> std::optional<std::string> {
      const auto found = environment_.find(name);
      if (found == environment_.end()) return std::nullopt;
      return found->second;
    });
  }

  Settings loaded() {
    auto result = load();
    if (!result) {
      ADD_FAILURE() << result.error().message;
      return {};
    }
    return *result;
  }

  // Messages with the temporary folder cut off.
  std::string shortened(std::string text) const {
    const auto prefix = folder_.path().string() + "/";
    for (auto at = text.find(prefix); at != text.npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }
  std::string error() {
    auto result = load();
    return result ? "no error" : shortened(result.error().message);
  }
  std::string error_of_profile(std::string_view text) {
    profile(text);
    return error();
  }
  std::vector<std::string> warnings() {
    auto result = loaded().warnings;
    for (auto& warning : result) warning = shortened(warning);
    return result;
  }

  // The reason why the second model of a list is refused, with its position.
  std::string error_of_model(std::string_view members) {
    return error_of_profile(fmt::format("{{\"toolgate.models\": [\n{},\n{{{}}}]}}",
                                        R"({"id": "first", "provider": "demo"})", members));
  }

  TemporaryFolder folder_;
  SettingsFiles files_;
  std::map<std::string, std::string, std::less<>> environment_;
};

}  // namespace toolgate
