// The texts of a manifest that stand in another file: "%key%" is looked up in package.nls.json.
// extension_manifest.cpp uses it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"

namespace toolgate {

class ManifestTexts {
 public:
  // Empty: there are none.
  explicit ManifestTexts(std::string_view nls);

  // Why `nls` could not be read; empty: it could.
  const std::string& error() const { return error_; }
  // Replaces every "%key%" within the value; one that is not there stays.
  void resolve(json::value& value);
  // Keys that were not found, each once.
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  void resolve(json::string& text);

  std::unordered_map<std::string, std::string> texts_;
  std::string error_;
  std::vector<std::string> missing_;
};

}  // namespace toolgate
