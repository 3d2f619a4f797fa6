// Tests of parallel_for and the number of threads.

#include <ATen/Parallel.h>

#include <ATen/Config.h>
#include <ATen/test/support/tensors.h>
#include <c10/core/GradMode.h>
#include <c10/test/support/throws.h>

#include <atomic>
#include <functional>
#include <numeric>

using namespace at;
using namespace torch_test;

namespace {

struct Threads {
  explicit Threads(int n) : before(get_num_threads()) { set_num_threads(n); }
  ~Threads() { set_num_threads(before); }
  int before;
};

TEST(Parallel, CoversEachElementOnce) {
  for (int threads : {1, 2, 3, 8}) {
    Threads use(threads);
    for (int64_t n : {1, 2, 7, 100, 1001}) {
      for (int64_t grain : {0, 1, 3, 50, 5000}) {
        std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
        parallel_for(0, n, grain, [&](int64_t begin, int64_t end) {
          ASSERT_LT(begin, end);
          for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
        });
        for (auto& count : seen) ASSERT_EQ(count, 1) << n << " " << grain << " " << threads;
      }
    }
  }
}

TEST(Parallel, RangesMayBeginAnywhere) {
  std::atomic<int64_t> sum{0};
  parallel_for(-5, 6, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) sum += i * i;
  });
  EXPECT_EQ(sum, 110);
  parallel_for(3, 3, 1, [](int64_t, int64_t) { FAIL(); });
  parallel_for(4, 3, 1, [](int64_t, int64_t) { FAIL(); });
}

void count_elements(int64_t begin, int64_t end);
std::atomic<int64_t> g_elements{0};
void count_elements(int64_t begin, int64_t end) { g_elements += end - begin; }

TEST(Parallel, TakesPlainFunctions) {
  parallel_for(0, 1000, 10, count_elements);
  EXPECT_EQ(g_elements, 1000);
}

TEST(Parallel, OneGrainStaysOnTheThread) {
  Threads use(4);
  int calls = 0;  // not atomic: one thread
  parallel_for(0, 100, 100, [&](int64_t, int64_t) {
    ++calls;
    EXPECT_FALSE(in_parallel_region());
  });
  EXPECT_EQ(calls, 1);
}

TEST(Parallel, InnerOnesStayOnTheirThread) {
  if (!has_openmp()) GTEST_SKIP() << "built without threads";
  Threads use(3);
  parallel_for(0, 3, 1, [&](int64_t, int64_t) {
    EXPECT_TRUE(in_parallel_region());
    const int outer = get_thread_num();
    int64_t calls = 0;
    parallel_for(0, 1000, 1, [&](int64_t begin, int64_t end) {
      EXPECT_EQ(get_thread_num(), outer);
      calls += end - begin;
    });
    EXPECT_EQ(calls, 1000);
  });
  EXPECT_FALSE(in_parallel_region());
}

TEST(Parallel, ExceptionsReachTheCaller) {
  Threads use(4);
  for (int64_t bad : {0, 57, 99}) {
    EXPECT_TRUE(throws<IndexError>([&] {
      parallel_for(0, 100, 1, [&](int64_t begin, int64_t end) {
        TORCH_CHECK_INDEX(!(begin <= bad && bad < end), "element ", bad);
      });
    }, "element " + std::to_string(bad)));
  }
  EXPECT_THROW(parallel_for(0, 100, 1, [](int64_t, int64_t) { throw std::string("all"); }),
               std::string);
  EXPECT_FALSE(in_parallel_region());
}

TEST(Parallel, ThreadsHaveTheCallersDispatchState) {
  Threads use(3);
  NoGradGuard without;
  std::atomic<int> with{0};
  parallel_for(0, 3, 1, [&](int64_t, int64_t) { with += GradMode::is_enabled(); });
  EXPECT_EQ(with, 0);
  AutoGradMode grad(true);
  parallel_for(0, 3, 1, [&](int64_t begin, int64_t end) {
    if (GradMode::is_enabled()) with += static_cast<int>(end - begin);
  });
  EXPECT_EQ(with, 3);
}

TEST(Parallel, ReductionsCombineInOrder) {
  for (int threads : {1, 2, 5}) {
    Threads use(threads);
    // Joining texts is not commutative: a wrong order is detected.
    const auto digits =
        parallel_reduce(0, 26, 2, std::string(), [](int64_t begin, int64_t end, std::string text) {
      for (int64_t i = begin; i < end; ++i) text += static_cast<char>('a' + i);
      return text;
    }, [](const std::string& a, const std::string& b) { return a + b; });
    EXPECT_EQ(digits, "abcdefghijklmnopqrstuvwxyz");
    const auto sum = [](int64_t begin, int64_t end, int64_t so_far) {
      for (int64_t i = begin; i < end; ++i) so_far += i;
      return so_far;
    };
    EXPECT_EQ(parallel_reduce(0, 10001, 3, int64_t(0), sum, std::plus<int64_t>()), 50005000);
    EXPECT_EQ(parallel_reduce(5, 5, 3, int64_t(7), sum, std::plus<int64_t>()), 7);
  }
}

TEST(Parallel, NumbersOfThreads) {
  EXPECT_GE(get_num_threads(), 1);
  {
    Threads use(3);
    EXPECT_EQ(get_num_threads(), has_openmp() ? 3 : 1);
  }
  EXPECT_TRUE(throws<Error>([] { set_num_threads(0); }, "positive number of threads"));
  EXPECT_THROW(set_num_threads(-1), Error);
  EXPECT_THROW(set_num_interop_threads(0), Error);
  EXPECT_EQ(divup(7, 2), 4);
  EXPECT_EQ(divup(6, 2), 3);
  EXPECT_EQ(divup(0, 2), 0);
}

}  // namespace
