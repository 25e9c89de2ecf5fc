#include "builtin/tasks_file.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

constexpr std::string_view kFile = R"({
  // tasks of a small project
  "version": "2.0.0",
  "tasks": [
    {"label": "build", "type": "shell", "command": "make", "args": ["-C", "${workspaceFolder}/a b", {"value": "x;y", "quoting": "strong"}]},
    {"label": "test", "type": "process", "command": "run tests", "args": ["a b", "$HOME"], "dependsOn": ["build"],
     "options": {"cwd": "${workspaceFolder}/sub", "env": {"A": "${workspaceFolderBasename}"}}},
    {"label": "all", "dependsOn": ["build", "test"]},
    {"label": "circle", "command": "a", "dependsOn": "circle2"},
    {"label": "circle2", "command": "b", "dependsOn": "circle"},
    {"type": "npm", "script": "lint"},
    {"type": "npm", "script": "ci", "label": "prepare"},
    {"label": "this file", "command": "cc ${file}"},
    {"label": "asks", "type": "process", "command": "deploy", "args": ["${input:where}"]},
    {"label": "release", "command": "publish", "dependsOn": ["build", "asks"]},
    {"label": "by kind", "command": "a", "dependsOn": [{"type": "npm", "script": "lint"}]},
  ],
})";

std::vector<std::string> lines_of(std::string_view id) {
  const auto tasks = parse_tasks_file(kFile, "/projects/space", "/home/me");
  if (!tasks) return {tasks.error().message};
  const auto ordered = order_tasks(*tasks, id);
  if (!ordered) return {ordered.error().message};
  std::vector<std::string> lines;
  for (const TaskDefinition& task : *ordered) lines.push_back(command_line_of(task));
  return lines;
}

TEST(TasksFile, ATaskRunsAfterWhatItDependsOn) {
  const std::string build = "make -C '/projects/space/a b' 'x;y'";
  const std::string test = "'run tests' 'a b' '$HOME'";
  EXPECT_EQ(lines_of("build"), std::vector{build});
  EXPECT_EQ(lines_of("shell: build"), std::vector{build});
  EXPECT_EQ(lines_of("test"), (std::vector{build, test}));
  EXPECT_EQ(lines_of("all"), (std::vector{build, test}));
}

TEST(TasksFile, OptionsAreFilledIn) {
  const auto tasks = parse_tasks_file(kFile, "/projects/space", "/home/me");
  ASSERT_TRUE(tasks);
  EXPECT_EQ((*tasks)[1].folder, "/projects/space/sub");
  EXPECT_EQ((*tasks)[1].environment[0].second, "space");
  EXPECT_FALSE((*tasks)[1].is_shell);
}

TEST(TasksFile, SaysWhatIsWrong) {
  EXPECT_NE(lines_of("none")[0].find("there is no task 'none'"), std::string::npos);
  EXPECT_NE(lines_of("circle")[0].find("depends on itself"), std::string::npos);
  EXPECT_FALSE(parse_tasks_file("{", "/w", ""));
  EXPECT_FALSE(parse_tasks_file("{}", "/w", ""));
}

TEST(TasksFile, OnlyTheAskedTaskAndItsDependenciesCount) {
  EXPECT_EQ(lines_of("build").size(), 1u);
  const auto says = [](std::string_view id, std::string_view what) {
    const auto lines = lines_of(id);
    return lines.size() == 1 && lines[0].contains(what) ? std::string("yes") : lines[0];
  };
  EXPECT_EQ(says("this file", "'this file' uses ${file}, which only an editor knows"), "yes");
  EXPECT_EQ(says("release", "'asks' uses ${input:where}, which only an editor knows"), "yes");
  EXPECT_EQ(says("by kind", "which is not supported"), "yes");
  EXPECT_EQ(says("npm: lint", "'npm: lint' is of the type 'npm', which is not supported"), "yes");
  EXPECT_EQ(says("prepare", "'prepare' is of the type 'npm', which is not supported"), "yes");
  EXPECT_EQ(says("npm: prepare", "which is not supported"), "yes");
  const std::string none = lines_of("none")[0];
  EXPECT_TRUE(none.contains("it has 'build', 'test', 'all'")) << none;
  EXPECT_FALSE(none.contains("lint") || none.contains("this file")) << none;
}

}  // namespace
}  // namespace toolgate
