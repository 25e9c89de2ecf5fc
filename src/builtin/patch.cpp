#include "builtin/patch.h"

#include <algorithm>
#include <optional>

#include <fmt/ranges.h>

#include "base/utf8.h"
#include "builtin/trimmed.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

using Line = PatchHunk::Line;
using TextLines = std::vector<std::string_view>;

constexpr std::size_t kMostPlaces = 10;  // that an error names
constexpr std::size_t kMostComparisons = 50'000'000;

constexpr std::string_view kBegin = "*** Begin Patch";
constexpr std::string_view kEnd = "*** End Patch";
constexpr std::string_view kAdd = "*** Add File:";
constexpr std::string_view kDelete = "*** Delete File:";
constexpr std::string_view kUpdate = "*** Update File:";
constexpr std::string_view kMove = "*** Move to:";
constexpr std::string_view kEndOfFile = "*** End of File";

std::string_view without_end_blanks(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t\r");
  return last == line.npos ? std::string_view() : line.substr(0, last + 1);
}

TextLines split(std::string_view text) {
  TextLines lines;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    lines.push_back(text.substr(0, feed));
    text.remove_prefix(feed == text.npos ? text.size() : feed + 1);
  }
  return lines;
}

// "-12,3 +12,4 @@ name" is what other patches have after "@@": the numbers are of no use here.
std::string_view anchor_of(std::string_view line) {
  line = trimmed(line.substr(2));
  if (line.starts_with('-') && line.contains(" +")) {
    const std::size_t end = line.find("@@");
    return end == line.npos ? std::string_view() : trimmed(line.substr(end + 2));
  }
  if (line.ends_with("@@")) line = trimmed(line.substr(0, line.size() - 2));
  return line;
}

class PatchParser {
 public:
  explicit PatchParser(std::string_view text) : lines_(split(text)) {}

  Result<std::vector<PatchFile>> parse() {
    while (at_ < lines_.size() && without_end_blanks(lines_[at_]) != kBegin) ++at_;
    if (at_ == lines_.size())
      return fail(Errc::InvalidRequest, "the patch must begin with the line \"{}\"", kBegin);
    ++at_;
    for (; at_ < lines_.size(); ++at_) {
      const std::string_view line = without_end_blanks(lines_[at_]);
      if (line == kEnd) return finish();
      if (auto taken = take(line, lines_[at_]); !taken) return std::unexpected(taken.error());
    }
    return fail(Errc::InvalidRequest, "the patch must end with the line \"{}\"", kEnd);
  }

 private:
  template <class... Args>
  std::unexpected<Error> fault(fmt::format_string<Args...> text, Args&&... args) const {
    return fail(Errc::InvalidRequest, "line {} of the patch: {}", at_ + 1,
                fmt::format(text, std::forward<Args>(args)...));
  }

  Result<void> take(std::string_view line, std::string_view raw) {
    if (line.starts_with(kAdd)) return begin(PatchFile::Kind::Add, line.substr(kAdd.size()));
    if (line.starts_with(kDelete))
      return begin(PatchFile::Kind::Delete, line.substr(kDelete.size()));
    if (line.starts_with(kUpdate))
      return begin(PatchFile::Kind::Update, line.substr(kUpdate.size()));
    if (files_.empty() && line.empty()) return {};
    if (files_.empty())
      return fault("a file must be named first, with \"{}\", \"{}\" or \"{}\"", kUpdate, kAdd,
                   kDelete);
    PatchFile& file = files_.back();
    if (file.kind == PatchFile::Kind::Add) return add_content(file, line, raw);
    if (file.kind == PatchFile::Kind::Update) return take_update(file, line, raw);
    if (line.empty()) return {};
    return fault("a file that is deleted has no lines");
  }

  Result<void> begin(PatchFile::Kind kind, std::string_view path) {
    path = trimmed(path);
    if (path.empty()) return fault("the path is missing");
    files_.push_back({.kind = kind, .path = std::string(path)});
    return {};
  }

  Result<void> add_content(PatchFile& file, std::string_view line, std::string_view raw) const {
    if (!raw.starts_with('+')) {
      if (line.empty()) return {};
      return fault("each line of a new file begins with '+'");
    }
    raw.remove_prefix(1);
    if (raw.ends_with('\r')) raw.remove_suffix(1);
    file.content.append(raw).append("\n");
    return {};
  }

  Result<void> take_update(PatchFile& file, std::string_view line, std::string_view raw) {
    if (line.starts_with(kMove)) {
      if (!file.hunks.empty() || !file.move_to.empty())
        return fault("\"{}\" stands right after \"{}\", once", kMove, kUpdate);
      file.move_to = trimmed(line.substr(kMove.size()));
      return file.move_to.empty() ? Result<void>(fault("the path is missing")) : Result<void>();
    }
    if (line.starts_with("@@")) {
      if (file.hunks.empty() || !file.hunks.back().lines.empty() || file.hunks.back().is_at_end)
        file.hunks.push_back({.line = at_ + 1});
      if (const std::string_view anchor = anchor_of(line); !anchor.empty())
        file.hunks.back().anchors.emplace_back(anchor);
      return {};
    }
    if (line == kEndOfFile) {
      if (file.hunks.empty()) return fault("\"{}\" stands after lines", kEndOfFile);
      file.hunks.back().is_at_end = true;
      return {};
    }
    if (line.starts_with("*** ")) return fault("this is no line of a patch");
    return add_line(file, raw);
  }

  Result<void> add_line(PatchFile& file, std::string_view raw) {
    if (raw.ends_with('\r')) raw.remove_suffix(1);
    // Some leave out the blank before an empty line.
    const char sign = raw.empty() ? ' ' : raw.front();
    if (sign != ' ' && sign != '+' && sign != '-')
      return fault("it must begin with ' ', '+', '-', '@@' or '*** '");
    if (file.hunks.empty() || file.hunks.back().is_at_end) file.hunks.push_back({.line = at_ + 1});
    const auto kind = sign == '+'   ? Line::Kind::Added
                      : sign == '-' ? Line::Kind::Removed
                                    : Line::Kind::Same;
    file.hunks.back().lines.push_back({kind, std::string(raw.empty() ? raw : raw.substr(1))});
    return {};
  }

  Result<std::vector<PatchFile>> finish() {
    if (files_.empty()) return fail(Errc::InvalidRequest, "the patch names no file");
    for (PatchFile& file : files_) {
      if (file.kind != PatchFile::Kind::Update) continue;
      // An empty line before the next file belongs to nobody.
      for (PatchHunk& hunk : file.hunks) drop_empty_end(hunk);
      std::erase_if(file.hunks, [](const PatchHunk& hunk) { return hunk.lines.empty(); });
      if (file.hunks.empty() && file.move_to.empty())
        return fail(Errc::InvalidRequest, "the patch changes no line of {}",
                    visible_text(file.path, false));
    }
    return std::move(files_);
  }

  static void drop_empty_end(PatchHunk& hunk) {
    const bool only_empty = std::ranges::all_of(hunk.lines, [](const Line& line) {
      return line.kind == Line::Kind::Same && trimmed(line.text).empty();
    });
    if (only_empty) hunk.lines.clear();
  }

  TextLines lines_;
  std::size_t at_ = 0;
  std::vector<PatchFile> files_;
};

using Same = bool (*)(std::string_view, std::string_view);

bool exactly(std::string_view a, std::string_view b) {
  return a == b;
}
bool but_for_end_blanks(std::string_view a, std::string_view b) {
  return without_end_blanks(a) == without_end_blanks(b);
}

class HunkApplier {
 public:
  HunkApplier(std::string_view text, std::string_view shown, PatchSearch& search)
      : text_(text), lines_(split(text)), shown_(shown), search_(search) {
    search_.comparisons += lines_.size();
  }

  Result<std::string> apply(const std::vector<PatchHunk>& hunks) {
    for (const PatchHunk& hunk : hunks)
      if (auto done = apply(hunk); !done) return std::unexpected(done.error());
    copy_up_to(lines_.size());
    // A text without a last line feed stays so.
    if (!text_.empty() && !text_.ends_with('\n') && out_.ends_with('\n')) out_.pop_back();
    return std::move(out_);
  }

 private:
  Result<void> apply(const PatchHunk& hunk) {
    auto from = pass_anchors(hunk);
    if (!from) return std::unexpected(from.error());
    TextLines old_lines;
    for (const Line& line : hunk.lines)
      if (line.kind != Line::Kind::Added) old_lines.push_back(line.text);
    const auto place = find(hunk, std::move(old_lines), *from);
    if (!place) return std::unexpected(place.error());
    copy_up_to(*place);
    for (const Line& line : hunk.lines) {
      // What stays is taken from the file: its blanks are its own.
      if (line.kind == Line::Kind::Added)
        out_.append(line.text).append("\n");
      else if (line.kind == Line::Kind::Removed || at_ == lines_.size())
        ++at_;
      else
        out_.append(lines_[at_++]).append("\n");
    }
    at_ = std::min(at_, lines_.size());
    return {};
  }

  void copy_up_to(std::size_t end) {
    for (; at_ < end; ++at_) out_.append(lines_[at_]).append("\n");
  }

  bool is_over() const {
    return search_.comparisons > kMostComparisons || (search_.stop && *search_.stop);
  }

  Result<void> check_effort(const PatchHunk& hunk) const {
    if (!is_over()) return {};
    if (search_.stop && *search_.stop) return fail(Errc::Cancelled, "the call was cancelled");
    return fail(Errc::InvalidRequest,
                "line {} of the patch: its lines are too much like {} to be found in time",
                hunk.line, shown_);
  }

  // The number of lines where none fits, or where it takes too long.
  std::size_t find_line(std::size_t from, const auto& fits) const {
    for (; from < lines_.size() && !is_over(); ++from) {
      ++search_.comparisons;
      if (fits(trimmed(lines_[from]))) return from;
    }
    return lines_.size();
  }

  // The line after the last anchor.
  Result<std::size_t> pass_anchors(const PatchHunk& hunk) const {
    std::size_t from = at_;
    for (const std::string& anchor : hunk.anchors) {
      const auto fits = [&](std::string_view line) { return line == anchor; };
      const auto begins = [&](std::string_view line) { return line.starts_with(anchor); };
      std::size_t found = find_line(from, fits);
      if (found == lines_.size()) found = find_line(from, begins);
      if (auto checked = check_effort(hunk); !checked) return std::unexpected(checked.error());
      if (found == lines_.size())
        return fail(Errc::InvalidRequest, "line {} of the patch: there is no line \"{}\" in {}{}",
                    hunk.line, visible_text(anchor, false), shown_,
                    from > 0 ? fmt::format(" after line {}", from) : std::string());
      from = found + 1;
    }
    return from;
  }

  Result<std::size_t> find(const PatchHunk& hunk, TextLines wanted, std::size_t from) const {
    if (wanted.empty()) return hunk.anchors.empty() || hunk.is_at_end ? lines_.size() : from;
    // The anchor itself may be the first line of the hunk.
    if (!hunk.anchors.empty() && from > at_) --from;
    // An empty line at the end of a hunk is often there by mistake.
    for (const bool shortened : {false, true}) {
      if (shortened) {
        if (wanted.size() < 2 || !wanted.back().empty() ||
            hunk.lines.back().kind != Line::Kind::Same)
          break;
        wanted.pop_back();
      }
      for (const Same same : {exactly, but_for_end_blanks}) {
        const auto places = find_all(wanted, from, same, hunk.is_at_end);
        if (auto checked = check_effort(hunk); !checked) return std::unexpected(checked.error());
        if (places.size() == 1 || (!places.empty() && !hunk.anchors.empty())) return places.front();
        if (!places.empty()) return ambiguous(hunk, places);
      }
    }
    return fail(Errc::InvalidRequest,
                "line {} of the patch: these lines are not in {}{}, from \"{}\" on; read the file "
                "again",
                hunk.line, shown_, from > 0 ? fmt::format(" after line {}", from) : std::string(),
                visible_text(first_characters(wanted.front(), 120), false));
  }

  std::vector<std::size_t> find_all(const TextLines& wanted, std::size_t from, Same same,
                                    bool only_at_end) const {
    std::vector<std::size_t> places;
    if (only_at_end && wanted.size() <= lines_.size())
      from = std::max(from, lines_.size() - wanted.size());
    for (std::size_t at = from; at + wanted.size() <= lines_.size(); ++at) {
      if (is_over()) break;
      std::size_t fitting = 0;
      while (fitting < wanted.size() && same(lines_[at + fitting], wanted[fitting])) ++fitting;
      search_.comparisons += fitting + 1;
      if (fitting == wanted.size()) places.push_back(at);
    }
    return places;
  }

  std::unexpected<Error> ambiguous(const PatchHunk& hunk,
                                   const std::vector<std::size_t>& places) const {
    std::vector<std::size_t> numbers;
    for (const std::size_t at : places)
      if (numbers.size() < kMostPlaces) numbers.push_back(at + 1);
    return fail(Errc::InvalidRequest,
                "line {} of the patch: these lines stand {} times in {}, at lines {}{}: give more "
                "of the lines around them, or an @@ line",
                hunk.line, places.size(), shown_, fmt::join(numbers, ", "),
                places.size() > numbers.size() ? ", …" : "");
  }

  const std::string_view text_;
  const TextLines lines_;
  const std::string_view shown_;
  std::size_t at_ = 0;  // the first line that is not in `out_`
  PatchSearch& search_;
  std::string out_;
};

}  // namespace

Result<std::vector<PatchFile>> parse_patch(std::string_view text) {
  return PatchParser(text).parse();
}

Result<std::string> apply_hunks(std::string_view text, const std::vector<PatchHunk>& hunks,
                                std::string_view shown, PatchSearch& search) {
  return HunkApplier(text, shown, search).apply(hunks);
}

}  // namespace toolgate
