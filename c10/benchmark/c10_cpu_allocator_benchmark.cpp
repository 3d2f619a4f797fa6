// Compares alloc_cpu and free_cpu with the C library's aligned allocation.
//
// as_const: GCC may change the value of a number or pointer that this version's DoNotOptimize gets
// by plain reference (its bug 105519).

#include <c10/core/CPUAllocator.h>

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

void pair_caching(benchmark::State& state) {
  const auto nbytes = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    void* data = c10::alloc_cpu(nbytes);
    benchmark::DoNotOptimize(std::as_const(data));
    c10::free_cpu(data);
  }
}
BENCHMARK(pair_caching)->Arg(64)->Arg(1000)->Arg(60000)->Arg(1 << 20)->Arg(64 << 20);

void pair_malloc(benchmark::State& state) {
  const auto nbytes = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    void* data = nullptr;
    benchmark::DoNotOptimize(posix_memalign(&data, c10::gAlignment, nbytes));
    benchmark::DoNotOptimize(std::as_const(data));
    std::free(data);
  }
}
BENCHMARK(pair_malloc)->Arg(64)->Arg(1000)->Arg(60000)->Arg(1 << 20)->Arg(64 << 20);

// The use of a large result by an operator: allocate it, write all of it, free it.
void fill_caching(benchmark::State& state) {
  const auto nbytes = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    void* data = c10::alloc_cpu(nbytes);
    std::memset(data, 1, nbytes);
    benchmark::DoNotOptimize(std::as_const(data));
    c10::free_cpu(data);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * nbytes));
}
BENCHMARK(fill_caching)->Arg(1 << 20)->Arg(64 << 20);

void fill_malloc(benchmark::State& state) {
  const auto nbytes = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    void* data = nullptr;
    benchmark::DoNotOptimize(posix_memalign(&data, c10::gAlignment, nbytes));
    std::memset(data, 1, nbytes);
    benchmark::DoNotOptimize(std::as_const(data));
    std::free(data);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * nbytes));
}
BENCHMARK(fill_malloc)->Arg(1 << 20)->Arg(64 << 20);

void many_at_once(benchmark::State& state) {
  void* blocks[1000];
  for (auto _ : state) {
    for (auto& block : blocks) {
      block = c10::alloc_cpu(static_cast<size_t>(state.range(0)));
    }
    for (void* block : blocks) {
      c10::free_cpu(block);
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * 1000));
}
BENCHMARK(many_at_once)->Arg(64)->Arg(1000)->Threads(1)->Threads(2);

}  // namespace
