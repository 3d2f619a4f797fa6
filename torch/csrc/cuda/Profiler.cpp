// What torch.profiler asks of CUDA: records of GPU work and of device memory.

#include <torch/csrc/cuda/parts.h>

#include <ATen/core/profiler/Collector.h>
#include <ATen/cuda/CuptiApi.h>
#include <ATen/cuda/DeviceActivities.h>
#include <c10/cuda/impl/MemoryListener.h>
#include <torch/csrc/utils/pybind.h>

namespace py = pybind11;

namespace torch::cuda {
namespace {

using at::cuda::DeviceActivity;

py::tuple size_of(const int32_t (&size)[3]) { return py::make_tuple(size[0], size[1], size[2]); }

py::tuple details(const DeviceActivity& a) {
  switch (a.kind) {
    case DeviceActivity::kernel:
      return py::make_tuple(a.registers, a.shared_memory, size_of(a.grid), size_of(a.block));
    case DeviceActivity::copy:
    case DeviceActivity::fill:
      return py::make_tuple(a.bytes, a.copy_kind, a.from_memory, a.to_memory);
    default:
      return py::make_tuple(a.function, a.thread);
  }
}

// [(kind, name or None, start, end, device, context, stream, correlation, range, details)], and how
// many records are missing.
//   details of a kernel: (registers, shared memory, grid, block)
//   of a copy or a fill: (bytes, kind of copy, memory from, memory to)
//   of a call: (its number, the thread)
py::tuple stop_activities(int64_t from, int64_t to) {
  at::cuda::DeviceActivities activities;
  {
    gil_scoped_release released;
    activities = at::cuda::stop_activities(from, to);
  }
  py::list rows(activities.found.size());
  for (size_t k = 0; k < activities.found.size(); ++k) {
    const DeviceActivity& a = activities.found[k];
    rows[k] = py::make_tuple(static_cast<int>(a.kind),
                             a.name ? py::object(py::str(*a.name)) : py::none(), a.start, a.end,
                             a.device, a.context, a.stream, a.correlation, a.range, details(a));
  }
  return py::make_tuple(rows, activities.dropped);
}

void on_memory(c10::DeviceIndex device, const void* address, int64_t bytes, int64_t allocated,
               int64_t reserved) {
  at::profiler::note_device_memory(device, address, bytes, allocated, reserved);
}

// Each profile that asked for it says when it ends.
void listen_to_memory(bool on) {
  static int listeners = 0;
  listeners += on ? 1 : -1;
  c10::cuda::impl::g_memory_listener = listeners > 0 ? &on_memory : nullptr;
}

}  // namespace

void init_profiler(py::module& m) {
  m.def("start_activities", &at::cuda::start_activities, py::call_guard<gil_scoped_release>());
  m.def("wait_for_devices", &at::cuda::wait_for_devices, py::call_guard<gil_scoped_release>());
  m.def("stop_activities", &stop_activities);
  m.def("pause_activities", &at::cuda::pause_activities);
  m.def("resume_activities", &at::cuda::resume_activities);
  m.def("listen_to_memory", &listen_to_memory);
}

}  // namespace torch::cuda
