// Kernels that programs bring as text, in Python: torch/cuda/_compile.py and jiterator.py call
// this.

#include <torch/csrc/cuda/parts.h>

#include <pybind11/stl.h>

#include <array>
#include <optional>

#include <ATen/cuda/JitElementwise.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/impl/DeviceScope.h>
#include <torch/csrc/utils/pybind.h>

namespace py = pybind11;

namespace torch::cuda {
namespace {

using at::cuda::LoadedKernel;
using Size = std::array<unsigned, 3>;

// Values are given byte by byte. Without a stream the kernel goes to the current one.
void launch(const LoadedKernel& kernel, Size grid, Size block, size_t shared, int device,
            std::optional<uintptr_t> stream, const std::vector<std::string>& values) {
  gil_scoped_release released;
  const auto index = static_cast<c10::DeviceIndex>(device);
  c10::cuda::impl::DeviceScope scope(index);
  std::vector<void*> addresses;
  for (const std::string& value : values) addresses.push_back(const_cast<char*>(value.data()));
  kernel.launch({{grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared},
                stream ? reinterpret_cast<cudaStream_t>(*stream)
                       : c10::cuda::getCurrentCUDAStream(index).stream(),
                std::move(addresses));
}

// kernel_for(dtype) gives the kernel that computes in the inputs' common type.
std::vector<at::Tensor> elementwise(const std::string& name, const std::vector<at::Tensor>& inputs,
                                    int num_outputs, const std::vector<std::string>& numbers,
                                    const py::function& kernel_for) {
  std::vector<at::Tensor> outputs(1);
  const c10::OptionalDeviceGuard guard(inputs.at(0).device());
  at::TensorIteratorConfig config(name.c_str());
  config.promote_inputs_to_common_dtype(true).add_output(outputs[0]);
  for (const at::Tensor& input : inputs) config.add_input(input);
  std::optional<at::TensorIterator> iter;
  {
    gil_scoped_release released;
    iter.emplace(config);
    outputs[0] = iter->take_output(0);
    const at::Tensor first = outputs[0];
    for (int k = 1; k < num_outputs; ++k)
      outputs.push_back(at::empty_strided_tensor(first.sizes(), first.strides(),
                                                 first.scalar_type(), first.device()));
  }
  if (iter->numel() > 0) {
    const auto kernel = kernel_for(iter->common_dtype()).cast<LoadedKernel>();
    gil_scoped_release released;
    at::cuda::launch_elementwise(*iter, outputs, kernel, numbers);
  }
  return outputs;
}

}  // namespace

void init_compiler(py::module& m) {
#ifdef __SANITIZE_ADDRESS__
  m.attr("is_sanitized") = true;
#else
  m.attr("is_sanitized") = false;
#endif
#ifndef TORCH_CUDA_EMULATED
  m.def("compile_kernel", [](const std::string& source, const std::string& name,
                             const std::vector<std::string>& options) {
    at::cuda::CompiledKernel compiled;
    {
      gil_scoped_release released;
      compiled = at::cuda::compile_kernel(source, name, options);
    }
    return py::make_tuple(compiled.entry, py::bytes(compiled.image));
  });
#endif
  py::class_<LoadedKernel>(m, "LoadedKernel")
      .def(py::init([](const std::string& entry, const py::bytes& image) {
    return LoadedKernel({entry, image});
  }))
      .def_property_readonly("parameter_sizes", &LoadedKernel::parameter_sizes)
      .def("launch", &launch);
  m.def("elementwise", &elementwise);
}

}  // namespace torch::cuda
