// Threads that the program starts: each finds the library ready, and has its own number of
// threads.

#include <ATen/Config.h>
#include <ATen/Parallel.h>
#include <ATen/ops/add.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>
#include <ATen/test/support/tensors.h>

#include <thread>

using namespace at;
using namespace torch_test;

namespace {

TEST(ThreadInit, OperatorsRunInNewThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      const Tensor x = at::ones({200, 200});
      EXPECT_TRUE(has(at::sum(at::mm(x, x)), {8000000}));
      EXPECT_TRUE(has(at::sum(at::add(x, x)), {80000}));
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(ThreadInit, NewThreadsMaySetTheirNumberOfThreads) {
  if (!has_openmp()) GTEST_SKIP() << "built without threads";
  set_num_threads(3);
  EXPECT_EQ(get_num_threads(), 3);
  std::thread([] {
    set_num_threads(2);
    EXPECT_EQ(get_num_threads(), 2);
    EXPECT_TRUE(has(at::sum(at::ones({100000})), {100000}));
  }).join();
  EXPECT_EQ(get_num_threads(), 3);
  EXPECT_TRUE(has(at::sum(at::ones({100000})), {100000}));
}

TEST(ThreadInit, TensorsCrossThreads) {
  Tensor x;
  std::thread([&] { x = at::ones({1000}); }).join();
  EXPECT_TRUE(has(at::sum(x), {1000}));
  std::thread([y = std::move(x)]() mutable { y.reset(); }).join();
}

}  // namespace
