#pragma once
// The vectorized loops of random number generation, in random/cpu/random_kernel.cpp.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at {
struct CPUGeneratorImpl;
}

namespace at::native {

// A new state of 624 words, and its tempered outputs.
DECLARE_DISPATCH(void (*)(uint32_t* state, uint32_t* tempered), mt19937_refill_stub);
DECLARE_DISPATCH(void (*)(const uint32_t* state, uint32_t* tempered), mt19937_temper_stub);

// `size` integers starting at `first`; size 0 means the full int64 range.
struct IntegerRange {
  int64_t first;
  uint64_t size;
};
// The range that random_(from, to) draws from in a type: for floating-point types it is narrowed to
// integers that the type represents. Without `to`, up to the largest integer of the type.
IntegerRange integer_range(ScalarType dtype, int64_t from, std::optional<int64_t> to);

// These fill n dense elements of a type in order.
DECLARE_DISPATCH(void (*)(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n,
                          double from, double to),
                 uniform_fill_stub);
// Exponentially distributed numbers with this rate.
DECLARE_DISPATCH(void (*)(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n,
                          double rate),
                 exponential_fill_stub);
DECLARE_DISPATCH(void (*)(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n,
                          double median, double sigma),
                 cauchy_fill_stub);
// Numbers of tries until a success of this probability.
DECLARE_DISPATCH(void (*)(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n, double p),
                 geometric_fill_stub);
// n >= 16
DECLARE_DISPATCH(void (*)(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n,
                          double mean, double std),
                 normal_fill_stub);
DECLARE_DISPATCH(void (*)(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n, double p),
                 bernoulli_fill_stub);

// A permutation of 0, 1, ..., n - 1 in a contiguous vector.
DECLARE_DISPATCH(void (*)(const Tensor& result, const std::optional<Generator>& generator),
                 randperm_stub);

}  // namespace at::native
