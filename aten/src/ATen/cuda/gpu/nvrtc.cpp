// NVRTC, NVIDIA's compiler for programs that run, and the kernels that it makes.
// Source of the declarations: the manual of NVRTC 13.

#include <ATen/cuda/RuntimeCompiler.h>
#include <ATen/cuda/VendorLibrary.h>
#include <c10/cuda/impl/RelaxedCapture.h>

namespace at::cuda {
namespace {

using Status = int;  // nvrtcResult; 0 is success
using Program = struct OpaqueProgram*;

struct Functions {
  const char* (*error_string)(Status);
  Status (*create)(Program*, const char* source, const char* file, int num_headers,
                   const char* const* headers, const char* const* header_names);
  Status (*destroy)(Program*);
  Status (*add_name)(Program, const char* name);
  Status (*compile)(Program, int num_options, const char* const* options);
  Status (*log_size)(Program, size_t*);
  Status (*log)(Program, char*);
  Status (*lowered_name)(Program, const char* name, const char** lowered);
  Status (*image_size)(Program, size_t*);
  Status (*image)(Program, char*);
};

Functions open() {
  void* library = open_vendor_library("libnvrtc.so.13", "nvidia-cuda-nvrtc");
  Functions f;
  auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(vendor_function(library, name));
  };
  find(f.error_string, "nvrtcGetErrorString");
  find(f.create, "nvrtcCreateProgram");
  find(f.destroy, "nvrtcDestroyProgram");
  find(f.add_name, "nvrtcAddNameExpression");
  find(f.compile, "nvrtcCompileProgram");
  find(f.log_size, "nvrtcGetProgramLogSize");
  find(f.log, "nvrtcGetProgramLog");
  find(f.lowered_name, "nvrtcGetLoweredName");
  find(f.image_size, "nvrtcGetCUBINSize");
  find(f.image, "nvrtcGetCUBIN");
  return f;
}

const Functions& functions() {
  static const Functions opened = open();
  return opened;
}

void check(Status status, const char* call) {
  TORCH_CHECK(status == 0, "NVRTC error: ", functions().error_string(status), " when calling `",
              call, "`");
}

class Compilation {
 public:
  Compilation(const std::string& source, const std::string& name) : name_(name) {
    const std::string file = name + ".cu";
    check(functions().create(&program_, source.c_str(), file.c_str(), 0, nullptr, nullptr),
          "nvrtcCreateProgram");
  }
  ~Compilation() { functions().destroy(&program_); }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  CompiledKernel run(const std::vector<std::string>& options) {
    check(functions().add_name(program_, name_.c_str()), "nvrtcAddNameExpression");
    std::vector<const char*> given;
    for (const std::string& option : options) given.push_back(option.c_str());
    const Status status =
        functions().compile(program_, static_cast<int>(given.size()), given.data());
    TORCH_CHECK(status == 0, name_, ": the kernel does not compile (",
                functions().error_string(status), "):\n", log());
    const char* entry = nullptr;
    check(functions().lowered_name(program_, name_.c_str(), &entry), "nvrtcGetLoweredName");
    size_t size = 0;
    check(functions().image_size(program_, &size), "nvrtcGetCUBINSize");
    TORCH_CHECK(size > 0, name_, ": expected an architecture of a GPU (sm_90) among the options");
    CompiledKernel compiled{entry, std::string(size, '\0')};
    check(functions().image(program_, compiled.image.data()), "nvrtcGetCUBIN");
    return compiled;
  }

 private:
  std::string log() const {
    size_t size = 0;
    if (functions().log_size(program_, &size) != 0 || size == 0) return "";
    std::string text(size, '\0');
    if (functions().log(program_, text.data()) != 0) return "";
    text.resize(size - 1);  // without the final zero
    return text;
  }

  const std::string& name_;
  Program program_ = nullptr;
};

// The runtime tells the size of a parameter that there is, and an error for the one behind the
// last.
std::vector<size_t> sizes_of_parameters(const void* kernel) {
  std::vector<size_t> sizes;
  size_t offset = 0, size = 0;
  while (cudaFuncGetParamInfo(kernel, sizes.size(), &offset, &size) == cudaSuccess)
    sizes.push_back(size);
  (void)cudaGetLastError();
  return sizes;
}

}  // namespace

CompiledKernel compile_kernel(const std::string& source, const std::string& name,
                              const std::vector<std::string>& options) {
  return Compilation(source, name).run(options);
}

LoadedKernel::LoadedKernel(const CompiledKernel& compiled) {
  c10::cuda::impl::RelaxedCapture relaxed;
  cudaLibrary_t library = nullptr;
  C10_CUDA_CHECK(cudaLibraryLoadData(&library, compiled.image.data(), nullptr, nullptr, 0, nullptr,
                                     nullptr, 0));
  cudaKernel_t kernel = nullptr;
  C10_CUDA_CHECK(cudaLibraryGetKernel(&kernel, library, compiled.entry.c_str()));
  kernel_ = kernel;
  // Loads it now: a launch while the stream is captured must not have to.
  cudaFuncAttributes attributes;
  C10_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel_));
  parameter_sizes_ = sizes_of_parameters(kernel_);
}

void LoadedKernel::launch(const c10::cuda::LaunchShape& shape, cudaStream_t stream,
                          std::vector<void*> values) const {
  TORCH_INTERNAL_ASSERT(values.size() == parameter_sizes_.size());
  c10::cuda::note_launch(kernel_, shape);
  // Of more than this, CUDA wants to be told.
  if (shape.shared > 48 * 1024)
    C10_CUDA_CHECK(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shape.shared)));
  C10_CUDA_CHECK(
      cudaLaunchKernel(kernel_, shape.grid, shape.block, values.data(), shape.shared, stream));
}

}  // namespace at::cuda
