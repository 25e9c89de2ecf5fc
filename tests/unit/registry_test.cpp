// The registry: who may register what, when changes are told, and what readers see meanwhile.
#include "toolgate/registry.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

using namespace std::chrono_literals;

// A clock that stands still until a test moves it.
class ManualTimer final : public ChangeTimer {
 public:
  struct State {
    std::chrono::milliseconds now{0};
    std::chrono::milliseconds due{-1};
    std::function<void()> fire;

    void advance(std::chrono::milliseconds time) {
      now += time;
      if (due < 0ms || now < due) return;
      due = -1ms;
      std::exchange(fire, nullptr)();
    }
  };

  explicit ManualTimer(std::shared_ptr<State> state) : state_(std::move(state)) {}
  void start(std::chrono::milliseconds delay, std::function<void()> fire) override {
    state_->due = state_->now + delay;
    state_->fire = std::move(fire);
  }
  void stop() override { state_->due = -1ms; }

 private:
  std::shared_ptr<State> state_;
};

class Nothing final : public Tool {
 public:
  Task<Result<ToolResult>> invoke(const ToolCall&, const Cancel&) override {
    co_return ToolResult{};
  }
};

ToolData tool(std::string id, std::string when = {}) {
  ToolData data;
  data.id = std::move(id);
  data.display_name = data.id;
  data.when = std::move(when);
  return data;
}

std::string ids(const Catalog& catalog) {
  std::string out;
  for (const CatalogTool& entry : catalog.tools) out += entry.data().id + " ";
  return out;
}

class RegistryTest : public testing::Test {
 protected:
  Registration add(std::string id, std::string when = {}) {
    auto added = registry_.add_data(tool(std::move(id), std::move(when)));
    EXPECT_TRUE(added) << added.error().message;
    return added ? std::move(*added) : Registration();
  }

  std::shared_ptr<ManualTimer::State> clock_ = std::make_shared<ManualTimer::State>();
  Registry registry_{std::make_unique<ManualTimer>(clock_)};
  int told_ = 0;
  std::shared_ptr<const Catalog> last_;
  Registration listener_ = registry_.on_change([this](const auto& catalog) {
    ++told_;
    last_ = catalog;
  });
};

TEST_F(RegistryTest, KeepsTheOrderOfRegistration) {
  const auto b = add("b");
  auto a = add("a");
  const auto c = add("c");
  EXPECT_EQ(ids(*registry_.catalog()), "b a c ");
  a.undo();
  EXPECT_EQ(ids(*registry_.catalog()), "b c ");
  a = add("a");
  EXPECT_EQ(ids(*registry_.catalog()), "b c a ");
}

TEST_F(RegistryTest, RefusesAnIdThatIsTaken) {
  const auto first = add("a");
  const auto second = registry_.add_data(tool("a"));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::AlreadyExists);
  EXPECT_NE(second.error().message.find("'a' is already registered"), std::string::npos);
}

TEST_F(RegistryTest, RefusesDataThatNoModelCouldBeGiven) {
  for (const char* id : {"", "a b", "a.b", "tööl"})
    EXPECT_FALSE(registry_.add_data(tool(id))) << id;
  EXPECT_FALSE(registry_.add_data(tool(std::string(65, 'a'))));
  EXPECT_TRUE(registry_.add_data(tool(std::string(64, 'a'))));
  ToolData data = tool("a");
  data.input_schema = "{";
  EXPECT_EQ(registry_.add_data(data).error().where, "inputSchema");
  data.input_schema = "[]";
  EXPECT_FALSE(registry_.add_data(data));
  data.input_schema = "";
  data.source.kind = ToolSource::Kind::External;
  EXPECT_FALSE(registry_.add_data(data));
}

TEST_F(RegistryTest, TakesAnImplementationOnlyForWhatWasDeclared) {
  const auto none = registry_.add_implementation("a", std::make_shared<Nothing>());
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("not contributed"), std::string::npos);
  const auto data = add("a");
  EXPECT_EQ(registry_.catalog()->find_tool("a")->state(), "declared");
  auto first = registry_.add_implementation("a", std::make_shared<Nothing>());
  ASSERT_TRUE(first);
  EXPECT_EQ(registry_.catalog()->find_tool("a")->state(), "enabled");
  EXPECT_FALSE(registry_.add_implementation("a", std::make_shared<Nothing>()));
  first->undo();
  EXPECT_EQ(registry_.catalog()->find_tool("a")->state(), "declared");
  EXPECT_TRUE(registry_.add_implementation("a", std::make_shared<Nothing>()));
}

TEST_F(RegistryTest, UndoingTheDataTakesTheImplementationAlong) {
  auto data = add("a");
  const auto implementation = registry_.add_implementation("a", std::make_shared<Nothing>());
  data.undo();
  EXPECT_EQ(registry_.catalog()->find_tool("a"), nullptr);
  data = add("a");
  EXPECT_EQ(registry_.catalog()->find_tool("a")->implementation, nullptr);
}

TEST_F(RegistryTest, AnUndoAfterTheRegistryIsHarmless) {
  Registration left;
  {
    Registry registry;
    left = *registry.add_data(tool("a"));
  }
  left.undo();
}

TEST_F(RegistryTest, TellsABurstOnceAfterItsFirstChange) {
  const auto a = add("a");
  clock_->advance(700ms);
  const auto b = add("b");
  EXPECT_EQ(told_, 0);
  clock_->advance(50ms);
  EXPECT_EQ(told_, 1);
  EXPECT_EQ(ids(*last_), "a b ");
  clock_->advance(10s);
  EXPECT_EQ(told_, 1);
}

TEST_F(RegistryTest, AChangedKeyStartsTheTimeAnew) {
  const auto a = add("a", "k");
  clock_->advance(750ms);
  EXPECT_EQ(told_, 1);
  EXPECT_FALSE(last_->tools[0].enabled());
  ASSERT_TRUE(registry_.set_context("k", "true"));
  clock_->advance(500ms);
  ASSERT_TRUE(registry_.set_context("k", "1"));
  clock_->advance(500ms);
  EXPECT_EQ(told_, 1);
  clock_->advance(250ms);
  EXPECT_EQ(told_, 2);
  EXPECT_TRUE(last_->tools[0].enabled());
}

TEST_F(RegistryTest, AKeyThatNoToolReadsIsNoChange) {
  const auto a = add("a", "k");
  registry_.flush();
  ASSERT_TRUE(registry_.set_context("z", "true"));
  registry_.flush();
  EXPECT_EQ(told_, 1);
  ASSERT_TRUE(registry_.set_context("k", "false"));
  ASSERT_TRUE(registry_.set_context("k", "false"));
  registry_.flush();
  EXPECT_EQ(told_, 2);
}

TEST_F(RegistryTest, ASettingThatChangesIsTold) {
  const auto a = add("a");
  registry_.flush();
  registry_.set_settings({.agent_enabled = true, .extension_tools_enabled = false});
  clock_->advance(750ms);
  EXPECT_EQ(told_, 2);
  registry_.set_settings({.agent_enabled = true, .extension_tools_enabled = false});
  clock_->advance(750ms);
  EXPECT_EQ(told_, 2);
}

TEST_F(RegistryTest, AnImplementationIsNoChange) {
  const auto a = add("a");
  registry_.flush();
  const auto implementation = registry_.add_implementation("a", std::make_shared<Nothing>());
  clock_->advance(10s);
  EXPECT_EQ(told_, 1);
}

TEST_F(RegistryTest, FlushTellsAtOnceAndOnlyIfSomethingWaits) {
  registry_.flush();
  EXPECT_EQ(told_, 0);
  const auto a = add("a");
  registry_.flush();
  EXPECT_EQ(told_, 1);
  clock_->advance(10s);
  EXPECT_EQ(told_, 1);
}

TEST_F(RegistryTest, AListenerMayRegisterAndLeave) {
  std::vector<Registration> kept;
  Registration own;
  own = registry_.on_change([&](const auto&) {
    own.undo();
    kept.push_back(add("late"));
  });
  const auto a = add("a");
  registry_.flush();
  EXPECT_EQ(ids(*registry_.catalog()), "a late ");
  registry_.flush();
  EXPECT_EQ(kept.size(), 1);
}

TEST_F(RegistryTest, AReaderKeepsTheCatalogueItTook) {
  auto a = add("a");
  const auto before = registry_.catalog();
  EXPECT_EQ(registry_.catalog(), before);  // nothing changed: the same one
  a.undo();
  EXPECT_EQ(ids(*before), "a ");
  EXPECT_EQ(ids(*registry_.catalog()), "");
  EXPECT_GT(registry_.catalog()->version, before->version);
}

TEST_F(RegistryTest, MembersOfASetMayComeLater) {
  ToolSetData set;
  set.id = set.reference_name = "mine";
  set.needs_member = true;
  set.members = {{ToolSetMember::By::ReferenceName, "lateRef"}, {ToolSetMember::By::ToolId, "b"}};
  const auto added = registry_.add_set(set);
  EXPECT_EQ(registry_.catalog()->find_set("mine"), nullptr);
  EXPECT_EQ(registry_.catalog()->problems.size(), 1);
  ToolData late = tool("late");
  late.reference_name = "lateRef";
  const auto one = registry_.add_data(late);
  const auto* found = registry_.catalog()->find_set("mine");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->tools.size(), 1);
  EXPECT_EQ(found->missing, std::vector<std::string>{"b"});
  const auto two = add("b");
  EXPECT_EQ(registry_.catalog()->find_set("mine")->tools.size(), 2);
  EXPECT_TRUE(registry_.catalog()->problems.empty());
}

TEST_F(RegistryTest, SetsThatHoldEachOtherEnd) {
  const auto make = [](std::string id, std::string other, std::string tool_id) {
    ToolSetData set;
    set.id = set.reference_name = std::move(id);
    set.members = {{ToolSetMember::By::SetId, set.id},
                   {ToolSetMember::By::SetId, std::move(other)},
                   {ToolSetMember::By::ToolId, std::move(tool_id)}};
    return set;
  };
  const auto a = add("a");
  const auto b = add("b");
  const auto one = registry_.add_set(make("one", "two", "a"));
  const auto two = registry_.add_set(make("two", "one", "b"));
  const auto catalog = registry_.catalog();
  EXPECT_EQ(catalog->members_of(*catalog->find_set("one")), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(catalog->members_of(*catalog->find_set("two")), (std::vector<std::uint32_t>{1, 0}));
}

TEST_F(RegistryTest, PrivateToolsAreInNoList) {
  ToolData data = tool("hidden");
  data.is_private = true;
  const auto hidden = registry_.add_data(data);
  const auto shown = add("shown");
  const auto catalog = registry_.catalog();
  EXPECT_NE(catalog->find_tool("hidden"), nullptr);
  EXPECT_EQ(catalog->enabled_tools(), std::vector<std::uint32_t>{1});
}

// A timer with a thread of its own, as a program's event loop has it.
class ThreadTimer final : public ChangeTimer {
 public:
  ~ThreadTimer() override {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void start(std::chrono::milliseconds delay, std::function<void()> fire) override {
    const std::scoped_lock lock(mutex_);
    due_ = std::chrono::steady_clock::now() + delay;
    fire_ = std::move(fire);
    changed_.notify_all();
  }
  void stop() override {
    const std::scoped_lock lock(mutex_);
    fire_ = nullptr;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!ended_) {
      if (!fire_) {
        changed_.wait(lock);
      } else if (std::chrono::steady_clock::now() < due_) {
        changed_.wait_until(lock, due_);
      } else {
        const auto fire = std::exchange(fire_, nullptr);
        lock.unlock();
        fire();
        lock.lock();
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::steady_clock::time_point due_;
  std::function<void()> fire_;
  bool ended_ = false;
  std::thread thread_{[this] { run(); }};
};

std::atomic<int> counted_tools = 0;

class Counted final : public Tool {
 public:
  Counted() { ++counted_tools; }
  ~Counted() override { --counted_tools; }
  Task<Result<ToolResult>> invoke(const ToolCall&, const Cancel&) override {
    co_return ToolResult{};
  }
};

// What readers find wrong in catalogues while tools come and go.
class Reader {
 public:
  explicit Reader(Registry& registry) : thread_([this, &registry] { run(registry); }) {}
  void stop() {
    stop_ = true;
    thread_.join();
  }

  std::uint64_t reads = 0;
  std::uint64_t torn = 0;

 private:
  void run(Registry& registry) {
    std::uint64_t version = 0;
    do {
      const auto catalog = registry.catalog();
      if (catalog->version < version) ++torn;
      version = catalog->version;
      // The second of a pair never stands without the first.
      for (int i = 0; i < 4; ++i)
        if (catalog->find_tool(fmt::format("second{}", i)) &&
            !catalog->find_tool(fmt::format("first{}", i)))
          ++torn;
      for (const CatalogTool& entry : catalog->tools)
        if (catalog->find_tool(entry.data().id) != &entry) ++torn;
      ++reads;
    } while (!stop_);
  }

  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// Ten thousand changes a second while two threads read: every catalogue is whole, versions never
// fall, the last change is told, and nothing is left behind. `make tsan` runs it for a minute.
TEST(RegistryLoad, ReadersSeeOneConsistentCatalogue) {
  const bool is_long = std::getenv("TOOLGATE_LONG_TESTS") != nullptr;
  const auto time = is_long ? 60s : 2s;
  std::atomic<std::uint64_t> told = 0;
  std::atomic<std::uint64_t> last_told = 0;
  std::atomic<std::uint64_t> fallen = 0;
  std::uint64_t changes = 0;
  {
    Registry registry(std::make_unique<ThreadTimer>());
    const auto listener = registry.on_change([&](const auto& catalog) {
      if (last_told.exchange(catalog->version) > catalog->version) ++fallen;
      ++told;
    });
    std::vector<Registration> fixed;
    for (int i = 0; i < 64; ++i)
      fixed.push_back(*registry.add_data(tool(fmt::format("fixed{}", i))));
    Reader one(registry);
    Reader two(registry);
    const auto started = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() < started + time) {
      for (int i = 0; i < 4; ++i) {
        auto first =
            *registry.add(tool(fmt::format("first{}", i), "a && b"), std::make_shared<Counted>());
        auto second = *registry.add(tool(fmt::format("second{}", i)), std::make_shared<Counted>());
        second.undo();
        first.undo();
        changes += 4;
      }
      std::this_thread::sleep_until(started + changes * 100us);
    }
    one.stop();
    two.stop();
    EXPECT_EQ(one.torn + two.torn, 0);
    EXPECT_GT(one.reads, 0);
    EXPECT_GT(two.reads, 0);
    const auto last = registry.catalog();
    EXPECT_EQ(last->tools.size(), 64);
    const auto patience = std::chrono::steady_clock::now() + 30s;
    while (last_told != last->version && std::chrono::steady_clock::now() < patience)
      std::this_thread::sleep_for(10ms);
    EXPECT_EQ(last_told, last->version);
    // A burst is told 750 ms after it began, so not more often than that.
    EXPECT_LE(told, static_cast<std::uint64_t>(time / Registry::kChangeDelay + 2));
    EXPECT_EQ(fallen, 0);
  }
  EXPECT_EQ(counted_tools, 0);
  if (is_long) EXPECT_GE(changes, 590'000);
}

}  // namespace
}  // namespace toolgate
