#pragma once
// Everything a C++ program needs: Tensor with its methods, and every operator as a function in
// at::. The library's own files include ATen/ops/NAME.h for the operators they call.

#ifndef TORCH_TENSOR_METHODS
#define TORCH_TENSOR_METHODS
#endif

// Programs use these without including them. The library's own headers are without them: they are
// half of what a compiler would read.
#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <unordered_map>

#include <ATen/DeviceGuard.h>
#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorIndexing.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Formatting.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>
#include <c10/util/accumulate.h>
#include <c10/util/irange.h>

namespace at {

// Seeds the CPU's default generator.
void manual_seed(uint64_t seed);
inline bool hasCUDA() { return c10::impl::hasDeviceGuardImpl(DeviceType::CUDA); }

namespace detail {
const Generator& getDefaultCPUGenerator();

template <typename T, typename = void>
constexpr bool kHasMethods = false;
template <typename T>
constexpr bool kHasMethods<T, decltype(static_cast<void>(&T::relu))> = true;
static_assert(
    kHasMethods<Tensor>,
    "ATen/core/Tensor.h was included without the methods of operators before this header: "
    "include ATen/ATen.h or torch/torch.h first, see Note [Tensor methods]");
}  // namespace detail

}  // namespace at
