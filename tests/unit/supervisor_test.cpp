#include "builtin/supervisor.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

// A process that waits for its end.
class Sleeper {
 public:
  Sleeper() : id_(::fork()) {
    if (id_ == 0)
      for (;;) ::pause();
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  ~Sleeper() {
    if (id_ > 0) ::kill(id_, SIGKILL);
    if (id_ > 0) ::waitpid(id_, nullptr, 0);
  }

  pid_t id() const { return id_; }
  bool is_alive() const { return ::waitpid(id_, nullptr, WNOHANG) == 0; }
  // The signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(id_, 0), &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

 private:
  pid_t id_;
};

TEST(Supervisor, SignalsOnlyChildrenOfTheParentThatWasSeen) {
  Sleeper child;
  EXPECT_TRUE(signal_child(child.id(), ::getpid(), SIGKILL));
  EXPECT_EQ(child.wait(), SIGKILL);
  EXPECT_TRUE(signal_child(Sleeper().id(), 1, SIGKILL)) << "ours whoever was its parent";
}

// As when the number of a process that has ended is given to another.
TEST(Supervisor, SpareAProcessWithTheNumberOfAnother) {
  EXPECT_FALSE(signal_child(::getpid(), -1, SIGKILL)) << "or we would be gone";
  Sleeper child;
  const pid_t id = child.id();
  EXPECT_TRUE(child.is_alive());
  ::kill(id, SIGKILL);
  child.wait();
  EXPECT_FALSE(signal_child(id, ::getpid(), SIGKILL)) << "it is gone";
}

}  // namespace
}  // namespace toolgate
