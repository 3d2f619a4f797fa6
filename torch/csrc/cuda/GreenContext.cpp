// Parts of a GPU in Python: torch/cuda/_green_contexts.py is what users see.

#include <torch/csrc/cuda/parts.h>

#include <c10/cuda/GreenContext.h>
#include <memory>

namespace py = pybind11;

namespace torch::cuda {

void init_green_contexts(py::module_& m) {
  using c10::cuda::GreenContext;
  py::class_<GreenContext>(m, "GreenContext")
      .def(py::init([](int device, unsigned multiprocessors, bool has_queues, bool is_balanced,
                       unsigned max_concurrent) {
    return std::make_unique<GreenContext>(
        static_cast<c10::DeviceIndex>(device),
        GreenContext::Options{multiprocessors, has_queues, is_balanced, max_concurrent});
  }))
      .def("begin", &GreenContext::begin)
      .def("end", &GreenContext::end)
      .def("make_stream", [](GreenContext& context) {
    const c10::cuda::CUDAStream stream = context.make_stream();
    return py::make_tuple(stream.id(), static_cast<int>(stream.device_index()));
  });
  m.def("green_context_concurrency", [](int device) {
    return GreenContext::max_concurrency(static_cast<c10::DeviceIndex>(device));
  });
}

}  // namespace torch::cuda
