// From the text of a path glob to the steps of its automaton. Only path_glob.cpp uses it.
#pragma once

#include <string>
#include <string_view>

#include "invoke/path_glob.h"

namespace toolgate {

class PathGlobCompiler {
 public:
  explicit PathGlobCompiler(PathGlob& glob) : glob_(glob) {}

  // False where VS Code would make a regular expression that cannot be compiled.
  bool compile(std::u16string_view pattern);

 private:
  using Step = PathGlob::Step;

  void add_pattern(std::u16string_view pattern);
  void add_segment(std::u16string_view segment);
  void add_choices(std::u16string_view choices);
  void add_set(std::u16string_view units, bool negated);
  void add_any_folders(bool is_last);
  void add_any_run(Step::Kind kind);
  void add_run(Step::Kind kind);

  // Each leads to the next one that is added.
  std::uint32_t add(Step::Kind kind, char16_t unit = 0);
  std::uint32_t end() const { return static_cast<std::uint32_t>(glob_.steps_.size()); }
  void lead(std::uint32_t from, std::uint32_t to) { glob_.steps_[from].next = to; }
  void lead_other(std::uint32_t from, std::uint32_t to) { glob_.steps_[from].other = to; }

  PathGlob& glob_;
  bool is_legal_ = true;
};

}  // namespace toolgate
