#include <c10/util/intrusive_ptr.h>

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace {

struct Counted : c10::intrusive_ptr_target {
  Counted(int* alive, bool* released) : alive(alive), released(released) { ++*alive; }
  ~Counted() override { --*alive; }
  void release_resources() override { *released = true; }
  int* alive;
  bool* released;
};

TEST(IntrusivePtr, FreesWithTheLastOwner) {
  int alive = 0;
  bool released = false;
  {
    auto a = c10::make_intrusive<Counted>(&alive, &released);
    auto b = a;
    EXPECT_EQ(a.use_count(), 2u);
    a.reset();
    EXPECT_EQ(alive, 1);
    EXPECT_TRUE(b.unique());
  }
  EXPECT_EQ(alive, 0);
}

TEST(IntrusivePtr, WeakOwnersKeepMemoryAndSeeTheEnd) {
  int alive = 0;
  bool released = false;
  auto strong = c10::make_intrusive<Counted>(&alive, &released);
  c10::weak_intrusive_ptr<Counted> weak(strong);
  EXPECT_TRUE(weak.lock());
  strong.reset();
  EXPECT_TRUE(released);
  EXPECT_EQ(alive, 1);  // the memory stays for the weak owner
  EXPECT_TRUE(weak.expired());
  EXPECT_FALSE(weak.lock());
  weak = c10::weak_intrusive_ptr<Counted>();
  EXPECT_EQ(alive, 0);
}

TEST(IntrusivePtr, MovesWithoutCounting) {
  int alive = 0;
  bool released = false;
  auto a = c10::make_intrusive<Counted>(&alive, &released);
  auto b = std::move(a);
  EXPECT_FALSE(a);
  EXPECT_EQ(b.use_count(), 1u);
  Counted* raw = b.release();
  auto c = c10::intrusive_ptr<Counted>::reclaim(raw);
  EXPECT_EQ(c.use_count(), 1u);
}

TEST(IntrusivePtr, SharedByThreads) {
  int alive = 0;
  bool released = false;
  auto shared = c10::make_intrusive<Counted>(&alive, &released);
  c10::weak_intrusive_ptr<Counted> weak(shared);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) {
        auto copy = shared;
        auto locked = weak.lock();
        ASSERT_TRUE(locked);
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(shared.use_count(), 1u);
}

}  // namespace
