// CUDA graphs and private pools of memory in Python: torch/cuda/_graphs.py is what users see.

#include <torch/csrc/cuda/parts.h>

#include <pybind11/stl.h>

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/ExternalEvents.h>
#include <c10/cuda/MemoryPool.h>
#include <torch/csrc/utils/pybind.h>

namespace py = pybind11;
namespace allocator = c10::cuda::CUDACachingAllocator;

namespace torch::cuda {
namespace {

using c10::cuda::MempoolId;

cudaStreamCaptureMode capture_mode(const std::string& name) {
  if (name == "global") return cudaStreamCaptureModeGlobal;
  if (name == "thread_local") return cudaStreamCaptureModeThreadLocal;
  TORCH_CHECK(name == "relaxed",
              "capture_begin(): expected the capture_error_mode \"global\", \"thread_local\" or "
              "\"relaxed\", got \"",
              name, "\"");
  return cudaStreamCaptureModeRelaxed;
}

// Requests of this thread, or of all threads.
void begin_pool(int device, MempoolId id) {
  allocator::beginUseOfPool(static_cast<c10::DeviceIndex>(device), id,
                            [thread = std::this_thread::get_id()](cudaStream_t) {
    return std::this_thread::get_id() == thread;
  });
}

}  // namespace

void init_graphs(py::module& m) {
  using at::cuda::CUDAGraph;
  using Free = py::call_guard<py::gil_scoped_release>;
  py::class_<CUDAGraph>(m, "CUDAGraph")
      .def(py::init<bool>())
      .def("capture_begin",
           [](CUDAGraph& g, MempoolId pool, const std::string& mode) {
    const cudaStreamCaptureMode chosen = capture_mode(mode);
    py::gil_scoped_release free;
    g.capture_begin(pool, chosen);
  })
      .def("capture_end", &CUDAGraph::capture_end, Free())
      .def("instantiate", &CUDAGraph::instantiate, Free())
      .def("replay", &CUDAGraph::replay, Free())
      .def("reset", &CUDAGraph::reset, Free())
      .def("pool", &CUDAGraph::pool)
      .def("register_generator_state", &CUDAGraph::register_generator_state)
      .def("enable_debug_mode", &CUDAGraph::enable_debug_mode)
      .def("debug_dump", &CUDAGraph::debug_dump)
      .def("raw_cuda_graph", [](const CUDAGraph& g) {
    return reinterpret_cast<uintptr_t>(g.raw_graph());
  }).def("raw_cuda_graph_exec", [](const CUDAGraph& g) {
    return reinterpret_cast<uintptr_t>(g.raw_executable());
  });
  m.def("graph_pool_handle", &at::cuda::graph_pool_handle);
  m.def("is_capturing", [] { return c10::cuda::is_capturing(c10::cuda::getCurrentCUDAStream()); });

  // Events are addresses of CUDA's objects, as torch.Event.event_id is.
  namespace external = c10::cuda::external_events;
  auto stream_of = [](int64_t id, int device) {
    return c10::cuda::CUDAStream(c10::Stream(
        c10::Stream::UNSAFE, c10::Device(at::kCUDA, static_cast<c10::DeviceIndex>(device)), id));
  };
  m.def("make_event", [](int device, bool has_time, bool blocks) {
    return reinterpret_cast<uintptr_t>(
        external::make(static_cast<c10::DeviceIndex>(device), has_time, blocks));
  });
  m.def("record_external", [stream_of](uintptr_t event, int64_t id, int device) {
    external::record(reinterpret_cast<cudaEvent_t>(event), stream_of(id, device));
  });
  m.def("wait_external", [stream_of](uintptr_t event, int64_t id, int device) {
    external::wait(reinterpret_cast<cudaEvent_t>(event), stream_of(id, device));
  });

  m.def("create_pool",
        [](int device, MempoolId id, uintptr_t given, bool use_on_oom, bool no_split) {
    allocator::createPool(
        static_cast<c10::DeviceIndex>(device), id,
        {reinterpret_cast<const c10::cuda::PluggableAllocator*>(given), use_on_oom, no_split});
  });
  m.def("empty_pool", [](int device, MempoolId id) {
    allocator::emptyPool(static_cast<c10::DeviceIndex>(device), id);
  }, Free());
  m.def("begin_pool", &begin_pool);
  m.def("end_pool", [](int device, MempoolId id) {
    allocator::endAllocateToPool(static_cast<c10::DeviceIndex>(device), id);
  });
  m.def("release_pool", [](int device, MempoolId id) {
    allocator::releasePool(static_cast<c10::DeviceIndex>(device), id);
  });
}

}  // namespace torch::cuda
