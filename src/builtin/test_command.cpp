#include "builtin/test_command.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "builtin/shell_command.h"

namespace toolgate {
namespace {

using Words = std::span<const std::string>;
using Names = std::span<const std::string_view>;

constexpr int kMostShells = 4;  // bash -c "bash -c …"

constexpr std::array<std::string_view, 4> kTestWords{"test", "tests", "spec", "specs"};
// Programs, and modules of interpreters, whose names do not say it.
constexpr std::array<std::string_view, 23> kTestPrograms{
    "ctest",   "pytest",     "jest",     "vitest",  "mocha",     "ava",    "rspec",  "phpunit",
    "pest",    "nosetests",  "tox",      "nox",     "bats",      "prove",  "behave", "karma",
    "cypress", "playwright", "unittest", "nextest", "gotestsum", "ginkgo", "busted"};
// What they are told is the name of what to do; "check" is a usual one for tests.
constexpr std::array<std::string_view, 20> kRunners{
    "make", "gmake", "ninja", "just",  "task", "rake", "gradle", "gradlew", "mvn",   "mvnw",
    "npm",  "yarn",  "pnpm",  "cmake", "dune", "nx",   "turbo",  "bazel",   "meson", "composer"};
// Only the first thing they are told counts: `cargo test`.
constexpr std::array<std::string_view, 14> kWithSubcommands{
    "cargo", "go",  "dotnet", "swift", "mix",   "flutter", "dart",
    "deno",  "bun", "rails",  "sbt",   "stack", "cabal",   "lein"};
// What they run is the first file, or the module behind -m.
constexpr std::array<std::string_view, 9> kInterpreters{"node", "python", "python3", "ruby", "perl",
                                                        "php",  "sh",     "bash",    "tsx"};
// The command follows.
constexpr std::array<std::string_view, 18> kWrappers{
    "sudo", "env", "time",   "timeout", "nice",   "nohup", "stdbuf",   "npx",      "bunx",
    "uv",   "uvx", "poetry", "pipenv",  "bundle", "hatch", "xvfb-run", "valgrind", "coverage"};
// Of package managers: the names that follow are of packages.
constexpr std::array<std::string_view, 12> kAboutPackages{
    "install", "add",  "i",    "ci",      "remove", "uninstall",
    "update",  "view", "info", "require", "why",    "outdated"};

bool is_one_of(std::string_view word, Names names) {
  return std::ranges::find(names, word) != names.end();
}

// "test:unit", "unit_tests" and "runUnitTests" hold the word, "latest" and "attestation" do not.
bool has_test_word(std::string_view text, Names more = {}) {
  std::string word;
  const auto ends_in_test = [&] {
    const bool found = is_one_of(word, kTestWords) || is_one_of(word, more);
    word.clear();
    return found;
  };
  bool was_small = false;
  for (const char c : text) {
    const bool is_large = c >= 'A' && c <= 'Z';
    const bool is_letter = is_large || (c >= 'a' && c <= 'z');
    if ((!is_letter || (is_large && was_small)) && ends_in_test()) return true;
    if (is_letter) word += ascii_lower(c);
    was_small = is_letter && !is_large;
  }
  return ends_in_test();
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// A program or script: by its own name or the folder that it is in.
bool is_test_file(std::string_view path) {
  const std::string_view name = base_name(path);
  if (is_one_of(name, kTestPrograms) || has_test_word(name)) return true;
  path.remove_suffix(std::min(path.size(), name.size() + 1));
  return is_one_of(base_name(path), kTestWords);
}

bool is_option(std::string_view word) {
  return word.starts_with('-');
}

// The first word that is no option; empty: there is none.
std::string_view first_argument(Words arguments) {
  const auto found = std::ranges::find_if_not(arguments, is_option);
  return found == arguments.end() ? std::string_view() : std::string_view(*found);
}

bool runs_test_target(Words arguments) {
  constexpr std::array<std::string_view, 1> kCheck{"check"};
  if (is_one_of(first_argument(arguments), kAboutPackages)) return false;
  if (first_argument(arguments) == "t") return true;  // npm t
  return std::ranges::any_of(arguments, [&](const std::string& word) {
    return !is_option(word) && !word.contains('/') && !word.contains('=') &&
           (is_one_of(word, kTestPrograms) || has_test_word(word, kCheck));
  });
}

bool is_test_script(std::string_view script, int shells);

bool runs_test_script(std::string_view program, Words arguments, int shells) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--test") return true;
    const bool has_next = i + 1 < arguments.size();
    if (word == "-m" && has_next) return is_test_file(arguments[i + 1]);
    if (word == "-c" && program.ends_with("sh") && has_next)
      return is_test_script(arguments[i + 1], shells + 1);
    if (is_option(word)) continue;
    const bool is_manager = base_name(word) == "manage.py" || base_name(word) == "artisan";
    return is_test_file(word) || (is_manager && has_next && arguments[i + 1] == "test");
  }
  return false;
}

// Behind `timeout 60`, `env A=b`, `poetry run`.
Words without_wrappers(Words words) {
  while (words.size() > 1 && is_one_of(base_name(words[0]), kWrappers)) {
    words = words.subspan(1);
    const auto is_its_own = [](const std::string& word) {
      return is_option(word) || word.contains('=') || word == "run" || word == "exec" ||
             (word[0] >= '0' && word[0] <= '9');
    };
    // "coverage run -m pytest" names a module.
    while (words.size() > 1 && (words[0].empty() || is_its_own(words[0]))) words = words.subspan(1);
  }
  return words;
}

bool is_test_run(Words words, int shells) {
  words = without_wrappers(words);
  if (words.empty() || words[0].empty()) return false;
  const std::string_view program = base_name(words[0]);
  const Words arguments = words.subspan(1);
  if (words[0] == "test") return false;  // the shell's own
  if (is_one_of(program, kRunners)) return runs_test_target(arguments);
  if (is_one_of(program, kWithSubcommands)) {
    std::string_view what = first_argument(arguments);
    if (what == "run" && arguments.size() > 1) what = arguments[1];  // bun run test
    return is_one_of(what, kTestPrograms) || has_test_word(what);
  }
  if (is_one_of(program, kInterpreters) || program.starts_with("python3."))
    return runs_test_script(program, arguments, shells);
  return is_test_file(words[0]);
}

// What cannot be read as a script is taken apart at blanks and signs.
std::vector<std::vector<std::string>> roughly_split(std::string_view script) {
  std::vector<std::vector<std::string>> commands(1);
  bool in_word = false;
  for (const char c : script) {
    if (std::string_view("\n;&|(){}").contains(c)) {
      commands.emplace_back();
      in_word = false;
    } else if (c == ' ' || c == '\t') {
      in_word = false;
    } else {
      if (!in_word) commands.back().emplace_back();
      commands.back().back() += c;
      in_word = true;
    }
  }
  return commands;
}

bool is_test_script(std::string_view script, int shells) {
  if (shells > kMostShells) return false;
  std::vector<std::vector<std::string>> commands;
  if (const auto parsed = parse_shell_script(script))
    for (const ShellCommand& command : parsed->commands) {
      auto& words = commands.emplace_back();
      for (const ShellWord& word : command.words) words.push_back(word.text);
    }
  else
    commands = roughly_split(script);
  return std::ranges::any_of(commands,
                             [&](const auto& words) { return is_test_run(words, shells); });
}

}  // namespace

bool is_test_command(std::string_view command, std::string_view title) {
  return has_test_word(title) || is_test_script(command, 0);
}

}  // namespace toolgate
