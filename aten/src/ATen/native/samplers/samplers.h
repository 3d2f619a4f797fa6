#pragma once
// The sampler that is called by hand.

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// out = the successes in `count` tries of probability `prob`. All tensors are contiguous.
DECLARE_DISPATCH(void (*)(const Tensor& count, const Tensor& prob,
                          const std::optional<Generator>& generator, const Tensor& out),
                 binomial_stub);

}  // namespace at::native
