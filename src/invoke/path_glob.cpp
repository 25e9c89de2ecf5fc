#include "invoke/path_glob.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "invoke/code_points.h"
#include "invoke/path_glob_compile.h"

namespace toolgate {
namespace {

using Units = std::u16string_view;

bool is_blank(char16_t unit) {
  static constexpr Units kBlanks =
      u"\t\n\v\f\r \u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A"
      u"\u2028\u2029\u202F\u205F\u3000\uFEFF";
  return kBlanks.contains(unit);
}

Units trimmed(Units text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_name(Units text) {
  return !text.empty() && std::ranges::all_of(text, [](char16_t unit) {
    return unit < 0x80 && (is_ascii_letter_or_digit(static_cast<char>(unit)) || unit == u'_' ||
                           unit == u'.' || unit == u'-');
  });
}

std::vector<Units> split(Units text, char16_t separator) {
  std::vector<Units> parts;
  for (auto end = text.find(separator); end != text.npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

// Names with slashes between them, without the one that may stand at the end.
std::optional<Units> plain_path(Units text) {
  if (text.ends_with(u'/')) text.remove_suffix(1);
  if (!std::ranges::all_of(split(text, u'/'), is_name)) return std::nullopt;
  return text;
}

constexpr Units kAnywhere = u"**/";

// {**/name,**/*name}: each of them is a pattern of its own.
std::vector<Units> plain_choices(Units pattern) {
  if (!pattern.starts_with(u'{') || !pattern.ends_with(u'}') || pattern.size() < 2) return {};
  std::vector<Units> choices = split(pattern.substr(1, pattern.size() - 2), u',');
  for (Units choice : choices) {
    if (!choice.starts_with(kAnywhere)) return {};
    choice.remove_prefix(kAnywhere.size());
    if (choice.starts_with(u'*')) choice.remove_prefix(1);
    if (choice.ends_with(u'/')) choice.remove_suffix(1);
    if (!is_name(choice)) return {};
  }
  return choices;
}

bool ends_with_after(Units path, char16_t separator, Units ending) {
  return path.size() > ending.size() && path.ends_with(ending) &&
         path[path.size() - ending.size() - 1] == separator;
}

}  // namespace

PathGlob::PathGlob(std::string_view pattern) : PathGlob(Units(to_utf16(pattern))) {}

PathGlob::PathGlob(Units untrimmed) {
  const Units pattern = trimmed(untrimmed);
  if (pattern.empty()) return;
  const bool anywhere = pattern.starts_with(kAnywhere);
  const Units rest = anywhere ? pattern.substr(kAnywhere.size()) : pattern;
  if (anywhere && rest.starts_with(u"*.") && is_name(rest.substr(2))) {
    form_ = Form::Ending;
    text_ = rest.substr(1);
  } else if (const auto path = plain_path(rest)) {
    form_ = !anywhere ? Form::Path : path->contains(u'/') ? Form::PathEnding : Form::Name;
    text_ = *path;
  } else if (const auto choices = plain_choices(pattern); !choices.empty()) {
    form_ = Form::AnyOf;
    for (const Units choice : choices) choices_.push_back(PathGlob(choice));
  } else if (PathGlobCompiler(*this).compile(pattern)) {
    form_ = Form::Steps;
  }
}

bool PathGlob::matches(std::string_view path) const {
  return matches_units(to_utf16(path));
}

bool PathGlob::matches_units(Units path) const {
  switch (form_) {
    case Form::Nothing:
      return false;
    case Form::Ending:
      return path.ends_with(text_);
    case Form::Name:
      return path == text_ || ends_with_after(path, u'/', text_) ||
             ends_with_after(path, u'\\', text_);
    case Form::PathEnding:
      return path == text_ || ends_with_after(path, u'/', text_);
    case Form::Path:
      return path == text_;
    case Form::AnyOf:
      return std::ranges::any_of(
          choices_, [&](const PathGlob& choice) { return choice.matches_units(path); });
    case Form::Steps:
      return matches_steps(path);
  }
  return false;
}

bool PathGlob::takes(const Step& step, char16_t unit) const {
  const bool is_slash = unit == u'/' || unit == u'\\';
  switch (step.kind) {
    case Step::Kind::Unit:
      return unit == step.unit;
    case Step::Kind::Slash:
      return is_slash;
    case Step::Kind::NoSlash:
      return !is_slash;
    case Step::Kind::InLine:
      return unit != u'\n' && unit != u'\r' && unit != u'\u2028' && unit != u'\u2029';
    case Step::Kind::Set: {
      const UnitSet& set = sets_[step.set];
      const bool has = std::ranges::any_of(
          set.ranges, [&](auto range) { return range.first <= unit && unit <= range.second; });
      return has != set.negated;
    }
    case Step::Kind::Go:
    case Step::Kind::Fork:
    case Step::Kind::End:
      break;
  }
  return false;
}

// All places in the pattern that the path so far leads to, at once.
bool PathGlob::matches_steps(Units path) const {
  std::vector<std::uint32_t> current;
  std::vector<std::uint32_t> following;
  std::vector<std::size_t> reached(steps_.size(), 0);  // 1 + how many units had been taken
  std::vector<std::uint32_t> waiting;
  const auto reach = [&](std::uint32_t first, std::size_t taken, std::vector<std::uint32_t>& to) {
    waiting.push_back(first);
    while (!waiting.empty()) {
      const std::uint32_t at = waiting.back();
      waiting.pop_back();
      if (reached[at] == taken + 1) continue;
      reached[at] = taken + 1;
      const Step& step = steps_[at];
      if (step.kind == Step::Kind::Fork) waiting.push_back(step.other);
      if (step.kind == Step::Kind::Fork || step.kind == Step::Kind::Go)
        waiting.push_back(step.next);
      else
        to.push_back(at);
    }
  };
  reach(0, 0, current);
  for (std::size_t i = 0; i < path.size() && !current.empty(); ++i) {
    following.clear();
    for (const std::uint32_t at : current)
      if (takes(steps_[at], path[i])) reach(steps_[at].next, i + 1, following);
    current.swap(following);
  }
  return std::ranges::any_of(current,
                             [&](std::uint32_t at) { return steps_[at].kind == Step::Kind::End; });
}

}  // namespace toolgate
