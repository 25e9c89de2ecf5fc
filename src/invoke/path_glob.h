// VS Code's path glob, as its glob module reads it, mistakes included: a brace ends at the first
// '}', what is not closed is dropped, characters are UTF-16 units. Common shapes are plain
// comparisons; all others run as a small automaton, in time bounded by the product of both lengths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toolgate {

class PathGlob {
 public:
  explicit PathGlob(std::string_view pattern);

  bool matches(std::string_view path) const;

 private:
  friend class PathGlobCompiler;

  enum class Form : std::uint8_t {
    Nothing,     // empty, or a range the wrong way round
    Ending,      // **/*.text
    Name,        // **/text
    PathEnding,  // **/text/text
    Path,        // text/text
    AnyOf,       // {**/text,**/*.text}
    Steps,
  };

  struct UnitSet {
    std::vector<std::pair<char16_t, char16_t>> ranges;
    bool negated = false;
  };

  // Of the automaton. Steps that take nothing lead to `next`, and those that fork also to `other`.
  struct Step {
    enum class Kind : std::uint8_t { Unit, Slash, NoSlash, InLine, Set, Go, Fork, End };
    Kind kind = Kind::End;
    char16_t unit = 0;
    std::uint32_t set = 0;
    std::uint32_t next = 0;
    std::uint32_t other = 0;
  };

  explicit PathGlob(std::u16string_view pattern);
  bool matches_units(std::u16string_view path) const;
  bool matches_steps(std::u16string_view path) const;
  bool takes(const Step& step, char16_t unit) const;

  Form form_ = Form::Nothing;
  std::u16string text_;
  std::vector<PathGlob> choices_;
  std::vector<Step> steps_;
  std::vector<UnitSet> sets_;
};

}  // namespace toolgate
