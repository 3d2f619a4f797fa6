// The memory of GPUs for Python: snapshots, the history with Python's stacks, and allocators of
// programs.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <dlfcn.h>

#include <iterator>
#include <limits>
#include <mutex>
#include <set>
#include <string>

#include <c10/cuda/MemoryHistory.h>
#include <c10/cuda/PinnedMemory.h>
#include <c10/cuda/PluggableAllocator.h>
#include <c10/cuda/impl/AllocatorConfig.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/cuda/parts.h>

namespace py = pybind11;
namespace allocator = c10::cuda::CUDACachingAllocator;

namespace torch::cuda {
namespace {

// Code objects whose stacks are gone. Stacks are dropped by threads that do not hold the GIL, so
// the next one that does counts them down.
struct Unused {
  std::mutex mutex;
  std::vector<PyObject*> codes;
};
Unused& unused() {
  static auto* one = new Unused();
  return *one;
}

struct PythonStack {
  struct Frame {
    PyObject* code;
    int line;
  };
  std::vector<Frame> frames;
  PythonStack() = default;
  PythonStack(const PythonStack&) = delete;
  ~PythonStack() {
    std::lock_guard<std::mutex> lock(unused().mutex);
    for (const Frame& f : frames) unused().codes.push_back(f.code);
  }
};

void drop_unused() {
  std::vector<PyObject*> codes;
  {
    std::lock_guard<std::mutex> lock(unused().mutex);
    codes.swap(unused().codes);
  }
  for (PyObject* code : codes) py::handle(code).dec_ref();
}

// The stack of the calling thread, if it runs Python. Operators have released the GIL; the
// allocator holds no lock here.
allocator::MemoryContext python_stack() {
  if (!Py_IsInitialized() || !PyGILState_GetThisThreadState()) return nullptr;
  constexpr size_t kMaxFrames = 128;
  py::gil_scoped_acquire gil;
  drop_unused();
  auto stack = std::make_shared<PythonStack>();
  auto frame = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame && stack->frames.size() < kMaxFrames) {
    auto* f = reinterpret_cast<PyFrameObject*>(frame.ptr());
    stack->frames.push_back(
        {reinterpret_cast<PyObject*>(PyFrame_GetCode(f)), PyFrame_GetLineNumber(f)});
    frame = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetBack(f)));
  }
  return stack;
}

py::list frames_of(const allocator::MemoryContext& context) {
  py::list all;
  if (!context) return all;
  for (const auto& f : static_cast<const PythonStack*>(context.get())->frames) {
    py::dict frame;
    frame["filename"] = py::handle(f.code).attr("co_filename");
    frame["line"] = f.line;
    frame["name"] = py::handle(f.code).attr("co_name");
    all.append(frame);
  }
  return all;
}

py::list memory_snapshot() {
  py::list all;
  for (const auto& s : allocator::snapshot()) {
    py::dict segment;
    segment["device"] = static_cast<int>(s.device);
    segment["address"] = s.address;
    segment["stream"] = reinterpret_cast<uintptr_t>(s.stream);
    segment["total_size"] = s.total_size;
    segment["allocated_size"] = s.allocated_size;
    segment["active_size"] = s.active_size;
    segment["requested_size"] = s.requested_size;
    segment["segment_type"] = s.is_large ? "large" : "small";
    segment["segment_pool_id"] = py::make_tuple(s.pool.first, s.pool.second);
    segment["is_expandable"] = s.is_expandable;
    segment["frames"] = py::list();
    py::list blocks;
    for (const auto& b : s.blocks) {
      py::dict block;
      block["address"] = b.address;
      block["size"] = b.size;
      block["requested_size"] = b.requested;
      block["state"] = b.allocated ? "active_allocated"
                       : b.active  ? "active_pending_free"
                                   : "inactive";
      block["frames"] = frames_of(b.context);
      blocks.append(block);
    }
    segment["blocks"] = blocks;
    all.append(segment);
  }
  return all;
}

constexpr const char* kActions[] = {
    "alloc",        "free_requested", "free_completed", "segment_alloc",
    "segment_free", "segment_map",    "segment_unmap",  "oom"};
const char* name_of(allocator::TraceAction action) { return kActions[static_cast<int>(action)]; }

// One list for each device.
py::list memory_history() {
  py::list all;
  for (c10::DeviceIndex d = 0; d < c10::cuda::device_count(); ++d) {
    py::list entries;
    for (const auto& e : allocator::history(d)) {
      py::dict entry;
      entry["action"] = name_of(e.action);
      entry[e.action == allocator::TraceAction::kOutOfMemory ? "device_free" : "addr"] = e.address;
      entry["size"] = e.size;
      entry["stream"] = reinterpret_cast<uintptr_t>(e.stream);
      entry["time_us"] = e.time_us;
      entry["frames"] = frames_of(e.context);
      entries.append(entry);
    }
    all.append(entries);
  }
  return all;
}

void record_history(bool enabled, bool keeps_entries, bool of_allocations, bool of_frees,
                    size_t max_entries, bool clears, const std::set<std::string>& skipped) {
  allocator::HistorySettings settings;
  settings.is_enabled = enabled;
  settings.keeps_entries = keeps_entries;
  settings.has_contexts_of_allocations = of_allocations;
  settings.has_contexts_of_frees = of_frees;
  settings.max_entries = max_entries;
  for (size_t k = 0; k < std::size(kActions); ++k)
    if (skipped.count(kActions[k])) settings.skipped |= 1u << k;
  settings.context = &python_stack;
  allocator::record_history(settings, clears);
  drop_unused();
}

void attach_observer(py::object function) {
  // Never dropped: it lives as long as the process.
  auto* kept = new py::object(std::move(function));
  allocator::attach_out_of_memory_observer(
      [kept](c10::DeviceIndex device, size_t bytes, size_t total, size_t free) {
    if (!Py_IsInitialized()) return;
    py::gil_scoped_acquire gil;
    (*kept)(static_cast<int>(device), bytes, total, free);
  });
}

py::dict allocator_settings() {
  const auto& config = c10::cuda::impl::AllocatorConfig::get();
  py::dict d;
  d["text"] = config.text;
  d["max_split_size"] = config.max_split_size;
  d["garbage_collection_threshold"] = config.garbage_collection_threshold;
  d["expandable_segments"] = config.expandable_segments;
  py::dict divisions;
  for (const auto& rule : config.roundings)
    divisions[py::str(
        rule.below == std::numeric_limits<size_t>::max() ? "" : std::to_string(rule.below >> 20))] =
        rule.divisions;
  d["roundup_power2_divisions"] = divisions;
  return d;
}

// The library stays open, and the allocator lives: tensors may outlast the Python object.
uintptr_t open_allocator(const std::string& path, const std::string& alloc,
                         const std::string& free) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    TORCH_CHECK(false, "CUDAPluggableAllocator: cannot open ", path, ": ",
                reason ? reason : "unknown reason");
  }
  auto find = [&](const std::string& name) {
    void* found = dlsym(library, name.c_str());
    TORCH_CHECK(found, "CUDAPluggableAllocator: ", path, " has no function ", name,
                ", declared extern \"C\"");
    return found;
  };
  auto* made =
      new c10::cuda::PluggableAllocator(reinterpret_cast<c10::cuda::AllocFunction>(find(alloc)),
                                        reinterpret_cast<c10::cuda::FreeFunction>(find(free)));
  return reinterpret_cast<uintptr_t>(made);
}

}  // namespace

void init_memory(py::module_& m) {
  m.def("memory_snapshot", &memory_snapshot);
  m.def("memory_history", &memory_history);
  m.def("record_memory_history", &record_history);
  m.def("attach_out_of_memory_observer", &attach_observer);
  m.def("open_allocator", &open_allocator);
  m.def("allocator_settings", &allocator_settings);
  m.def("set_allocator_settings", &c10::cuda::impl::AllocatorConfig::set);
  m.def("change_current_allocator", [](uintptr_t address) {
    c10::cuda::change_current_allocator(reinterpret_cast<c10::cuda::PluggableAllocator*>(address));
  });
  m.def("set_caching", &allocator::setCaching);
  m.def("is_caching", &allocator::isCaching);
  m.def("reset_host_memory_stats", &c10::cuda::reset_pinned_memory_stats);
  m.def("has_pluggable_allocator", &c10::cuda::has_pluggable_allocator);
}

}  // namespace torch::cuda
