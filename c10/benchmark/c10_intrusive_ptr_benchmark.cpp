// Compares intrusive_ptr with std::shared_ptr.

#include <c10/util/intrusive_ptr.h>

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

namespace {

struct Counted : c10::intrusive_ptr_target {
  int value = 1;
};
struct Plain {
  int value = 1;
};

template <typename Make>
void make_and_drop(benchmark::State& state, Make make) {
  for (auto _ : state) benchmark::DoNotOptimize(make());
}
template <typename Make>
void copy_and_drop(benchmark::State& state, Make make) {
  const auto pointer = make();
  for (auto _ : state) {
    auto copy = pointer;
    benchmark::DoNotOptimize(copy);
  }
}
// Copying all pointers of a list, as a saved list of tensors does.
template <typename Make>
void copy_list(benchmark::State& state, Make make) {
  std::vector<decltype(make())> list;
  for (int64_t i = 0; i < state.range(0); ++i) list.push_back(make());
  for (auto _ : state) {
    auto copy = list;
    benchmark::DoNotOptimize(copy.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

auto intrusive = [] { return c10::make_intrusive<Counted>(); };
auto shared = [] { return std::make_shared<Plain>(); };

BENCHMARK_CAPTURE(make_and_drop, intrusive, intrusive);
BENCHMARK_CAPTURE(make_and_drop, shared, shared);
BENCHMARK_CAPTURE(copy_and_drop, intrusive, intrusive);
BENCHMARK_CAPTURE(copy_and_drop, shared, shared);
BENCHMARK_CAPTURE(copy_list, intrusive, intrusive)->Arg(16)->Arg(1024);
BENCHMARK_CAPTURE(copy_list, shared, shared)->Arg(16)->Arg(1024);

void lock_weak(benchmark::State& state) {
  const auto strong = intrusive();
  const c10::weak_intrusive_ptr<Counted> weak(strong);
  for (auto _ : state) benchmark::DoNotOptimize(weak.lock());
}
BENCHMARK(lock_weak);

// One counter, used by several threads at once.
void copy_contended(benchmark::State& state) {
  static const auto pointer = intrusive();
  for (auto _ : state) {
    auto copy = pointer;
    benchmark::DoNotOptimize(copy);
  }
}
BENCHMARK(copy_contended)->Threads(1)->Threads(2);

}  // namespace
