// Reads files of test data for the schema tests and finds the optional third-party folders.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "base/json_tree.h"

namespace toolgate {

inline std::string read_test_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::filesystem::path tests_folder() {
  return std::filesystem::path(__FILE__).parent_path().parent_path();
}

inline std::filesystem::path thirdparty_folder(const char* name) {
  const char* given = std::getenv("TOOLGATE_THIRDPARTY");
  return std::filesystem::path(given ? given : "../shared/thirdparty") / name;
}

// A file with its tree; the nodes live as long as it does.
struct TestDocument {
  explicit TestDocument(const std::filesystem::path& path) : text(read_test_file(path)) {
    auto parsed = tree.parse(text, {.depth = 512, .bytes = std::size_t{256} << 20});
    if (!parsed) throw std::runtime_error(path.string() + ": " + parsed.error().message);
    root = *parsed;
  }
  std::string text;
  JsonTree tree;
  JsonNode* root = nullptr;
};

}  // namespace toolgate
