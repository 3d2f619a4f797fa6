// The caches of cuFFT's plans in Python: torch/backends/cuda/_plans.py is what users see.

#include <torch/csrc/cuda/parts.h>

#include <ATen/cuda/CufftPlans.h>
#include <c10/cuda/CUDAFunctions.h>

namespace py = pybind11;
namespace cufft = at::cuda::cufft;

namespace torch::cuda {
namespace {

c10::DeviceIndex checked(int64_t device) {
  const int64_t count = c10::cuda::device_count();
  TORCH_CHECK(device >= 0 && device < count, "cufft_plan_cache: expected the index of one of ",
              count, " devices, got ", device);
  return static_cast<c10::DeviceIndex>(device);
}

}  // namespace

void init_fft(py::module& m) {
  m.def("cufft_plan_cache_size",
        [](int64_t device) { return cufft::plan_cache_size(checked(device)); });
  m.def("cufft_plan_cache_max_size",
        [](int64_t device) { return cufft::plan_cache_max_size(checked(device)); });
  m.def("set_cufft_plan_cache_max_size", [](int64_t device, int64_t max_size) {
    cufft::set_plan_cache_max_size(checked(device), max_size);
  });
  m.def("clear_cufft_plan_cache", [](int64_t device) { cufft::clear_plan_cache(checked(device)); });
}

}  // namespace torch::cuda
