// parallel_for: the cost of handing work to the threads, compared with one thread.

#include <ATen/Parallel.h>

#include <benchmark/benchmark.h>

#include <utility>

namespace {

// as_const: see c10_cpu_allocator_benchmark.cpp.
void nothing(int64_t begin, int64_t end) {
  benchmark::DoNotOptimize(std::as_const(begin));
  benchmark::DoNotOptimize(std::as_const(end));
}

// One grain: the calling thread.
void one_grain(benchmark::State& state) {
  for (auto _ : state) at::parallel_for(0, 1000, 1000, nothing);
}
BENCHMARK(one_grain);

// Each of the threads gets a piece without work: waking them and waiting for them.
void wake_threads(benchmark::State& state) {
  const int before = at::get_num_threads();
  at::set_num_threads(static_cast<int>(state.range(0)));
  for (auto _ : state) at::parallel_for(0, state.range(0), 1, nothing);
  at::set_num_threads(before);
}
BENCHMARK(wake_threads)->Arg(1)->Arg(2)->Arg(4)->UseRealTime();

void inside_another(benchmark::State& state) {
  for (auto _ : state) {
    at::parallel_for(0, 2, 1, [](int64_t, int64_t) {
      for (int i = 0; i < 100; ++i) at::parallel_for(0, 1000, 1, nothing);
    });
  }
  state.SetItemsProcessed(state.iterations() * 200);
}
BENCHMARK(inside_another)->UseRealTime();

void reduce(benchmark::State& state) {
  const int64_t n = state.range(0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(at::parallel_reduce(0, n, at::kGrainSize, int64_t(0),
                                                 [](int64_t begin, int64_t end, int64_t sum) {
      for (int64_t i = begin; i < end; ++i) benchmark::DoNotOptimize(std::as_const(sum += i));
      return sum;
    }, [](int64_t a, int64_t b) { return a + b; }));
  }
  state.SetItemsProcessed(state.iterations() * n);
}
BENCHMARK(reduce)->Arg(1 << 10)->Arg(1 << 18)->UseRealTime();

}  // namespace
