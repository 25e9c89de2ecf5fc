// The prompts that were written before, for Up and Down: a file of JSON strings, one per line, that
// only its owner may read. `toolgate chat` keeps it in the data folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace toolgate {

class PromptHistory {
 public:
  static constexpr std::size_t kMost = 1'000;

  // A file that cannot be read or written is as good as none: then nothing is kept.
  explicit PromptHistory(std::filesystem::path file);

  // Oldest first.
  const std::vector<std::string>& entries() const { return entries_; }

  // `on_disk`: also for the next conversation.
  void add(const std::string& prompt, bool on_disk);

 private:
  std::vector<std::string> read() const;
  void shorten() const;

  std::filesystem::path file_;
  std::vector<std::string> entries_;
  std::size_t lines_ = 0;  // of the file
};

}  // namespace toolgate
