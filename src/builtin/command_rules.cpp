#include "builtin/command_rules.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "builtin/command_options.h"
#include "builtin/shell_command.h"

namespace toolgate {
namespace {

// No argument makes these do more than read and print.
constexpr auto kOnlyRead = std::to_array<std::string_view>(
    {"cd",   "echo", "ls",     "pwd",       "cat",     "head",     "tail",     "wc",   "tr",
     "cut",  "cmp",  "which",  "basename",  "dirname", "realpath", "readlink", "stat", "od",
     "du",   "df",   "sleep",  "nl",        "grep",    "egrep",    "fgrep",    "true", "false",
     "diff", "comm", "md5sum", "sha256sum", "whoami",  "uname",    "id"});

// Read and print too, unless told otherwise; what is told must stand there in plain words.
constexpr auto kAllowed = std::to_array<std::string_view>(
    {"file",
     "date",
     "find",
     "rg",
     "sort",
     "tree",
     "column",
     "jq",
     "git status",
     "git log",
     "git show",
     "git diff",
     "git blame",
     "git grep",
     "git ls-files",
     "git rev-parse",
     "git describe",
     "git shortlog",
     "git remote -v",
     "git stash list",
     "git --no-pager status",
     "git --no-pager log",
     "git --no-pager show",
     "git --no-pager diff",
     "/^git branch( (-a|-r|-v|-vv|--all|--remotes|--list|--show-current))*$/",
     "/^git tag( -l| --list)?$/",
     "/^sed -n [0-9]+(,[0-9]+)?p( [^-'][^ ]*)*$/",
     "/^[a-zA-Z0-9+_-]+ --version$/",
     "/^(node|python3?|npm|cargo|go|gcc|g\\+\\+|clang|cmake|make|rustc|java) (-v|-V|version)$/",
     "/^uniq( -[cdui]+)*$/",
     "/^ps( -?(aux|ef|a|e|f))?$/",
     "/^(md5sum|sha1sum|sha512sum)( |$)/"});

// Programs that run other programs hide what really runs; command_options.h has the options that
// make those above write or run something.
constexpr auto kRefused = std::to_array<std::string_view>(
    {"rm",       "rmdir",    "dd",      "mkfs",      "shred",  "kill",    "pkill",   "killall",
     "chmod",    "chown",    "chgrp",   "ln",        "curl",   "wget",    "ssh",     "scp",
     "nc",       "ncat",     "socat",   "telnet",    "sudo",   "su",      "doas",    "env",
     "xargs",    "parallel", "eval",    "exec",      "source", ".",       "command", "builtin",
     "trap",     "alias",    "enable",  "hash",      "shopt",  "let",     "fc",      "bind",
     "complete", "compgen",  "mapfile", "readarray", "nohup",  "setsid",  "timeout", "nice",
     "ionice",   "stdbuf",   "script",  "watch",     "strace", "busybox", "sh",      "bash",
     "dash",     "zsh",      "ksh",     "fish",      "python", "python3", "node",    "perl",
     "ruby",     "awk",      "vi",      "vim",       "less"});

// These hide nothing when all they are asked is their version.
bool is_harmless_name(std::string_view name) {
  return std::ranges::find(kOnlyRead, name) != kOnlyRead.end();
}

constexpr auto kSafeVariables = std::to_array<std::string_view>(
    {"LANG", "TZ", "NO_COLOR", "FORCE_COLOR", "CI", "COLUMNS", "LINES", "NODE_ENV", "RUST_LOG",
     "RUST_BACKTRACE", "TERM", "CLICOLOR", "DEBUG", "PYTHONUNBUFFERED"});

// That a program is started with.
bool is_safe_for_programs(std::string_view name) {
  return std::ranges::find(kSafeVariables, name) != kSafeVariables.end() || name.starts_with("LC_");
}

// That the line keeps for itself: programs see those only that they were started with, and of the
// names in small letters some are known to them, or to bash.
bool is_safe_in_shell(std::string_view name) {
  if (is_safe_for_programs(name)) return true;
  if (!std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
      }))
    return false;
  for (const std::string_view known : {"npm_", "pnpm_", "yarn_", "bun_"})
    if (name.starts_with(known)) return false;
  return name != "_" && name != "histchars" && name != "auto_resume" && !name.contains("proxy");
}

bool changes_locale(std::string_view name) {
  return name == "LANG" || name.starts_with("LC_");
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A refusal takes in more than an allowance: "rm" means "rm-all" too.
bool begins_with_words(std::string_view line, std::string_view words, bool widely) {
  // "./bin/run" and "bin/run" are the same program, "./ls" and "ls" are not.
  if (words.contains('/')) {
    if (line.starts_with("./")) line.remove_prefix(2);
    if (words.starts_with("./")) words.remove_prefix(2);
  }
  if (words.empty() || !line.starts_with(words)) return false;
  if (line.size() == words.size()) return true;
  const char next = line[words.size()];
  return next == ' ' || (widely && is_word_character(words.back()) && !is_word_character(next));
}

// A command as rules see it.
struct RuleSubject {
  std::string_view line;
  std::span<const ShellWord> words = {};  // none: the line is not one command
  std::string one_line = {};  // the same with blanks in the place of what '.' does not match
  std::string by_name = {};   // the same without the folder of its program
};

std::string without_line_breaks(std::string_view text) {
  std::string result(text);
  for (const std::string_view line_break : {"\n", "\r", "\u2028", "\u2029"})
    for (auto at = result.find(line_break); at != result.npos; at = result.find(line_break, at))
      result.replace(at, line_break.size(), " ");
  return result;
}

RuleSubject make_subject(std::string_view line, std::span<const ShellWord> words = {}) {
  RuleSubject subject{.line = line, .words = words, .one_line = without_line_breaks(line)};
  const std::string_view program = line.substr(0, line.find(' '));
  if (const auto slash = program.rfind('/'); slash != program.npos)
    subject.by_name = line.substr(slash + 1);
  return subject;
}

bool is_match(const Pattern& pattern, std::string_view text, bool approving) {
  const auto outcome = pattern.match(text);
  if (outcome == Pattern::Outcome::Exhausted) return !approving;
  return outcome == Pattern::Outcome::Match;
}

// A refusal looks at more than an allowance.
bool matches(const CommandRule& rule, const RuleSubject& subject, bool approving) {
  if (rule.check) return rule.check(subject.words);
  if (rule.pattern)
    return is_match(*rule.pattern, subject.line, approving) ||
           (!approving && subject.one_line != subject.line &&
            is_match(*rule.pattern, subject.one_line, false));
  return begins_with_words(subject.line, rule.key, !approving) ||
         (!approving && !subject.by_name.empty() &&
          begins_with_words(subject.by_name, rule.key, true));
}

const CommandRule* find_rule(std::span<const CommandRule> rules, const RuleSubject& subject,
                             bool approve, bool whole_line) {
  for (const CommandRule& rule : rules)
    if (rule.approve == approve && rule.matches_whole_line == whole_line &&
        matches(rule, subject, approve))
      return &rule;
  return nullptr;
}

std::string in_quotes_of(std::string_view text) {
  constexpr std::size_t kMost = 80;
  return fmt::format("'{}{}'", text.substr(0, kMost), text.size() > kMost ? "…" : "");
}

class LineJudge {
 public:
  LineJudge(std::span<const CommandRule> rules, const CommandPlaces& places)
      : rules_(rules), places_(places) {}

  CommandVerdict judge(const CommandLine& line) {
    const auto script = parse_shell_script(line.text);
    if (!script) return ask("the command cannot be taken apart: {}", script.error().message);
    for (const std::string& name : line.variables)
      if (!is_safe_for_programs(name)) return ask("it sets the variable {}", name);
    const RuleSubject subject = make_subject(line.text);
    if (const auto* rule = find_rule(rules_, subject, false, true))
      return ask("the rule {} wants a question", in_quotes_of(rule->key));
    is_ascii_ = std::ranges::all_of(line.text, [](char c) { return c >= 0; });
    changes_folder_ = std::ranges::any_of(script->commands, [](const ShellCommand& command) {
      return !command.words.empty() &&
             (command.words[0].text == "cd" || command.words[0].text == "pushd" ||
              command.words[0].text == "popd");
    });
    for (const ShellRedirection& redirection : script->redirections)
      if (auto question = look_at(redirection)) return *question;
    const auto* whole = find_rule(rules_, subject, true, true);
    for (const ShellCommand& command : script->commands)
      if (auto question = look_at(command, whole != nullptr)) return *question;
    if (whole) return {true, fmt::format("allowed by the rule {}", in_quotes_of(whole->key))};
    return {true, fmt::format("allowed by {}", fmt::join(used_, ", "))};
  }

 private:
  template <class... Args>
  static CommandVerdict ask(fmt::format_string<Args...> words, Args&&... args) {
    return {false, fmt::format(words, std::forward<Args>(args)...)};
  }

  std::optional<CommandVerdict> look_at(const ShellCommand& command, bool line_is_allowed) {
    for (const std::string& name : command.assignments) {
      if (!(command.words.empty() ? is_safe_in_shell(name) : is_safe_for_programs(name)))
        return ask("it sets the variable {}", name);
      // bash reads the lines that follow by it.
      if (changes_locale(name) && !is_ascii_)
        return ask("it sets the variable {} and is not plain ASCII", name);
    }
    if (command.words.empty()) return std::nullopt;
    if (!command.words[0].is_known) return ask("which program it runs is not known beforehand");
    const std::string line = write_shell_words(command.words);
    const std::string& program = command.words[0].text;
    if (program.contains('/') && !program.starts_with('/') &&
        (changes_folder_ || !begins_in_workspace()))
      return ask("which program {} is depends on the folder", in_quotes_of(program));
    if (evaluates_arguments(command.words))
      return ask("{} may run what stands in its arguments", in_quotes_of(line));
    const RuleSubject subject = make_subject(line, command.words);
    if (const auto* rule = find_rule(rules_, subject, false, false))
      if (!is_plain_version(line))
        return ask("{} is not run without asking, as the rule {} says", in_quotes_of(line),
                   in_quotes_of(rule->key));
    if (line_is_allowed) return std::nullopt;
    const auto* rule = find_rule(rules_, subject, true, false);
    if (!rule)
      return ask("no rule of chat.tools.terminal.autoApprove allows {}", in_quotes_of(line));
    const bool all_known =
        std::ranges::all_of(command.words, [](const ShellWord& word) { return word.is_known; });
    if (!all_known && !is_harmless_name(command.words[0].text))
      return ask("what {} becomes is not known beforehand", in_quotes_of(line));
    note_use(in_quotes_of(rule->key));
    return std::nullopt;
  }

  // Rules name programs below the workspace.
  bool begins_in_workspace() const {
    const auto plain = [](const std::string& folder) {
      return (std::filesystem::path(folder) / "").lexically_normal();
    };
    return !places_.places.workspaces.empty() &&
           plain(places_.places.workspaces.front()) == plain(places_.folder);
  }

  // "python3 --version" is fine though python3 alone is not, as long as that is all.
  bool is_plain_version(std::string_view line) const {
    const auto space = line.find(' ');
    if (space == line.npos) return false;
    const std::string_view option = line.substr(space + 1);
    return (option == "--version" || option == "-V") && !line.contains('/');
  }

  std::optional<CommandVerdict> look_at(const ShellRedirection& redirection) {
    const std::string& text = redirection.target.text;
    if (text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/"))
      return ask("it opens a connection to {}", text);
    if (!redirection.target.is_known) return ask("where it redirects to is not known beforehand");
    if (!redirection.writes || text == "/dev/null" || text == "/dev/stdout" ||
        text == "/dev/stderr")
      return std::nullopt;
    if (changes_folder_ && !text.starts_with('/'))
      return ask("it changes the folder and then writes to {}", in_quotes_of(text));
    const auto path = (std::filesystem::path(places_.folder) / text).lexically_normal();
    const EditCheck check = check_edit(path, places_.edits, places_.places);
    if (check.verdict == EditVerdict::Approved) return std::nullopt;
    return ask("it writes to {}", in_quotes_of(text));
  }

  void note_use(std::string rule) {
    if (std::ranges::find(used_, rule) == used_.end()) used_.push_back(std::move(rule));
  }

  std::span<const CommandRule> rules_;
  const CommandPlaces& places_;
  bool is_ascii_ = false;
  bool changes_folder_ = false;
  std::vector<std::string> used_;
};

template <std::size_t Count>
void add_all(std::vector<CommandRule>& rules, const std::array<std::string_view, Count>& keys,
             bool approve) {
  for (const std::string_view key : keys)
    if (auto rule = make_command_rule(key, approve, false)) rules.push_back(std::move(*rule));
}

bool may_be_path(std::string_view expression, std::string_view flags) {
  const bool is_plain = std::ranges::all_of(expression, [](char c) {
    return is_word_character(c) || std::string_view("/.+-").contains(c);
  });
  return is_plain && (expression.contains('/') || (!flags.empty() && flags != "i"));
}

std::string escape_slashes(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '/' ? std::string("\\/") : std::string(1, c);
  return result;
}

}  // namespace

Result<CommandRule> make_command_rule(std::string_view key, std::optional<bool> approve,
                                      bool matches_whole_line) {
  CommandRule rule{
      .key = std::string(key), .approve = approve, .matches_whole_line = matches_whole_line};
  if (key.empty()) return fail(Errc::InvalidSettings, "must not be empty");
  const auto end = key.rfind('/');
  const std::string_view flags = key.substr(end + 1);
  if (!key.starts_with('/') || end == 0 || flags.find_first_not_of("dgimsuvy") != key.npos)
    return rule;
  std::string expression(key.substr(1, end - 1));
  // An expression would match far more than the program: "/usr/bin/id" is usr/bin with two flags.
  if (may_be_path(expression, flags))
    return fail(Errc::InvalidSettings,
                "may be a path or an expression; for the program write /^{}( |$)/, for an "
                "expression /({})/{}",
                escape_slashes(key), escape_slashes(expression), flags);
  // As an expression of ECMA-262 says it: no other flag changes what a command matches here.
  if (flags.contains('i')) expression = "(?i)" + expression;
  auto pattern = Pattern::make(expression);
  if (!pattern)
    return fail(Errc::InvalidSettings, "is no regular expression: {}", pattern.error().message);
  rule.pattern = std::move(*pattern);
  return rule;
}

const std::vector<CommandRule>& default_command_rules() {
  static const std::vector<CommandRule> kRules = [] {
    std::vector<CommandRule> rules;
    add_all(rules, kOnlyRead, true);
    add_all(rules, kAllowed, true);
    add_all(rules, kRefused, false);
    for (const auto& [key, check] : writing_option_checks())
      rules.push_back({.key = std::string(key), .approve = false, .check = check});
    return rules;
  }();
  return kRules;
}

void set_command_rule(std::vector<CommandRule>& rules, CommandRule rule) {
  const auto same = std::ranges::find(rules, rule.key, &CommandRule::key);
  if (same == rules.end())
    rules.push_back(std::move(rule));
  else
    *same = std::move(rule);
}

CommandVerdict judge_command_line(const CommandLine& line, std::span<const CommandRule> rules,
                                  const CommandPlaces& places) {
  return LineJudge(rules, places).judge(line);
}

}  // namespace toolgate
