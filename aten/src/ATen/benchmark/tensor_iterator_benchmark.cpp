// Setting up a TensorIterator: operands of one shape, broadcast, strided, of two types; without
// walking them.

#include <ATen/native/common/TensorIterator.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/transpose.h>

#include <benchmark/benchmark.h>

#include <utility>

using namespace at;

namespace {

void set_up(benchmark::State& state, const Tensor& a, const Tensor& b) {
  for (auto _ : state) {
    TensorIterator iter("benchmark");
    iter.build_binary_op(a, b);
    benchmark::DoNotOptimize(iter.numel());
  }
}

void same_shape(benchmark::State& state) { set_up(state, at::empty({8, 8}), at::empty({8, 8})); }
void broadcast(benchmark::State& state) { set_up(state, at::empty({8, 8}), at::empty({8})); }
void broadcast_5d(benchmark::State& state) {
  set_up(state, at::empty({2, 3, 4, 5, 6}), at::empty({3, 1, 5, 1}));
}
void transposed(benchmark::State& state) {
  set_up(state, at::transpose(at::empty({8, 8}), 0, 1), at::empty({8, 8}));
}
void with_gaps(benchmark::State& state) {
  set_up(state, at::slice(at::empty({8, 8}), 1, 0, 4), at::empty({8, 4}));
}
void two_types(benchmark::State& state) {
  set_up(state, at::empty({8, 8}), at::empty({8, 8}, kInt));
}
void number(benchmark::State& state) { set_up(state, at::empty({8, 8}), at::empty(IntArrayRef())); }
BENCHMARK(same_shape);
BENCHMARK(broadcast);
BENCHMARK(broadcast_5d);
BENCHMARK(transposed);
BENCHMARK(with_gaps);
BENCHMARK(two_types);
BENCHMARK(number);

// Walking alone: three dimensions that do not merge, so the loop is called for each of n planes.
void walk(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Tensor a = at::slice(at::slice(at::empty({n, 9, 8}), 2, 0, 7), 1, 0, 8);
  TensorIterator iter("benchmark");
  iter.build_unary_op(a);
  auto nothing = [](char** data, const int64_t*, int64_t, int64_t) {
    benchmark::DoNotOptimize(std::as_const(data));
  };
  for (auto _ : state) iter.serial_for_each(nothing, 0, iter.numel());
  state.SetItemsProcessed(state.iterations() * a.numel());
}
BENCHMARK(walk)->Arg(8)->Arg(64);

}  // namespace
