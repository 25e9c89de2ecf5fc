#include "invoke/path_glob_compile.h"

#include <algorithm>

namespace toolgate {
namespace {

using Units = std::u16string_view;

constexpr Units kAnyFolders = u"**";

// At separators that stand in no braces and brackets. Nothing after the last one is no part.
std::vector<Units> split_outside(Units text, char16_t separator) {
  std::vector<Units> parts;
  bool in_braces = false;
  bool in_brackets = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char16_t unit = text[at];
    if (unit == separator && !in_braces && !in_brackets) {
      parts.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
    if (unit == u'{' || unit == u'}') in_braces = unit == u'{';
    if (unit == u'[' || unit == u']') in_brackets = unit == u'[';
  }
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace

bool PathGlobCompiler::compile(Units pattern) {
  add_pattern(pattern);
  add(Step::Kind::End);
  return is_legal_;
}

std::uint32_t PathGlobCompiler::add(Step::Kind kind, char16_t unit) {
  const std::uint32_t at = end();
  glob_.steps_.push_back({.kind = kind, .unit = unit, .next = at + 1});
  return at;
}

void PathGlobCompiler::add_any_run(Step::Kind kind) {
  const std::uint32_t fork = add(Step::Kind::Fork);
  lead(add(kind), fork);
  lead_other(fork, end());
}

void PathGlobCompiler::add_run(Step::Kind kind) {
  add(kind);
  add_any_run(kind);
}

// Any number of slashes and of names before a slash; at the end of a pattern also of names after
// one.
void PathGlobCompiler::add_any_folders(bool is_last) {
  const std::uint32_t leave = add(Step::Kind::Fork);
  const std::uint32_t name_first = add(Step::Kind::Fork);
  lead(add(Step::Kind::Slash), leave);
  lead_other(name_first, end());
  const std::uint32_t slash_first = is_last ? add(Step::Kind::Fork) : 0;
  add_run(Step::Kind::NoSlash);
  lead(add(Step::Kind::Slash), leave);
  if (is_last) {
    lead_other(slash_first, end());
    add(Step::Kind::Slash);
    add_run(Step::Kind::NoSlash);
    lead(add(Step::Kind::Go), leave);
  }
  lead_other(leave, end());
}

void PathGlobCompiler::add_pattern(Units pattern) {
  const std::vector<Units> segments = split_outside(pattern, u'/');
  if (!segments.empty() &&
      std::ranges::count(segments, kAnyFolders) == static_cast<std::ptrdiff_t>(segments.size())) {
    add_any_run(Step::Kind::InLine);
    return;
  }
  bool after_any_folders = false;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const bool is_last = i + 1 == segments.size();
    const bool is_any_folders = segments[i] == kAnyFolders;
    if (is_any_folders && !after_any_folders) add_any_folders(is_last);
    if (!is_any_folders) {
      add_segment(segments[i]);
      const bool ends_in_any_folders = i + 2 == segments.size() && segments[i + 1] == kAnyFolders;
      if (!is_last && !ends_in_any_folders) add(Step::Kind::Slash);
    }
    after_any_folders = is_any_folders;
  }
}

void PathGlobCompiler::add_segment(Units segment) {
  bool in_braces = false;
  bool in_brackets = false;
  bool negated = false;
  std::u16string inside;
  for (const char16_t unit : segment) {
    if (in_braces && unit != u'}') {
      inside += unit;
    } else if (in_brackets && (unit != u']' || (inside.empty() && !negated))) {
      if ((unit == u'^' || unit == u'!') && inside.empty() && !negated)
        negated = true;
      else if (unit != u'/')
        inside += unit;
    } else if (unit == u'{') {
      in_braces = true;
    } else if (unit == u'[') {
      in_brackets = true;
    } else if (unit == u'}') {
      add_choices(inside);
      in_braces = false;
      inside.clear();
    } else if (unit == u']') {
      add_set(inside, negated);
      in_brackets = negated = false;
      inside.clear();
    } else if (unit == u'?') {
      add(Step::Kind::NoSlash);
    } else if (unit == u'*') {
      add_any_run(Step::Kind::NoSlash);
    } else {
      add(Step::Kind::Unit, unit);
    }
  }
}

void PathGlobCompiler::add_choices(Units choices) {
  std::vector<std::uint32_t> ends;
  const std::vector<Units> parts = split_outside(choices, u',');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_last = i + 1 == parts.size();
    const std::uint32_t fork = add(is_last ? Step::Kind::Go : Step::Kind::Fork);
    add_pattern(parts[i]);
    if (is_last) break;
    ends.push_back(add(Step::Kind::Go));
    lead_other(fork, end());
  }
  for (const std::uint32_t at : ends) lead(at, end());
}

void PathGlobCompiler::add_set(Units units, bool negated) {
  PathGlob::UnitSet set{.negated = negated};
  for (std::size_t at = 0; at < units.size(); ++at) {
    const bool is_range = at + 2 < units.size() && units[at + 1] == u'-';
    const char16_t last = is_range ? units[at + 2] : units[at];
    if (last < units[at]) is_legal_ = false;
    set.ranges.emplace_back(units[at], last);
    if (is_range) at += 2;
  }
  const std::uint32_t step = add(Step::Kind::Set);
  glob_.steps_[step].set = static_cast<std::uint32_t>(glob_.sets_.size());
  glob_.sets_.push_back(std::move(set));
}

}  // namespace toolgate
