// Compiled kernels of the emulated device: shared libraries, which torch/cuda/_emulated_compiler.py
// makes by the C++ compiler.

#include <ATen/cuda/RuntimeCompiler.h>

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include <c10/util/Exception.h>

namespace at::cuda {
namespace {

// What a library has under the name of CompiledKernel::entry; _emulated_compiler.py writes it.
struct Entry {
  const char* name;
  void (*run)(void** values);  // one thread
  unsigned long long num_parameters;
  const unsigned long long* parameter_sizes;
};

// A library is opened from a file, which may go as soon as it is open.
void* open_library(const std::string& image) {
  std::string path = std::filesystem::temp_directory_path() / "torch_kernel_XXXXXX";
  const int file = ::mkstemp(path.data());
  TORCH_CHECK(file >= 0, "cannot write ", path, ": ", std::strerror(errno));
  ::close(file);
  std::ofstream(path, std::ios::binary) << image;
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* reason = library ? nullptr : ::dlerror();
  ::unlink(path.c_str());
  TORCH_CHECK(library, "cannot load a compiled kernel: ", reason ? reason : "unknown reason");
  return library;
}

// The values of a launch, until it runs.
struct Values {
  std::vector<std::max_align_t> memory;
  std::vector<void*> addresses;

  Values(const std::vector<size_t>& sizes, const std::vector<void*>& given) {
    auto cells = [](size_t bytes) {
      return (bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
    };
    size_t total = 0;
    for (size_t size : sizes) total += cells(size);
    memory.resize(total);
    std::max_align_t* next = memory.data();
    for (size_t k = 0; k < sizes.size(); ++k) {
      std::memcpy(next, given[k], sizes[k]);
      addresses.push_back(next);
      next += cells(sizes[k]);
    }
  }
};

}  // namespace

LoadedKernel::LoadedKernel(const CompiledKernel& compiled) {
  void* library = open_library(compiled.image);
  const auto* entry = static_cast<const Entry*>(::dlsym(library, compiled.entry.c_str()));
  TORCH_CHECK(entry, "a compiled kernel has no ", compiled.entry);
  kernel_ = entry;
  parameter_sizes_.assign(entry->parameter_sizes, entry->parameter_sizes + entry->num_parameters);
}

void LoadedKernel::launch(const c10::cuda::LaunchShape& shape, cudaStream_t stream,
                          std::vector<void*> values) const {
  TORCH_INTERNAL_ASSERT(values.size() == parameter_sizes_.size());
  c10::cuda::note_launch(kernel_, shape);
  const auto* entry = static_cast<const Entry*>(kernel_);
  auto kept = std::make_shared<Values>(parameter_sizes_, values);
  auto thread = [entry, kept] { entry->run(kept->addresses.data()); };
  C10_CUDA_CHECK(torch_emulated_cuda::enqueue_kernel(stream, shape.grid, shape.block, shape.shared,
                                                     thread, entry->name));
}

}  // namespace at::cuda
