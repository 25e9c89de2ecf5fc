#include "builtin/command_rules.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

CommandPlaces places() {
  return {.folder = "/w",
          .edits = default_edit_rules(),
          .places = {.workspaces = {"/w"}, .home = "/home/me"}};
}

bool runs(std::string_view line, const std::vector<CommandRule>& rules = default_command_rules()) {
  return judge_command_line({line}, rules, places()).is_approved;
}

TEST(CommandRules, ReadingIsAllowed) {
  for (const std::string_view line : {"ls",
                                      "ls -la src",
                                      "cat a.txt | grep -n x | head -5",
                                      "git status",
                                      "git log --oneline -5",
                                      "git diff HEAD~1 -- src",
                                      "find . -name '*.c'",
                                      "rg -n 'a b' src",
                                      "cd src && ls",
                                      "echo $HOME $(pwd)",
                                      "ls *.c",
                                      "sed -n 1,20p a.c",
                                      "git branch -a",
                                      "python3 --version",
                                      "grep -r x . 2>/dev/null",
                                      "wc -l < a.txt",
                                      "echo hello > out.txt",
                                      "sort a | uniq -c",
                                      "LC_ALL=C sort a",
                                      "for f in *.c; do cat \"$f\"; done",
                                      "date +%s",
                                      "git --no-pager log"})
    EXPECT_TRUE(runs(line)) << line << ": "
                            << judge_command_line({line}, default_command_rules(), places()).reason;
}

TEST(CommandRules, WhatWritesOrRunsOrHidesIsAsked) {
  for (const std::string_view line : {"rm a",
                                      "ls; rm a",
                                      "ls && rm a",
                                      "ls | xargs rm",
                                      "ls $(rm a)",
                                      "ls `rm a`",
                                      "cat <(rm a)",
                                      "echo a > /etc/passwd",
                                      "echo a > ../b",
                                      "echo a > ~/.bashrc",
                                      "echo a > $X",
                                      "echo a > .vscode/settings.json",
                                      "echo a > .git/config",
                                      "cd / && echo a > b",
                                      "LD_PRELOAD=./e.so ls",
                                      "PATH=.:$PATH ls",
                                      "PATH=.; ls",
                                      "BASH_ENV=e ls",
                                      "GIT_DIR=e git status",
                                      "sudo ls",
                                      "env ls",
                                      "sh -c ls",
                                      "bash -c 'ls'",
                                      "eval ls",
                                      "exec ls",
                                      "command ls",
                                      "nohup ls",
                                      "timeout 5 ls",
                                      ". ./e",
                                      "source e",
                                      "find . -delete",
                                      "find . -de''lete",
                                      "find . \"-exec\" rm {} \\;",
                                      "find . $X",
                                      "find *",
                                      "find . -{delete,x}",
                                      "rg --pre ./e x",
                                      "sort -o a b",
                                      "sort -uo a b",
                                      "sort --outp=a b",
                                      "sed -i s/a/b/ c",
                                      "sed 's/a/b/w out' c",
                                      "git log --output=x",
                                      "git log --outp=x",
                                      "git grep -O./e x",
                                      "git -c core.pager=./e log",
                                      "git push",
                                      "git commit -m x",
                                      "git branch -D x",
                                      "git branch new",
                                      "git tag x",
                                      "date -s 1",
                                      "date 010100",
                                      "tree -o x",
                                      "./ls",
                                      "/tmp/ls",
                                      "ls-evil",
                                      "\"git status\"",
                                      "git 'status x'",
                                      "$CMD",
                                      "l$X",
                                      "python3 -c 1",
                                      "node -e 1",
                                      "awk 1",
                                      "./e --version",
                                      "cat < /dev/tcp/1.2.3.4/80",
                                      "printf -v 'a[$(id)]' x",
                                      "test -v 'a[$(id)]'",
                                      "[ -v a ]",
                                      "tee a",
                                      "curl http://x",
                                      "ls\nrm a",
                                      "echo 'a",
                                      "uniq a b",
                                      "make",
                                      "npm test",
                                      "while true; do rm a; done",
                                      "f() { rm a; }; f",
                                      "cat <<E\n$(rm a)\nE\n",
                                      "export A=1",
                                      "kill 1"})
    EXPECT_FALSE(runs(line))
        << line << ": " << judge_command_line({line}, default_command_rules(), places()).reason;
}

// Lines that look like reading, and of which bash or a program makes something else.
TEST(CommandRules, WhatOnlyLooksLikeReadingIsAsked) {
  for (const std::string_view line : {"echo \"`'touch' x`\"",
                                      "echo \"$\\\n(touch x)\"",
                                      "find . $\\\n'-delete'",
                                      "cat <<\\\n-EOF\nEOF\ntouch x\n-EOF",
                                      "cat << <(ls)\n\necho '\n<(ls)\ntouch x #'",
                                      "echo $(cat <<EOF\nx\nEOF)\ntouch x\nEOF\n)",
                                      "echo $((*/1)|(1))",
                                      "echo $((1)+(2))",
                                      "echo ${x:-<(touch x)}",
                                      "find . -name -{},delete}",
                                      "find . >&--delete",
                                      "find . >& --delete",
                                      "echo x >&1-1; cd /",
                                      "cd /; echo x >&99999999999",
                                      "echo ${x:-\\",
                                      "echo {PATH}>x; ls",
                                      "find . -name '\n' -o -delete",
                                      "find . -name '\u2028' -o -delete",
                                      "find . -name '\n' -exec touch x {} +",
                                      "git log -S'\n' --output=x",
                                      "sort -t'\n' -o x y",
                                      "sort -t'\n' --outp=x y",
                                      "git grep -1O'touch x;echo' foo",
                                      "git remote -v update",
                                      "file -0C -m mg",
                                      "tree -ao f",
                                      "tree -R",
                                      "date -u 010100",
                                      "rg -z x",
                                      "a=1 ls",
                                      "http_proxy=x; ls",
                                      "npm_config_script_shell=./x; ls",
                                      "histchars=x; ls",
                                      "LANG=ja_JP.SJIS; echo \u00e9",
                                      "version='a[$(touch x)]'; let --version"})
    EXPECT_FALSE(runs(line)) << line;
}

TEST(CommandRules, OptionsThatOnlyReadAreAllowed) {
  for (const std::string_view line :
       {"git ls-files --others --exclude-standard", "git log --oneline --output-indicator-new=x",
        "git diff --text", "sort -rnk2 -t, a", "rg --pretty x", "tree -L 2 -a", "date -d yesterday",
        "date -u +%s", "file -b a", "x=1; echo $x", "find . -name '*.o' -newer a", "git remote -v",
        "ls \\\n -la", "echo $((2 * (3 + 4)))", "echo \"${x:-a b}\" ${y##*/}"})
    EXPECT_TRUE(runs(line)) << line << ": "
                            << judge_command_line({line}, default_command_rules(), places()).reason;
}

std::vector<CommandRule> rules_with(std::initializer_list<CommandRule> rules) {
  std::vector<CommandRule> all = default_command_rules();
  for (const CommandRule& rule : rules) set_command_rule(all, rule);
  return all;
}

TEST(CommandRules, KeysAreBeginningsOrExpressions) {
  const auto rules = rules_with({*make_command_rule("npm test", true, false),
                                 *make_command_rule("/^make (all|check)$/", true, false),
                                 *make_command_rule("/^MYTOOL\\b/i", true, false),
                                 *make_command_rule("bin/run.sh", true, false)});
  for (const std::string_view line :
       {"npm test", "npm test -- a", "make all", "mytool x", "./bin/run.sh"})
    EXPECT_TRUE(runs(line, rules)) << line;
  for (const std::string_view line :
       {"npm tests", "npm install", "make install", "make all x", "npm test; rm a",
        "cd sub && bin/run.sh", "pushd sub; ./bin/run.sh"})
    EXPECT_FALSE(runs(line, rules)) << line;
  CommandPlaces below = places();
  below.folder = "/w/sub";
  EXPECT_TRUE(judge_command_line({"npm test"}, rules, below).is_approved);
  EXPECT_FALSE(judge_command_line({"bin/run.sh"}, rules, below).is_approved);
}

TEST(CommandRules, WhatBashEvaluatesIsAskedWhateverTheRulesSay) {
  std::vector<CommandRule> rules;
  for (const std::string_view key :
       {"printf", "test", "[", "unset", "read", "declare", "let", "export"})
    set_command_rule(rules, *make_command_rule(key, true, false));
  for (const std::string_view line :
       {"printf -v 'a[$(touch x)]' %s 1", "printf -v'a[b]' %s 1", "test -v 'a[$(touch x)]'",
        "[ -v 'a[`touch x`]' ]", "unset 'a[$(touch x)]'", "read 'a[$(touch x)]'",
        "declare 'a[$(touch x)]=1'", "declare -i a=b", "declare -n a=b", "let a", "let --version"})
    EXPECT_FALSE(runs(line, rules)) << line;
  for (const std::string_view line :
       {"printf '[%s]' x", "test -f a", "[ -f a ]", "unset a", "export LANG=C", "declare -x a=1"})
    EXPECT_TRUE(runs(line, rules)) << line << judge_command_line({line}, rules, places()).reason;
}

TEST(CommandRules, VariablesForProgramsAreFewerThanThoseOfTheLine) {
  const auto rules = rules_with({*make_command_rule("npm test", true, false)});
  EXPECT_FALSE(runs("npm_config_script_shell=./x npm test", rules));
  EXPECT_FALSE(runs("lower=1 npm test", rules));
  EXPECT_TRUE(runs("CI=1 npm test", rules));
  EXPECT_TRUE(runs("lower=1; npm test", rules));
  const std::vector<std::string> safe{"CI", "LC_ALL"};
  const std::vector<std::string> unsafe{"CI", "LD_PRELOAD"};
  EXPECT_TRUE(judge_command_line({"ls", safe}, rules, places()).is_approved);
  EXPECT_FALSE(judge_command_line({"ls", unsafe}, rules, places()).is_approved);
}

TEST(CommandRules, ARefusalSeesPathsAndLineBreaks) {
  const auto rules = rules_with({*make_command_rule("/^/", true, true),
                                 *make_command_rule("/^tool .*--force/", false, false)});
  EXPECT_TRUE(runs("tool -x", rules));
  EXPECT_FALSE(runs("tool '\n' --force", rules));
  EXPECT_FALSE(runs("tool '\u2028' --force", rules));
  EXPECT_FALSE(runs("/bin/rm a", rules));
}

TEST(CommandRules, NoWinsOverYesAndNullTakesARuleAway) {
  EXPECT_FALSE(runs("git status", rules_with({*make_command_rule("git", false, false)})));
  EXPECT_FALSE(runs("ls", rules_with({*make_command_rule("ls", std::nullopt, false)})));
  EXPECT_TRUE(runs("rm a", rules_with({*make_command_rule("rm", true, false)})));
}

TEST(CommandRules, AWholeLineCanBeAllowedOrRefused) {
  const auto allows = rules_with({*make_command_rule("/^make -j4 && ls$/", true, true)});
  EXPECT_TRUE(runs("make -j4 && ls", allows));
  EXPECT_FALSE(runs("make -j4 && ls && make", allows));
  EXPECT_FALSE(runs("ls | grep x", rules_with({*make_command_rule("/\\|/", false, true)})));
}

TEST(CommandRules, ABadExpressionIsRefused) {
  EXPECT_FALSE(make_command_rule("/(/", true, false));
  EXPECT_FALSE(make_command_rule("", true, false));
  EXPECT_FALSE(make_command_rule("/usr/bin/ls", true, false)->pattern);
}

TEST(CommandRules, AKeyThatMayBeAPathOrAnExpressionIsRefused) {
  for (const std::string_view key : {"/usr/bin/id", "/bin/id", "/usr/bin/", "/bin/su"}) {
    const auto rule = make_command_rule(key, true, false);
    ASSERT_FALSE(rule) << key;
    EXPECT_TRUE(rule.error().message.contains("may be a path")) << rule.error().message;
  }
  for (const std::string_view key : {"/rm/", "/rm/i", "/^ls$/g", "/^\\/usr\\/bin\\/id( |$)/"})
    EXPECT_TRUE(make_command_rule(key, true, false)->pattern) << key;
}

TEST(CommandRules, EveryDefaultRuleIsThere) {
  for (const CommandRule& rule : default_command_rules())
    EXPECT_TRUE(rule.approve.has_value()) << rule.key;
  EXPECT_GT(default_command_rules().size(), 100u);
}

}  // namespace
}  // namespace toolgate
