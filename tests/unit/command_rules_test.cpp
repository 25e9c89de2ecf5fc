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
  return judge_command_line(line, rules, places()).is_approved;
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
                            << judge_command_line(line, default_command_rules(), places()).reason;
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
    EXPECT_FALSE(runs(line)) << line << ": "
                             << judge_command_line(line, default_command_rules(), places()).reason;
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
       {"npm tests", "npm install", "make install", "make all x", "npm test; rm a"})
    EXPECT_FALSE(runs(line, rules)) << line;
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

TEST(CommandRules, EveryDefaultRuleIsThere) {
  for (const CommandRule& rule : default_command_rules())
    EXPECT_TRUE(rule.approve.has_value()) << rule.key;
  EXPECT_GT(default_command_rules().size(), 100u);
}

}  // namespace
}  // namespace toolgate
