// Runs a fuzz target once on every file of the folders it is given; tests/run.py calls it with the
// seeds. Each file is named before it is run, so that the last name is the one that crashed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/core.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// No byte behind the input may be readable: AddressSanitizer watches the end of this allocation.
std::vector<std::uint8_t> bytes_of(const std::filesystem::path& path) {
  std::vector<std::uint8_t> bytes(std::filesystem::file_size(path));
  std::ifstream file;
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.open(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t passed = 0;
  for (int i = 1; i < argc; ++i) {
    const auto files = files_in(argv[i]);
    if (files.empty()) {
      fmt::print(stderr, "{} holds no file\n", argv[i]);
      return 1;
    }
    for (const auto& path : files) {
      fmt::print(stderr, "{}\n", path.string());
      const auto bytes = bytes_of(path);
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      ++passed;
    }
  }
  fmt::print("{} passed, 0 failed, 0 skipped\n", passed);
  return passed > 0 ? 0 : 1;
}
