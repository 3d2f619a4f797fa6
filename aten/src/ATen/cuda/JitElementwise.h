#pragma once
// Launches an elementwise kernel whose source torch/cuda/_jiterator_source.py wrote.

#include <string>
#include <vector>

#include <ATen/cuda/RuntimeCompiler.h>
#include <ATen/native/common/TensorIterator.h>

namespace at::cuda {

// The iteration has one output. `outputs` are all of the kernel's, the iteration's first; they have
// one layout. `numbers` are the values of further parameters, byte by byte.
C10_API void launch_elementwise(TensorIteratorBase& iter, const std::vector<Tensor>& outputs,
                                const LoadedKernel& kernel,
                                const std::vector<std::string>& numbers);

}  // namespace at::cuda
