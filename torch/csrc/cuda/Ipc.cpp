// Memory and events of GPUs that processes share, in Python: torch/cuda/_ipc.py calls this.

#include <torch/csrc/cuda/parts.h>

#include <c10/cuda/CUDAIpc.h>
#include <torch/csrc/gil.h>
#include <torch/csrc/python_types.h>

namespace py = pybind11;
namespace ipc = c10::cuda::ipc;

namespace torch::cuda {
namespace {

// The storage is given as torch.UntypedStorage._cdata. The result has the form of PyTorch's
// UntypedStorage._share_cuda_().
py::tuple send(uintptr_t storage) {
  ipc::Message m;
  {
    gil_scoped_release released;
    m = ipc::send(*reinterpret_cast<c10::StorageImpl*>(storage));
  }
  const int device = m.device;
  if (m.size == 0)
    return py::make_tuple(device, py::none(), 0, 0, py::none(), 0, py::none(), false);
  return py::make_tuple(device, py::bytes(m.memory), m.size, m.offset, py::bytes(m.counters),
                        m.counter, py::bytes(m.event), !m.event.empty());
}

py::object receive(int device, const py::bytes& memory, size_t size, size_t offset,
                   const py::bytes& counters, size_t counter, const py::bytes& event,
                   bool must_wait) {
  ipc::Message m;
  m.device = static_cast<c10::DeviceIndex>(device);
  m.memory = memory;
  m.size = size;
  m.offset = offset;
  m.counters = counters;
  m.counter = counter;
  if (must_wait) m.event = event;
  at::Storage storage;
  {
    gil_scoped_release released;
    storage = at::Storage(ipc::receive(m));
  }
  return py::reinterpret_steal<py::object>(wrap_storage(std::move(storage)));
}

}  // namespace

void init_ipc(py::module_& m) {
  m.def("ipc_send", &send);
  m.def("ipc_receive", &receive);
  m.def("ipc_drop",
        [](const py::bytes& counters, size_t counter) { ipc::drop(counters, counter); });
  m.def("ipc_collect", &ipc::collect, py::call_guard<py::gil_scoped_release>());
  // Events are addresses of CUDA's objects, as torch.Event.event_id is.
  m.def("ipc_make_event", [](int device) {
    return reinterpret_cast<uintptr_t>(ipc::make_event(static_cast<c10::DeviceIndex>(device)));
  });
  m.def("ipc_event_handle", [](uintptr_t event) {
    return py::bytes(ipc::event_handle(reinterpret_cast<cudaEvent_t>(event)));
  });
  m.def("ipc_open_event", [](int device, const py::bytes& handle) {
    return reinterpret_cast<uintptr_t>(
        ipc::open_event(static_cast<c10::DeviceIndex>(device), handle));
  });
}

}  // namespace torch::cuda
