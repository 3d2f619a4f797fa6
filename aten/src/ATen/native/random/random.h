#pragma once
// The vectorized pieces of random number generation; random/cpu/random_kernel.cpp.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at {
struct CPUGeneratorImpl;
}

namespace at::native {

// A new state of 624 words, and its tempered outputs.
DECLARE_DISPATCH(void (*)(uint32_t* state, uint32_t* tempered), mt19937_refill_stub);
DECLARE_DISPATCH(void (*)(const uint32_t* state, uint32_t* tempered), mt19937_temper_stub);

// These fill n dense elements of a type in order.
DECLARE_DISPATCH(void (*)(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n,
                          double from, double to),
                 uniform_fill_stub);
// n >= 16
DECLARE_DISPATCH(void (*)(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n,
                          double mean, double std),
                 normal_fill_stub);
DECLARE_DISPATCH(void (*)(CPUGeneratorImpl& gen, ScalarType dtype, void* data, int64_t n, double p),
                 bernoulli_fill_stub);

}  // namespace at::native
