#include "builtin/test_command.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

TEST(TestCommand, IsKnownByItsProgramAndWhatThatIsTold) {
  for (const std::string_view command : {"npm test",
                                         "npm t",
                                         "npm run test:unit",
                                         "yarn test",
                                         "ctest",
                                         "ctest --test-dir build",
                                         "make test",
                                         "make -j4 check",
                                         "cmake --build build --target test",
                                         "cargo test",
                                         "cargo nextest run",
                                         "go test ./...",
                                         "pytest -x",
                                         "python3 -m pytest",
                                         "python -m unittest",
                                         "python3 tests/run.py --only layers",
                                         "python manage.py test",
                                         "node --test",
                                         "./gradlew :app:testDebugUnitTest",
                                         "bun run test",
                                         "npx jest a.js",
                                         "poetry run pytest",
                                         "timeout 60 ./build/unit_tests",
                                         "cd build && ./tests/toolgate_unit",
                                         "env CI=1 make test | tail -5",
                                         "bash -c 'npm test'",
                                         "coverage run -m pytest",
                                         "function f { make test; }; f",
                                         "sh test.sh",
                                         "A=1 vitest"})
    EXPECT_TRUE(is_test_command(command, "")) << command;
  EXPECT_TRUE(is_test_command("make", "Unit Tests"));
}

TEST(TestCommand, IsNotOneThatOnlyHasTheLettersInIt) {
  for (const std::string_view command : {"ls",
                                         "echo latest news",
                                         "git checkout -q HEAD -- a.txt",
                                         "cat tests/a.txt",
                                         "test -f a",
                                         "grep -rn test src",
                                         "rm -rf test",
                                         "mkdir tests && cd tests",
                                         "npm install jest",
                                         "pip install pytest",
                                         "cargo check",
                                         "cargo build -p test-utils",
                                         "node --check app.js",
                                         "node app.js --test-data",
                                         "git commit -m 'mend the tests'",
                                         "vim test.py",
                                         "make latest",
                                         "docker pull image:latest",
                                         "python3 attest.py",
                                         "echo 'npm test'",
                                         "cat inspector.txt",
                                         ""})
    EXPECT_FALSE(is_test_command(command, "")) << command;
  EXPECT_FALSE(is_test_command("git pull", "Checkout the latest"));
}

}  // namespace
}  // namespace toolgate
