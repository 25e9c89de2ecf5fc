#include "builtin/shell_command.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

// Every command of a line, each as one line, unknown words with a '?' behind them.
std::vector<std::string> commands_of(std::string_view line) {
  const auto script = parse_shell_script(line);
  if (!script) return {"refused: " + script.error().message};
  std::vector<std::string> commands;
  for (const ShellCommand& command : script->commands) {
    std::string text;
    for (const std::string& name : command.assignments) text += name + "= ";
    for (const ShellWord& word : command.words) text += word.text + (word.is_known ? " " : "? ");
    if (text.ends_with(' ')) text.pop_back();
    commands.push_back(text);
  }
  return commands;
}

struct Case {
  std::string_view line;
  std::vector<std::string> commands;
};

TEST(ShellCommand, FindsEveryCommand) {
  const Case cases[]{
      {"ls", {"ls"}},
      {"ls -la | grep x && rm y || echo no; pwd & id",
       {"ls -la", "grep x", "rm y", "echo no", "pwd", "id"}},
      {"ls |& cat", {"ls", "cat"}},
      {"ls\nrm x\n", {"ls", "rm x"}},
      {"ls # rm x", {"ls"}},
      {"echo a#b", {"echo a#b"}},
      {"echo 'a; rm b' \"c && d\" e\\;f", {"echo a; rm b c && d e;f"}},
      {"echo $(rm x)", {"rm x", "echo ?"}},
      {"echo \"$(rm x)\"", {"rm x", "echo ?"}},
      {"echo '$(rm x)'", {"echo $(rm x)"}},
      {"echo `rm x`", {"rm x", "echo ?"}},
      {"echo $(echo $(rm x))", {"rm x", "echo ?", "echo ?"}},
      {"cat <(rm x) >(rm y)", {"rm x", "rm y", "cat ? ?"}},
      {"(cd a; rm b)", {"cd a", "rm b"}},
      {"{ rm a; }", {"rm a"}},
      {"if true; then rm a; else rm b; fi", {"true", "rm a", "rm b"}},
      {"while true; do rm a; done", {"true", "rm a"}},
      {"for f in a b; do rm $f; done", {"f=", "rm ?"}},
      {"! rm a", {"rm a"}},
      {"time rm a", {"rm a"}},
      {"rm \\\n a", {"rm a"}},
      {"r''m a", {"rm a"}},
      {"A=1 B=$(rm x) ls", {"rm x", "A= B= ls"}},
      {"A=1", {"A="}},
      {"LD_PRELOAD=./x.so ls", {"LD_PRELOAD= ls"}},
      {"echo ${x:-$(rm y)}", {"rm y", "echo ?"}},
      {"cat <<E\n$(rm x)\nE\n", {"cat", "rm x"}},
      {"cat <<'E'\n$(rm x)\nE\n", {"cat"}},
      {"cat <<-E\n\thello\n\tE\nrm x", {"cat", "rm x"}},
      {"cat <<A <<B\na\nA\n`rm x`\nB\nls", {"cat", "rm x", "ls"}},
      {"cat <<< \"$(rm x)\"", {"rm x", "cat"}},
      {"$x -rf", {"? -rf"}},
      {"echo *.c ~ {a,b}", {"echo *.c? ~? {a,b}?"}},
      {"find . -exec rm {} \\;", {"find . -exec rm {} ;"}},
      {"find . -name -{},delete}", {"find . -name -{},delete}?"}},
      {"[ -f a ]", {"[ -f a ]"}},
      {"echo [ [a]", {"echo [ [a]?"}},
      {"echo $((1 + 2))", {"echo ?"}},
      {"echo $((2 * (3 + 4)))", {"echo ?"}},
      {"echo \"`'touch' x`\"", {"touch x", "echo ?"}},
      {"echo \"$'a'\"", {"echo $'a'"}},
  };
  for (const Case& each : cases) EXPECT_EQ(commands_of(each.line), each.commands) << each.line;
}

TEST(ShellCommand, RefusesWhatItDoesNotKnowForCertain) {
  for (const std::string_view line : {"",
                                      "   ",
                                      "# only a comment",
                                      "ls |",
                                      "ls &&",
                                      "&& ls",
                                      "ls; ; ls",
                                      "ls ;; ls",
                                      "(ls",
                                      "ls)",
                                      "{ ls",
                                      "if ls; then",
                                      "for x in a; ls; done",
                                      "echo 'a",
                                      "echo \"a",
                                      "echo `a",
                                      "echo $(a",
                                      "echo ${a",
                                      "f() { rm x; }",
                                      "f () { rm x; }",
                                      "function f { rm x; }",
                                      "case a in a) rm x;; esac",
                                      "[[ -v a[$(rm)] ]]",
                                      "((a[$(rm x)]))",
                                      "echo $((a))",
                                      "echo ${a[$(rm x)]}",
                                      "echo ${a@P}",
                                      "echo ${!a}",
                                      "echo ${a:b}",
                                      "echo ${a:=b}",
                                      "a[$(rm x)]=1",
                                      "a=(1 2)",
                                      "echo $'\\x41'",
                                      "echo $\"a\"",
                                      "echo $[1]",
                                      "cat <<E",
                                      "cat <<E\nno end",
                                      "echo a\rb",
                                      "echo \x1b[0m",
                                      "select x in a; do ls; done",
                                      "coproc ls",
                                      "ls \\",
                                      "> ",
                                      "echo `a \\`b\\``",
                                      "ls & & ls",
                                      "(ls) >a & & ls",
                                      "l\\\ns",
                                      "echo \"$\\\n(rm x)\"",
                                      "echo $\\\n(rm x)",
                                      "echo \"a\\\nb\"",
                                      "ls &\\\n& ls",
                                      "cat <<\\\n-E\nE\nrm x\n-E",
                                      "cat << <(ls)\na\n<(ls)",
                                      "cat <<E\\ F\nE F",
                                      "cat <<E'F'\nEF",
                                      "cat <<E 'a\nE\n'\nE",
                                      "cat <<E \"a\nE\n\"\nE",
                                      "echo $(cat <<E\nx\nE)\nrm x\nE\n)",
                                      "echo `cat <<E\nx\nE\n`",
                                      "echo $(ls # )\n)",
                                      "echo $((*/1)|(1))",
                                      "echo $((1)+(2))",
                                      "echo $((1|2))",
                                      "echo ${x:-<(rm x)}",
                                      "echo ${x:-\\",
                                      "echo ${x:-'a'}",
                                      "echo {fd}>a",
                                      "time -p ls",
                                      "ls >&-a",
                                      "ls >& -a",
                                      "ls <& -a",
                                      "ls 99999>a"})
    EXPECT_FALSE(parse_shell_script(line)) << line;
  EXPECT_FALSE(parse_shell_script(std::string(100'000, 'a')));
  std::string deep;
  for (int i = 0; i < 1'000; ++i) deep += "$(";
  EXPECT_FALSE(parse_shell_script("echo " + deep));
  EXPECT_FALSE(parse_shell_script(std::string(1'000, '(') + "ls" + std::string(1'000, ')')));
  EXPECT_FALSE(parse_shell_script(std::string_view("ls\0rm", 5)));
}

TEST(ShellCommand, FindsRedirectionsToFiles) {
  struct Redirected {
    std::string_view line;
    std::string_view target;
    bool writes;
  };
  for (const Redirected& each :
       {Redirected{"ls > a", "a", true}, Redirected{"ls >>a", "a", true},
        Redirected{"ls >| a", "a", true}, Redirected{"ls &> a", "a", true},
        Redirected{"ls &>> a", "a", true}, Redirected{"ls >& a", "a", true},
        Redirected{"ls 2>a", "a", true}, Redirected{"ls <> a", "a", true},
        Redirected{"ls < a", "a", false}, Redirected{"> a", "a", true},
        Redirected{"{ ls; } > 'a b'", "a b", true}, Redirected{"(ls) >a", "a", true},
        Redirected{"while true; do ls; done > a", "a", true}, Redirected{"ls >&1-1", "1-1", true},
        Redirected{"ls >&99999", "99999", true}}) {
    const auto script = parse_shell_script(each.line);
    ASSERT_TRUE(script) << each.line;
    ASSERT_EQ(script->redirections.size(), 1u) << each.line;
    EXPECT_EQ(script->redirections[0].target.text, each.target) << each.line;
    EXPECT_EQ(script->redirections[0].writes, each.writes) << each.line;
  }
  EXPECT_TRUE(parse_shell_script("ls 2>&1 >&2 3>&1- <&-")->redirections.empty());
}

TEST(ShellCommand, AWordIsReadBackAsItWas) {
  EXPECT_EQ(write_shell_words({{"git", true}, {"a b", true}, {"it's", true}, {"", true}}),
            "git 'a b' 'it'\\''s' ''");
  EXPECT_EQ(write_shell_words({{"*", true}, {"*", false}}), "'*' *");
}

}  // namespace
}  // namespace toolgate
