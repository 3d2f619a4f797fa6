// Compares SmallVector with std::vector for lists as long as sizes and strides.

#include <c10/util/SmallVector.h>

#include <benchmark/benchmark.h>

#include <vector>

namespace {

using Small = c10::DimVector;
using Plain = std::vector<int64_t>;

template <typename V>
void push_back(benchmark::State& state) {
  for (auto _ : state) {
    V v;
    for (int64_t i = 0; i < state.range(0); ++i) v.push_back(i);
    benchmark::DoNotOptimize(v.data());
  }
}
template <typename V>
void copy(benchmark::State& state) {
  V v;
  for (int64_t i = 0; i < state.range(0); ++i) v.push_back(i);
  for (auto _ : state) {
    V other(v);
    benchmark::DoNotOptimize(other.data());
  }
}
template <typename V>
void move_there_and_back(benchmark::State& state) {
  V v, other;
  for (int64_t i = 0; i < state.range(0); ++i) v.push_back(i);
  for (auto _ : state) {
    other = std::move(v);
    v = std::move(other);
    benchmark::DoNotOptimize(v.data());
  }
}

#define FOR_BOTH(name)                                      \
  BENCHMARK_TEMPLATE(name, Small)->Arg(2)->Arg(5)->Arg(10); \
  BENCHMARK_TEMPLATE(name, Plain)->Arg(2)->Arg(5)->Arg(10)
FOR_BOTH(push_back);
FOR_BOTH(copy);
FOR_BOTH(move_there_and_back);

}  // namespace
