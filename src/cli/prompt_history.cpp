#include "cli/prompt_history.h"

#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostLineBytes = std::size_t{64} << 10;

// Whole or not at all, and to its owner only.
bool write_private(const std::filesystem::path& file, int how, const std::string& text) {
  const int descriptor =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | how, 0600);
  if (descriptor < 0) return false;
  const bool written =
      fchmod(descriptor, 0600) == 0 &&
      ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return (::close(descriptor) == 0) && written;
}

std::string line_of(const std::string& prompt) {
  std::string line;
  append_json_string(line, prompt);
  return line + "\n";
}

}  // namespace

PromptHistory::PromptHistory(std::filesystem::path file) : file_(std::move(file)) {
  entries_ = read();
  lines_ = entries_.size();
}

std::vector<std::string> PromptHistory::read() const {
  std::vector<std::string> entries;
  std::ifstream stream(file_);
  for (std::string line; std::getline(stream, line);)
    if (const auto value = parse_json(line); value && value->is_string())
      entries.emplace_back(value->get_string());
  return entries;
}

void PromptHistory::add(const std::string& prompt, bool on_disk) {
  if (!entries_.empty() && entries_.back() == prompt) return;
  entries_.push_back(prompt);
  if (!on_disk || file_.empty() || prompt.size() > kMostLineBytes) return;
  if (write_private(file_, O_APPEND, line_of(prompt)) && ++lines_ > kMost) {
    shorten();
    lines_ = kMost;
  }
}

// Another conversation may have written to it meanwhile, so it is read anew.
void PromptHistory::shorten() const {
  const std::vector<std::string> all = read();
  std::string text;
  for (std::size_t i = all.size() - std::min(all.size(), kMost); i < all.size(); ++i)
    text += line_of(all[i]);
  const std::filesystem::path next = file_.string() + ".new";
  std::error_code ignored;
  if (write_private(next, O_TRUNC, text)) std::filesystem::rename(next, file_, ignored);
}

}  // namespace toolgate
