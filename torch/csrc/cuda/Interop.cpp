// Memory of GPUs that other libraries own: torch/cuda/_interop.py calls this.

#include <torch/csrc/cuda/parts.h>

#include <pybind11/stl.h>

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAFunctions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/safe_object.h>

namespace py = pybind11;

namespace torch::cuda {
namespace {

// The GPU that an address belongs to; -1 for memory that is none's.
int device_of_address(uintptr_t address) {
  c10::cuda::device_count_ensure_non_zero();
  cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes(&attributes, reinterpret_cast<void*>(address)) != cudaSuccess) {
    (void)cudaGetLastError();
    return -1;
  }
  const bool is_there =
      attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  return is_there ? attributes.device : -1;
}

void release_owner(void* context) {
  SafePyObject owner(THPObjectPtr(static_cast<PyObject*>(context)));
}

// A tensor over memory that its owner, a Python object, keeps.
py::object tensor_over(uintptr_t address, int device, const std::vector<int64_t>& sizes,
                       const std::vector<int64_t>& strides, const py::object& dtype,
                       const py::object& owner) {
  const at::ScalarType type = to_dtype(dtype.ptr());
  const at::Device where(at::kCUDA, static_cast<at::DeviceIndex>(device));
  const size_t bytes =
      c10::checked_nbytes(sizes, strides, 0, at::elementSize(type), "__cuda_array_interface__");
  at::Storage storage = at::Storage::from_blob(reinterpret_cast<void*>(address), bytes,
                                               owner.inc_ref().ptr(), release_owner, where);
  auto impl =
      c10::make_intrusive<c10::TensorImpl>(std::move(storage), c10::DispatchKey::CUDA, type, where);
  impl->set_sizes_and_strides(sizes, strides);
  return py::reinterpret_steal<py::object>(THPVariable_Wrap(at::Tensor(std::move(impl))));
}

}  // namespace

void init_interop(py::module_& m) {
  m.def("device_of_address", &device_of_address);
  m.def("tensor_over", &tensor_over);
}

}  // namespace torch::cuda
