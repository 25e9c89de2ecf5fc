#include "builtin/command_options.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace toolgate {
namespace {

using Words = std::span<const ShellWord>;
using Names = std::initializer_list<std::string_view>;

bool is_program(Words words, std::string_view name) {
  return !words.empty() && words[0].text == name;
}

bool is_one_of(std::string_view word, Names names) {
  return std::ranges::find(names, word) != names.end();
}

// Any of these letters behind one dash, wherever they stand: values of other options may be taken
// for letters, which costs a question.
bool has_letter(Words words, std::string_view letters) {
  return std::ranges::any_of(words.subspan(1), [&](const ShellWord& word) {
    const std::string_view text = word.text;
    return text.starts_with('-') && !text.starts_with("--") &&
           text.find_first_of(letters) != text.npos;
  });
}

// One of these, whole or shortened.
bool has_long(Words words, Names options) {
  return std::ranges::any_of(words.subspan(1), [&](const ShellWord& word) {
    const std::string_view name = std::string_view(word.text).substr(0, word.text.find('='));
    return name.size() > 2 && name.starts_with("--") &&
           std::ranges::any_of(options, [&](auto option) { return option.starts_with(name); });
  });
}

bool find_writes(Words words) {
  return is_program(words, "find") &&
         std::ranges::any_of(words.subspan(1), [](const ShellWord& word) {
           const std::string_view text = word.text;
           return text.starts_with("-exec") || text.starts_with("-ok") ||
                  text.starts_with("-delete") || text.starts_with("-fprint") ||
                  text.starts_with("-fls");
         });
}

bool rg_runs(Words words) {
  return is_program(words, "rg") &&
         (has_letter(words, "z") ||
          has_long(words, {"--pre", "--pre-glob", "--hostname-bin", "--search-zip"}));
}

bool sort_writes(Words words) {
  return is_program(words, "sort") &&
         (has_letter(words, "oT") || has_long(words, {"--output", "--temporary-directory",
                                                      "--compress-program", "--files0-from"}));
}

// -R writes a file in every folder.
bool tree_writes(Words words) {
  return is_program(words, "tree") && (has_letter(words, "oR") || has_long(words, {"--output"}));
}

bool file_writes(Words words) {
  return is_program(words, "file") &&
         (has_letter(words, "CzZ") ||
          has_long(words, {"--compile", "--uncompress", "--uncompress-noreport"}));
}

// A time that stands there by itself is set.
bool date_sets(Words words) {
  if (!is_program(words, "date")) return false;
  if (has_letter(words, "sf") || has_long(words, {"--set", "--file"})) return true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view text = words[i].text;
    if (is_one_of(text, {"-d", "-r", "--date", "--reference"}))
      ++i;
    else if (!text.starts_with('-') && !text.starts_with('+'))
      return true;
  }
  return false;
}

bool git_writes(Words words) {
  if (!is_program(words, "git")) return false;
  if (has_long(words, {"--output", "--ext-diff", "--open-files-in-pager", "--upload-pack"}))
    return true;
  for (const ShellWord& word : words) {
    const std::string_view text = word.text;
    if (text.starts_with("--textc") || text.starts_with("--exec")) return true;
  }
  // git remote -v update
  const auto remote = std::ranges::find(words, "remote", &ShellWord::text);
  if (remote == words.begin() + 1 && words.size() > 3) return true;
  const bool greps =
      std::ranges::any_of(words, [](const ShellWord& word) { return word.text == "grep"; });
  return greps && has_letter(words, "O");
}

constexpr auto kChecks = std::to_array<OptionCheck>({{"find options", find_writes},
                                                     {"rg options", rg_runs},
                                                     {"sort options", sort_writes},
                                                     {"tree options", tree_writes},
                                                     {"file options", file_writes},
                                                     {"date options", date_sets},
                                                     {"git options", git_writes}});

}  // namespace

std::span<const OptionCheck> writing_option_checks() {
  return kChecks;
}

bool evaluates_arguments(Words words) {
  if (words.empty()) return false;
  const std::string_view name = words[0].text;
  if (name == "let") return words.size() > 1;
  const Words arguments = words.subspan(1);
  if (name == "printf" && (arguments.empty() || !arguments[0].text.starts_with("-v"))) return false;
  const bool declares = is_one_of(name, {"declare", "typeset", "local", "export", "readonly"});
  if (!declares && !is_one_of(name, {"printf", "test", "[", "unset", "read", "mapfile", "readarray",
                                     "getopts", "wait"}))
    return false;
  return std::ranges::any_of(arguments, [&](const ShellWord& argument) {
    const std::string_view text = argument.text;
    // Of integers and of references to other variables the value is evaluated too.
    const bool changes_kind = declares && (text.starts_with('-') || text.starts_with('+')) &&
                              text.find_first_of("in") != text.npos;
    return changes_kind || text.contains('[');
  });
}

}  // namespace toolgate
