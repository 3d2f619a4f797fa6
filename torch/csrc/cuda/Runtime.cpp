// Single calls of the CUDA runtime in Python: torch.cuda.cudart().

#include <torch/csrc/cuda/parts.h>

#include <ATen/cuda/CudnnApi.h>
#include <c10/cuda/impl/DeviceScope.h>

// As cuda_profiler_api.h declares them, which PyPI's packages lack.
extern "C" cudaError_t cudaProfilerStart();
extern "C" cudaError_t cudaProfilerStop();

namespace py = pybind11;

namespace torch::cuda {
namespace {

// As the functions of torch.cuda.cudart() return errors: as numbers.
template <typename... A>
auto returns_error(cudaError_t (*f)(A...)) {
  return [f](A... a) {
    py::gil_scoped_release free;
    return static_cast<int>(f(a...));
  };
}

}  // namespace

void init_runtime(py::module& m) {
  m.def("cudnn_version", []() -> py::object {
    const auto* functions = at::cuda::cudnn::functions();
    return functions ? py::int_(functions->version()) : py::object(py::none());
  });
  py::module rt = m.def_submodule("cudart", "Single calls of the CUDA runtime.");
  py::enum_<cudaError_t>(rt, "cudaError", py::arithmetic()).value("success", cudaSuccess);
  rt.def("cudaGetErrorString",
         [](int code) { return std::string(cudaGetErrorString(static_cast<cudaError_t>(code))); });
  rt.def("cudaHostRegister", [](uintptr_t address, size_t bytes, unsigned flags) {
    return returns_error(&cudaHostRegister)(reinterpret_cast<void*>(address), bytes, flags);
  });
  rt.def("cudaHostUnregister", [](uintptr_t address) {
    return returns_error(&cudaHostUnregister)(reinterpret_cast<void*>(address));
  });
  rt.def("cudaStreamCreate", [](uintptr_t address) {
    return returns_error(&cudaStreamCreateWithPriority)(reinterpret_cast<cudaStream_t*>(address),
                                                        cudaStreamDefault, 0);
  });
  rt.def("cudaStreamDestroy", [](uintptr_t stream) {
    return returns_error(&cudaStreamDestroy)(reinterpret_cast<cudaStream_t>(stream));
  });
  rt.def("cudaMemGetInfo", [](int device) {
    c10::cuda::impl::DeviceScope scope(static_cast<c10::DeviceIndex>(device));
    size_t free = 0, total = 0;
    C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return py::make_tuple(free, total);
  });
  rt.def("cudaProfilerStart", [] { return static_cast<int>(cudaProfilerStart()); });
  rt.def("cudaProfilerStop", [] { return static_cast<int>(cudaProfilerStop()); });
}

}  // namespace torch::cuda
