// What a call of an operator costs from C++: making a tensor, a view, the smallest computation,
// with and without autograd and an observer.

#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/select.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/view.h>

#include <benchmark/benchmark.h>

using namespace at;

namespace {

void empty(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(at::empty({state.range(0)}));
}
BENCHMARK(empty)->Arg(1)->Arg(1 << 20);

void add(benchmark::State& state) {
  const Tensor x = at::ones({state.range(0)});
  for (auto _ : state) benchmark::DoNotOptimize(at::add(x, x));
}
BENCHMARK(add)->Arg(1)->Arg(64)->Arg(4096);

void add_number(benchmark::State& state) {
  const Tensor x = at::ones({1});
  for (auto _ : state) benchmark::DoNotOptimize(at::add(x, 1));
}
BENCHMARK(add_number);

void add_out(benchmark::State& state) {
  const Tensor x = at::ones({1});
  Tensor out = at::empty({1});
  for (auto _ : state) benchmark::DoNotOptimize(at::add_out(out, x, x));
}
BENCHMARK(add_out);

void add_with_grad(benchmark::State& state) {
  const Tensor x = at::ones({1}, TensorOptions().requires_grad(true));
  for (auto _ : state) benchmark::DoNotOptimize(at::add(x, x));
}
BENCHMARK(add_with_grad);

void add_boxed(benchmark::State& state) {
  const Tensor x = at::ones({1});
  const OperatorEntry& op = _ops::add_Tensor::entry;
  for (auto _ : state) {
    IValueStack stack{IValue(x), IValue(x), IValue(1)};
    op.boxed_dispatch(op, op.call, {}, stack);
    benchmark::DoNotOptimize(stack);
  }
}
BENCHMARK(add_boxed);

void view(benchmark::State& state) {
  const Tensor x = at::ones({6, 4});
  for (auto _ : state) benchmark::DoNotOptimize(at::view(x, {4, 6}));
}
BENCHMARK(view);

void transpose(benchmark::State& state) {
  const Tensor x = at::ones({6, 4});
  for (auto _ : state) benchmark::DoNotOptimize(at::transpose(x, 0, 1));
}
BENCHMARK(transpose);

void select(benchmark::State& state) {
  const Tensor x = at::ones({6, 4});
  for (auto _ : state) benchmark::DoNotOptimize(at::select(x, 0, 1));
}
BENCHMARK(select);

// The path alone: keys, table, jump, without a kernel's work.
void key_set(benchmark::State& state) {
  const Tensor x = at::ones({1});
  const OperatorEntry& op = _ops::add_Tensor::entry;
  for (auto _ : state) {
    const DispatchKeySet keys =
        at::impl::effective_keys(op, at::impl::keys_of(x) | at::impl::keys_of(x));
    benchmark::DoNotOptimize(op.table[slot_of(keys)]);
  }
}
BENCHMARK(key_set);

}  // namespace
