#include "cli/markdown_stream.h"

#include <algorithm>

#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::size_t kMostIndent = 3;
constexpr std::size_t kMostSpan = 400;  // bytes that are held back for the end of a span
constexpr std::size_t kMostHashes = 6;

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::string MarkdownStream::feed(std::string_view text) {
  held_ += text;
  std::erase(held_, '\r');
  const std::string tail = held_.substr(held_.size() - incomplete_utf8_tail(held_));
  held_.resize(held_.size() - tail.size());
  take_inline(false);
  held_ += tail;
  return std::exchange(out_, {});
}

std::string MarkdownStream::finish() {
  take_inline(true);
  at_begin_ = true;
  in_fence_ = in_heading_ = false;
  last_ = '\n';
  return std::exchange(out_, {});
}

// Tabs go to the terminal as they are.
void MarkdownStream::print(std::string_view text, Paint paint) {
  if (text.empty()) return;
  last_ = text.back();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\t'), text.size());
    if (end > 0) out_ += terminal_.paint(paint, text.substr(0, end));
    if (end < text.size()) out_ += '\t';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void MarkdownStream::take_inline(bool is_last) {
  while (!held_.empty()) {
    if (!terminal_.colour()) {
      print(std::exchange(held_, {}), Paint::Plain);
      return;
    }
    if (at_begin_) {
      if (!begin_line(is_last)) return;
      continue;
    }
    const Paint usual = in_fence_ ? Paint::Cyan : in_heading_ ? Paint::Bold : Paint::Plain;
    const std::size_t stop = std::min(held_.find_first_of(in_fence_ ? "\n" : "`*\n"), held_.size());
    print(std::string_view(held_).substr(0, stop), usual);
    held_.erase(0, stop);
    if (held_.empty()) return;
    if (held_.front() == '\n') {
      print("\n", Paint::Plain);
      held_.erase(0, 1);
      at_begin_ = true;
      in_heading_ = false;
      continue;
    }
    const bool is_code = held_.front() == '`';
    const std::size_t size = std::min(held_.find_first_not_of(held_.front()), held_.size());
    if (size == held_.size() && !is_last) return;  // more of the mark may come
    const std::string mark = held_.substr(0, size);
    if (is_code || (size == 2 && may_open_bold())) {
      if (!take_span(mark, is_code ? Paint::Cyan : Paint::Bold, is_last)) return;
    } else {
      print(mark, usual);
      held_.erase(0, size);
    }
  }
}

// False: what the line is cannot be told yet.
bool MarkdownStream::begin_line(bool is_last) {
  const std::size_t feed = held_.find('\n');
  const bool has_end = feed != held_.npos || is_last;
  const std::string_view line = std::string_view(held_).substr(0, std::min(feed, held_.size()));
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view words = line.substr(indent);
  if (indent <= kMostIndent && (words.starts_with(kFence) || kFence.starts_with(words))) {
    if (!has_end) return false;
    if (words.starts_with(kFence)) {
      print(line, Paint::Dim);
      held_.erase(0, line.size());
      in_fence_ = !in_fence_;
      at_begin_ = false;
      return true;
    }
  }
  const std::size_t hashes = std::min(words.find_first_not_of('#'), words.size());
  if (!in_fence_ && indent == 0 && hashes > 0 && hashes <= kMostHashes) {
    if (hashes == words.size() && !has_end) return false;
    if (hashes < words.size() && words[hashes] == ' ') {
      held_.erase(0, hashes + 1);
      in_heading_ = true;
    }
  }
  at_begin_ = false;
  return true;
}

bool MarkdownStream::may_open_bold() const {
  return held_.size() > 2 && held_[2] != ' ' && held_[2] != '\n' && !is_word(last_);
}

// Text between two marks is painted without them. False: the second may still come.
bool MarkdownStream::take_span(std::string_view mark, Paint paint, bool is_last) {
  const std::size_t close = held_.find(mark, mark.size());
  const std::size_t feed = std::min(held_.find('\n'), held_.size());
  if (close < feed && close > mark.size()) {
    print(std::string_view(held_).substr(mark.size(), close - mark.size()), paint);
    held_.erase(0, close + mark.size());
    return true;
  }
  if (feed == held_.size() && held_.size() < kMostSpan && !is_last) return false;
  print(mark, in_heading_ ? Paint::Bold : Paint::Plain);
  held_.erase(0, mark.size());
  return true;
}

}  // namespace toolgate
