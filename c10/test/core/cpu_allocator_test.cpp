// Tests of the CPU allocator: reuse, bounds, statistics, threads.

#include <c10/core/CPUAllocator.h>

#include <c10/core/impl/SmallBlocks.h>
#include <c10/util/Exception.h>

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using c10::alloc_cpu;
using c10::free_cpu;

bool caching() { return c10::cpu_allocator_is_caching(); }

TEST(SizeClass, HoldsItsSizesAndWastesLittle) {
  using namespace c10::impl;
  for (size_t n = 1; n <= kMaxSmall; ++n) {
    const uint32_t c = size_class_of(n);
    ASSERT_LT(c, kClasses);
    ASSERT_GE(size_of_class(c), n);
    ASSERT_LT(size_of_class(c - 1), n) << "a smaller class would do";
    ASSERT_EQ(size_of_class(c) % 64, 0u);
  }
  EXPECT_EQ(size_of_class(kClasses - 1), kMaxSmall);
}

TEST(CPUAllocator, BlocksAreAlignedWritableAndApart) {
  std::mt19937 random(1);
  std::vector<std::pair<unsigned char*, size_t>> blocks;
  for (int round = 0; round < 4000; ++round) {
    if (blocks.size() < 200 || random() % 2 == 0) {
      const size_t size = size_t{1} << (random() % 20);
      const size_t nbytes = size + random() % size;
      auto* data = static_cast<unsigned char*>(alloc_cpu(nbytes));
      ASSERT_EQ(reinterpret_cast<uintptr_t>(data) % c10::gAlignment, 0u);
      if (caching()) {
        ASSERT_GE(c10::usable_size_cpu(data), nbytes);
      }
      std::memset(data, static_cast<int>(nbytes % 251), nbytes);
      blocks.emplace_back(data, nbytes);
    } else {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      auto [data, nbytes] = blocks.back();
      for (size_t i : {size_t{0}, nbytes / 2, nbytes - 1}) {
        ASSERT_EQ(data[i], nbytes % 251);
      }
      free_cpu(data);
      blocks.pop_back();
    }
  }
  for (auto [data, nbytes] : blocks) {
    ASSERT_EQ(data[nbytes - 1], nbytes % 251);
    free_cpu(data);
  }
}

TEST(CPUAllocator, NothingIsNull) {
  EXPECT_EQ(alloc_cpu(0), nullptr);
  free_cpu(nullptr);
  EXPECT_EQ(c10::usable_size_cpu(nullptr), 0u);
}

TEST(CPUAllocator, ImpossibleSizesAreRefused) {
  for (size_t nbytes :
       {SIZE_MAX, SIZE_MAX - 63, static_cast<size_t>(-4096), size_t{1} << 63, size_t{1} << 60}) {
    try {
      alloc_cpu(nbytes);
      FAIL() << nbytes;
    } catch (const c10::OutOfMemoryError& error) {
      EXPECT_NE(error.msg().find(std::to_string(nbytes)), std::string::npos) << error.msg();
    }
  }
}

TEST(CPUAllocator, ReleasedBlocksServeTheNextRequest) {
  if (!caching()) {
    GTEST_SKIP();
  }
  for (size_t nbytes : {size_t{100}, size_t{5000}, size_t{1} << 20, size_t{64} << 20}) {
    void* first = alloc_cpu(nbytes);
    free_cpu(first);
    void* second = alloc_cpu(nbytes - 1);
    EXPECT_EQ(first, second) << nbytes;
    free_cpu(second);
  }
}

TEST(CPUAllocator, StatisticsFollow) {
  if (!caching()) {
    GTEST_SKIP();
  }
  constexpr size_t kSize = size_t{32} << 20;
  c10::empty_cpu_cache();
  const auto before = c10::cpu_allocator_stats();
  c10::reset_peak_cpu_allocator_stats();
  void* large = alloc_cpu(kSize);
  void* small = alloc_cpu(1000);
  const auto during = c10::cpu_allocator_stats();
  EXPECT_EQ(during.allocations, before.allocations + 2);
  EXPECT_GE(during.allocated_bytes, before.allocated_bytes + kSize + 1000);
  EXPECT_GE(during.peak_allocated_bytes, before.allocated_bytes + kSize);
  EXPECT_GE(during.reserved_bytes, during.allocated_bytes);
  free_cpu(large);
  free_cpu(small);
  const auto after = c10::cpu_allocator_stats();
  EXPECT_EQ(after.frees, before.frees + 2);
  EXPECT_EQ(after.allocated_bytes, before.allocated_bytes);
  EXPECT_GE(after.cached_bytes, kSize);
  c10::empty_cpu_cache();
  const auto emptied = c10::cpu_allocator_stats();
  EXPECT_LT(emptied.reserved_bytes, kSize);
  EXPECT_GT(emptied.system_unmaps, before.system_unmaps);
}

TEST(CPUAllocator, AnotherThreadMayFree) {
  const auto before = c10::cpu_allocator_stats();
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> blocks;
    std::thread([&] {
      for (int i = 0; i < 3000; ++i) {
        blocks.push_back(alloc_cpu(static_cast<size_t>(i % 700) * 100 + 1));
        std::memset(blocks.back(), i, 1);
      }
    }).join();
    std::thread([&] {
      for (void* block : blocks) {
        free_cpu(block);
      }
    }).join();
  }
  if (caching()) {
    const auto after = c10::cpu_allocator_stats();
    EXPECT_EQ(after.allocated_bytes, before.allocated_bytes);
    EXPECT_EQ(after.allocations - before.allocations, after.frees - before.frees);
    // Blocks that the threads freed were reused: 20 rounds took no more memory than a few.
    EXPECT_LT(after.reserved_bytes, size_t{600} << 20);
  }
}

TEST(CPUAllocator, ThreadsRunAtOnce) {
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([seed] {
      std::mt19937 random(seed);
      std::vector<unsigned char*> mine(64, nullptr);
      for (int i = 0; i < 20000; ++i) {
        auto& slot = mine[random() % mine.size()];
        if (slot) {
          ASSERT_EQ(*slot, static_cast<unsigned char>(seed));
        }
        free_cpu(slot);
        slot = static_cast<unsigned char*>(alloc_cpu(1 + random() % 100000));
        *slot = static_cast<unsigned char>(seed);
      }
      for (auto* block : mine) {
        free_cpu(block);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

// Frees in the destructor of a thread_local that outlives the thread's cache.
struct FreesLate {
  void* block = nullptr;
  ~FreesLate() {
    free_cpu(block);
    free_cpu(alloc_cpu(300));
  }
};

TEST(CPUAllocator, WorksWhileAThreadEnds) {
  const auto before = c10::cpu_allocator_stats();
  std::thread([] {
    static thread_local FreesLate late;  // made before the cache, so destroyed after it
    late.block = alloc_cpu(500);
  }).join();
  const auto after = c10::cpu_allocator_stats();
  EXPECT_EQ(after.allocated_bytes, before.allocated_bytes);
}

TEST(CPUAllocator, SurvivesForkWhileThreadsAllocate) {
  if (!caching()) {
    GTEST_SKIP() << "the sanitizers' own malloc does not survive it";
  }
  bool stop = false;
  std::thread busy([&] {
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
      void* blocks[600];
      for (auto& block : blocks) {
        block = alloc_cpu(3000);
      }
      for (void* block : blocks) {
        free_cpu(block);
      }
      free_cpu(alloc_cpu(1 << 20));
    }
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (int k = 1; k < 2000; ++k) {
        free_cpu(alloc_cpu(static_cast<size_t>(k) * 97));
      }
      _exit(7);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  busy.join();
}

// The switches are read once per process: each is tried in a child that starts this program again.
std::string run_self(const std::string& environment, const char* test) {
  const std::string command = environment + " timeout 60 /proc/" + std::to_string(getpid()) +
                              "/exe --gtest_also_run_disabled_tests --gtest_filter=" + test +
                              " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  char text[256];
  while (fgets(text, sizeof(text), pipe)) {
    output += text;
  }
  return pclose(pipe) == 0 ? "passed" : output;
}

TEST(CPUAllocatorChild, DISABLED_Malloc) {
  EXPECT_FALSE(caching());
  void* block = alloc_cpu(1 << 20);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % c10::gAlignment, 0u);
  free_cpu(block);
  free_cpu(alloc_cpu(5));
  EXPECT_THROW(alloc_cpu(SIZE_MAX - 5), c10::OutOfMemoryError);
  EXPECT_EQ(c10::cpu_allocator_stats().reserved_bytes, 0u);
}

TEST(CPUAllocatorChild, DISABLED_BoundOf8M) {
  for (int i = 0; i < 4; ++i) {
    free_cpu(alloc_cpu(size_t{3} << (20 + i)));
    EXPECT_LE(c10::cpu_allocator_stats().cached_bytes, size_t{9} << 20);
  }
  EXPECT_GE(c10::cpu_allocator_stats().system_unmaps, 2u);
}

TEST(CPUAllocatorChild, DISABLED_IdleOfNothing) {
  free_cpu(alloc_cpu(size_t{5} << 20));
  usleep(30000);
  free_cpu(alloc_cpu(size_t{50} << 20));
  EXPECT_GE(c10::cpu_allocator_stats().system_unmaps, 1u);
}

// The number of threads of this process.
int count_threads() {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("Threads:", 0) == 0) return std::stoi(line.substr(8));
  }
  return -1;
}

bool becomes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    usleep(10000);
  }
  return false;
}

// No further allocations or frees, and the memory is released all the same.
TEST(CPUAllocatorChild, DISABLED_IdleForASecond) {
  EXPECT_EQ(count_threads(), 1);
  void* small = alloc_cpu(1000);
  free_cpu(small);
  EXPECT_EQ(count_threads(), 1);
  void* first = alloc_cpu(size_t{5} << 20);
  void* second = alloc_cpu(size_t{9} << 20);
  free_cpu(first);
  EXPECT_EQ(count_threads(), 2);
  free_cpu(second);
  EXPECT_EQ(count_threads(), 2);
  EXPECT_GE(c10::cpu_allocator_stats().cached_bytes, size_t{14} << 20);
  EXPECT_TRUE(
      becomes_true([] { return c10::cpu_allocator_stats().cached_bytes < size_t{1} << 20; }));
  EXPECT_EQ(c10::cpu_allocator_stats().system_unmaps, 2u);
  EXPECT_TRUE(becomes_true([] { return count_threads() == 1; }));
  free_cpu(alloc_cpu(size_t{5} << 20));
  EXPECT_EQ(count_threads(), 2);
  EXPECT_TRUE(
      becomes_true([] { return c10::cpu_allocator_stats().cached_bytes < size_t{1} << 20; }));
}

// A forked child keeps none of the parent's pages, and has its own watcher.
TEST(CPUAllocatorChild, DISABLED_IdleAfterFork) {
  free_cpu(alloc_cpu(size_t{5} << 20));
  const pid_t child = fork();
  if (child == 0) {
    bool good = c10::cpu_allocator_stats().cached_bytes < size_t{1} << 20 && count_threads() == 1;
    free_cpu(alloc_cpu(size_t{5} << 20));
    good = good && count_threads() == 2 &&
           becomes_true([] { return c10::cpu_allocator_stats().cached_bytes < size_t{1} << 20; });
    _exit(good ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// Signals are not delivered to the watching thread.
TEST(CPUAllocatorChild, DISABLED_IdleAndSignals) {
  static pid_t handled_by;
  signal(SIGUSR1, [](int) { handled_by = gettid(); });
  free_cpu(alloc_cpu(size_t{5} << 20));
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  kill(getpid(), SIGUSR1);
  usleep(100000);
  EXPECT_EQ(handled_by, 0);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(handled_by, getpid());
}

TEST(CPUAllocator, ObeysItsSwitches) {
  const std::string on = "TORCH_CPU_ALLOCATOR=caching ";
  EXPECT_EQ(run_self("TORCH_CPU_ALLOCATOR=malloc", "*DISABLED_Malloc"), "passed");
  EXPECT_EQ(run_self(on + "TORCH_CPU_ALLOCATOR_MAX_CACHED=8M", "*DISABLED_BoundOf8M"), "passed");
  EXPECT_EQ(run_self(on + "TORCH_CPU_ALLOCATOR_MAX_IDLE=0", "*DISABLED_IdleOfNothing"), "passed");
  for (const char* test : {"IdleForASecond", "IdleAfterFork", "IdleAndSignals"}) {
    EXPECT_EQ(
        run_self(on + "TORCH_CPU_ALLOCATOR_MAX_IDLE=1", (std::string("*DISABLED_") + test).c_str()),
        "passed");
  }
  EXPECT_EQ(run_self(on + "TORCH_CPU_ALLOCATOR_MAX_CACHED=many", "CPUAllocator.NothingIsNull"),
            "passed");
}

TEST(CPUAllocator, IsTheAllocatorOfTheDevice) {
  c10::DataPtr data = c10::GetCPUAllocator()->allocate(1000);
  EXPECT_NE(data.get(), nullptr);
  EXPECT_EQ(data.get_deleter(), &free_cpu);
  EXPECT_EQ(c10::GetCPUAllocator(), c10::GetDefaultCPUAllocator());
}

}  // namespace
