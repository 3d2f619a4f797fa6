#pragma once
// Kernels that a program brings as text: compiled, loaded and launched while it runs.
//
//   CompiledKernel compiled = compile_kernel(source, "scale<float>", {"--gpu-architecture=sm_90"});
//   LoadedKernel kernel(compiled);
//   kernel.launch({blocks, threads}, stream, {&x, &n});  // addresses of the parameters' values

#include <string>
#include <vector>

#include <c10/cuda/Launch.h>

namespace at::cuda {

struct CompiledKernel {
  std::string entry;  // the kernel's name in the image
  std::string image;
};

// Calls NVRTC, which is opened on first use. `name` is that of a kernel in the source, and may be
// an instance of a template. Throws with the compiler's log. Not on the emulated device:
// torch/cuda/_emulated_compiler.py calls the C++ compiler there.
C10_API CompiledKernel compile_kernel(const std::string& source, const std::string& name,
                                      const std::vector<std::string>& options);

// A handle of a kernel, which stays loaded until the process ends.
class C10_API LoadedKernel {
 public:
  explicit LoadedKernel(const CompiledKernel& compiled);

  const std::vector<size_t>& parameter_sizes() const { return parameter_sizes_; }
  // On the current device. The values are copied before the call returns.
  void launch(const c10::cuda::LaunchShape& shape, cudaStream_t stream,
              std::vector<void*> values) const;

 private:
  const void* kernel_ = nullptr;
  std::vector<size_t> parameter_sizes_;
};

}  // namespace at::cuda
