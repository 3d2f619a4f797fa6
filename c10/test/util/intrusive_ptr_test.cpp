// Tests of intrusive_ptr and weak_intrusive_ptr.

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

struct Base : c10::intrusive_ptr_target {
  int value = 1;
};
struct Derived : Base {};

TEST(IntrusivePtr, NullOnes) {
  c10::intrusive_ptr<Base> null, other(nullptr);
  EXPECT_FALSE(null);
  EXPECT_FALSE(null.defined());
  EXPECT_EQ(null.get(), nullptr);
  EXPECT_EQ(null.use_count(), 0u);
  EXPECT_FALSE(null.unique());
  EXPECT_EQ(null, other);
  EXPECT_TRUE(null == nullptr);
  null.reset();
  null = other;
  EXPECT_EQ(null.release(), nullptr);
  c10::weak_intrusive_ptr<Base> weak(null);
  EXPECT_TRUE(weak.expired());
  EXPECT_FALSE(weak.lock());
  EXPECT_FALSE(c10::weak_intrusive_ptr<Base>().lock());
}

TEST(IntrusivePtr, SurvivesBeingAssignedToItself) {
  auto a = c10::make_intrusive<Base>();
  auto& same = a;
  a = same;
  EXPECT_EQ(a.use_count(), 1u);
  a = std::move(same);
  EXPECT_TRUE(a);
  EXPECT_EQ(a->value, 1);
}

TEST(IntrusivePtr, AssignmentGivesUpWhatWasHeld) {
  int first = 0, second = 0;
  bool released = false;
  auto a = c10::make_intrusive<Counted>(&first, &released);
  auto b = c10::make_intrusive<Counted>(&second, &released);
  a = b;
  EXPECT_EQ(first, 0);
  EXPECT_EQ(b.use_count(), 2u);
  a = c10::intrusive_ptr<Counted>();
  EXPECT_EQ(b.use_count(), 1u);
  a.swap(b);
  EXPECT_TRUE(a);
  EXPECT_FALSE(b);
}

TEST(IntrusivePtr, ConvertsToABase) {
  auto derived = c10::make_intrusive<Derived>();
  c10::intrusive_ptr<Base> base = derived;
  EXPECT_EQ(derived.use_count(), 2u);
  EXPECT_EQ(base.get(), derived.get());
  c10::intrusive_ptr<Base> moved = std::move(derived);
  EXPECT_FALSE(derived);
  EXPECT_EQ(moved.use_count(), 2u);
  EXPECT_EQ((*moved).value, 1);
}

TEST(IntrusivePtr, ReclaimsRawPointers) {
  auto a = c10::make_intrusive<Base>();
  auto copy = c10::intrusive_ptr<Base>::reclaim_copy(a.get());
  EXPECT_EQ(a.use_count(), 2u);
  EXPECT_EQ(copy, a);
  EXPECT_FALSE(c10::intrusive_ptr<Base>::reclaim_copy(nullptr));
  Base* raw = copy.release();
  c10::intrusive_access::decref(raw);
  EXPECT_EQ(a.use_count(), 1u);
}

TEST(IntrusivePtr, CopiesOfTheObjectHaveCountsOfTheirOwn) {
  auto a = c10::make_intrusive<Base>();
  auto b = a;
  auto copy = c10::make_intrusive<Base>(*a);
  EXPECT_EQ(copy.use_count(), 1u);
  *copy = *a;
  EXPECT_EQ(copy.use_count(), 1u);
  EXPECT_EQ(a.use_count(), 2u);
}

TEST(IntrusivePtr, ConstructorsExceptionReachesTheCaller) {
  struct Throws : c10::intrusive_ptr_target {
    Throws() { throw 7; }
  };
  EXPECT_THROW(c10::make_intrusive<Throws>(), int);
}

TEST(WeakIntrusivePtr, CountsApartFromStrongOnes) {
  auto strong = c10::make_intrusive<Base>();
  EXPECT_EQ(strong->weak_use_count(), 1u);  // all strong owners together
  c10::weak_intrusive_ptr<Base> weak(strong), copy(weak), moved(std::move(copy));
  EXPECT_EQ(strong->weak_use_count(), 3u);
  EXPECT_EQ(strong.use_count(), 1u);
  auto locked = moved.lock();
  EXPECT_EQ(strong.use_count(), 2u);
  EXPECT_EQ(weak.unsafe_get(), strong.get());
  weak = c10::weak_intrusive_ptr<Base>();
  EXPECT_EQ(strong->weak_use_count(), 2u);
  strong.reset();
  EXPECT_FALSE(moved.expired());  // locked still owns it
  locked.reset();
  EXPECT_TRUE(moved.expired());
}

// Locks race with the last strong owner: each thread gets a complete object or none.
TEST(WeakIntrusivePtr, LocksRaceWithTheEnd) {
  for (int round = 0; round < 200; ++round) {
    int alive = 0;
    bool released = false;
    auto strong = c10::make_intrusive<Counted>(&alive, &released);
    c10::weak_intrusive_ptr<Counted> weak(strong);
    std::thread other([copy = weak] {
      for (int i = 0; i < 50; ++i) {
        auto locked = copy.lock();
        if (!locked) break;
        ASSERT_EQ(*locked->alive, 1);
      }
    });
    strong.reset();
    other.join();
    EXPECT_TRUE(weak.expired());
    weak = c10::weak_intrusive_ptr<Counted>();
    EXPECT_EQ(alive, 0);
  }
}

}  // namespace
