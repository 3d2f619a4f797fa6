// torch._C._cuda: what torch.cuda asks CUDA beyond the interface that all accelerators have.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>

#include <ATen/core/GeneratorRegistry.h>
#include <ATen/cuda/CublasApi.h>
#include <ATen/cuda/CublasLtApi.h>
#include <ATen/cuda/CusolverApi.h>
#include <ATen/cuda/Sleep.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/impl/BackendLibrary.h>
#include <c10/cuda/BadFork.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/PeerAccess.h>
#include <c10/cuda/PinnedMemory.h>
#include <c10/cuda/impl/AllocatorConfig.h>
#include <c10/cuda/impl/DeviceScope.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/cuda/parts.h>
#include <torch/csrc/python_types.h>

namespace py = pybind11;
namespace allocator = c10::cuda::CUDACachingAllocator;

namespace torch::cuda {
namespace {

using c10::DeviceIndex;

// The index as the runtime takes it: numbers past its type's are no device's, and are named whole.
DeviceIndex narrow(int device) {
  const int count = c10::cuda::device_count_ensure_non_zero();
  TORCH_CHECK(device < count, "cuda:", device,
              ": there is no device of that number; this process sees ", count);
  return static_cast<DeviceIndex>(std::max(device, -1));
}
DeviceIndex index_of(int device) { return c10::cuda::device_or_current(narrow(device)); }

c10::cuda::CUDAStream stream_with(int64_t id, int device) {
  return c10::cuda::CUDAStream(
      c10::Stream(c10::Stream::UNSAFE,
                  c10::Device(c10::DeviceType::CUDA, static_cast<DeviceIndex>(device)), id));
}

int attribute(cudaDeviceAttr which, DeviceIndex device) {
  int value = 0;
  C10_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

py::dict properties(int device) {
  const cudaDeviceProp& p = c10::cuda::device_properties(index_of(device));
  py::dict d;
  d["name"] = p.name;
  d["major"] = p.major;
  d["minor"] = p.minor;
  d["total_memory"] = p.totalGlobalMem;
  d["multi_processor_count"] = p.multiProcessorCount;
  d["max_threads_per_multi_processor"] = p.maxThreadsPerMultiProcessor;
  d["max_threads_per_block"] = p.maxThreadsPerBlock;
  d["regs_per_multiprocessor"] = p.regsPerMultiprocessor;
  d["shared_memory_per_block"] = p.sharedMemPerBlock;
  d["shared_memory_per_block_optin"] = p.sharedMemPerBlockOptin;
  d["shared_memory_per_multiprocessor"] = p.sharedMemPerMultiprocessor;
  d["warp_size"] = p.warpSize;
  d["L2_cache_size"] = p.l2CacheSize;
  d["clock_rate"] = attribute(cudaDevAttrClockRate, index_of(device));  // kHz, as the next one
  d["memory_clock_rate"] = attribute(cudaDevAttrMemoryClockRate, index_of(device));
  d["memory_bus_width"] = attribute(cudaDevAttrGlobalMemoryBusWidth, index_of(device));  // bits
  d["is_integrated"] = p.integrated;
  d["is_multi_gpu_board"] = p.isMultiGpuBoard;
  d["pci_bus_id"] = p.pciBusID;
  d["pci_device_id"] = p.pciDeviceID;
  d["pci_domain_id"] = p.pciDomainID;
  d["uuid"] = py::bytes(p.uuid.bytes, sizeof p.uuid.bytes);
  return d;
}

py::dict stat_dict(const allocator::Stat& stat) {
  py::dict d;
  d["current"] = stat.current;
  d["peak"] = stat.peak;
  d["allocated"] = stat.allocated;
  d["freed"] = stat.freed;
  return d;
}

py::dict stat_dict(const allocator::StatArray& stats) {
  static const char* const pools[] = {"all", "small_pool", "large_pool"};
  py::dict all;
  for (size_t k = 0; k < stats.size(); ++k) all[pools[k]] = stat_dict(stats[k]);
  return all;
}

py::dict stat_dict(const c10::cuda::DurationStat& stat) {
  py::dict d;
  d["total"] = stat.total;
  d["max"] = stat.max;
  d["min"] = stat.min;
  d["count"] = stat.count;
  d["avg"] = stat.count ? stat.total / stat.count : 0;
  return d;
}

py::dict memory_stats(int device) {
  auto s = allocator::getDeviceStats(index_of(device));
  py::dict d;
  d["num_alloc_retries"] = s.num_alloc_retries;
  d["num_ooms"] = s.num_ooms;
  d["num_oom_rejections"] = 0;  // nothing is refused before CUDA is asked
  d["num_sync_all_streams"] = s.num_sync_all_streams;
  const size_t max_split = c10::cuda::impl::AllocatorConfig::get().max_split_size;
  d["max_split_size"] =
      max_split > INT64_MAX ? int64_t{-1} : static_cast<int64_t>(max_split);  // -1: no limit
  d["oversize_allocations"] = stat_dict(s.oversize_allocations);
  d["oversize_segments"] = stat_dict(s.oversize_segments);
  py::dict pools;
  for (const auto& [id, stats] : allocator::getPrivatePoolStats(index_of(device)))
    pools[py::make_tuple(id.first, id.second)] = stat_dict(stats);
  d["reserved_bytes_by_private_pools"] = pools;
  d["num_device_alloc"] = s.num_device_alloc;
  d["num_device_free"] = s.num_device_free;
  d["allocation"] = stat_dict(s.allocation);
  d["segment"] = stat_dict(s.segment);
  d["active"] = stat_dict(s.active);
  d["inactive_split"] = stat_dict(s.inactive_split);
  d["allocated_bytes"] = stat_dict(s.allocated_bytes);
  d["reserved_bytes"] = stat_dict(s.reserved_bytes);
  d["active_bytes"] = stat_dict(s.active_bytes);
  d["inactive_split_bytes"] = stat_dict(s.inactive_split_bytes);
  d["requested_bytes"] = stat_dict(s.requested_bytes);
  return d;
}

py::dict host_memory_stats() {
  auto s = c10::cuda::pinned_memory_stats();
  py::dict d;
  d["num_host_alloc"] = s.allocations.allocated;
  d["num_host_free"] = s.allocations.freed;
  d["allocations"] = stat_dict(s.allocations);
  d["allocated_bytes"] = stat_dict(s.allocated_bytes);
  d["active_requests"] = stat_dict(s.active_requests);
  d["active_bytes"] = stat_dict(s.active_bytes);
  d["host_alloc_time"] = stat_dict(s.alloc_time);
  d["host_free_time"] = stat_dict(s.free_time);
  return d;
}

py::tuple memory_info(int device) {
  c10::cuda::impl::DeviceScope scope(index_of(device));
  size_t free = 0, total = 0;
  C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return py::make_tuple(free, total);
}

}  // namespace

#ifdef TORCH_CUDA_EMULATED
PYBIND11_MODULE(_cuda_emulated, m) {
  m.attr("is_emulated") = true;
#else
PYBIND11_MODULE(_cuda, m) {
  m.attr("is_emulated") = false;
#endif
  py::register_local_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const c10::Error&) {
      translate_exception();
    }
  });
  c10::impl::load_backend_library(c10::DeviceType::CUDA);  // the kernels
  m.attr("runtime_version") = CUDART_VERSION;
  m.def("device_count", [] { return static_cast<int>(c10::cuda::device_count()); });
  m.def("device_count_ensure_non_zero",
        [] { return static_cast<int>(c10::cuda::device_count_ensure_non_zero()); });
  m.def("current_device", [] { return static_cast<int>(c10::cuda::current_device()); });
  m.def("set_device", [](int device) { c10::cuda::set_device(narrow(device)); });
  m.def("exchange_device",
        [](int device) { return static_cast<int>(c10::cuda::exchange_device(narrow(device))); });
  m.def("synchronize", [](int device) {
    c10::cuda::impl::DeviceScope scope(index_of(device));
    c10::cuda::device_synchronize();
  }, py::call_guard<py::gil_scoped_release>());
  m.def("properties", &properties);
  m.def("can_access_peer", [](int device, int peer) {
    return c10::cuda::can_access_peer(static_cast<DeviceIndex>(device),
                                      static_cast<DeviceIndex>(peer));
  });
  m.def("stream_of_handle", [](uintptr_t handle, int device) {
    auto stream =
        c10::cuda::getStreamFromExternal(reinterpret_cast<cudaStream_t>(handle), index_of(device));
    return py::make_tuple(stream.id(), static_cast<int>(stream.device_index()));
  });
  m.def("arch_list", [] {
#ifdef TORCH_CUDA_ARCHITECTURES
    return std::string(TORCH_CUDA_ARCHITECTURES);
#else
    return std::string();
#endif
  });
  m.def("stream_handle", [](int64_t id, int device) {
    return reinterpret_cast<uintptr_t>(stream_with(id, device).stream());
  });
  // The address of the stream that is current on a device: what Triton's launches ask for.
  m.def("current_stream_handle", [](int device) {
    return reinterpret_cast<uintptr_t>(
        c10::cuda::getCurrentCUDAStream(static_cast<DeviceIndex>(narrow(device))).stream());
  });
  m.def("stream_priority",
        [](int64_t id, int device) { return stream_with(id, device).priority(); });
  m.def("stream_priority_range", [] {
    int lowest = 0, highest = 0;
    C10_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    return py::make_tuple(lowest, highest);
  });

  m.def("default_generator", [](int device) {
    return py::reinterpret_steal<py::object>(
        wrap_generator(at::device_generators(c10::kCUDA).default_generator(narrow(device))));
  });

  m.def("set_sync_debug_mode", [](int mode) {
    c10::cuda::set_sync_debug_mode(static_cast<c10::cuda::SyncDebugMode>(mode));
  });
  m.def("sync_debug_mode", [] { return static_cast<int>(c10::cuda::sync_debug_mode()); });

  m.def("memory_stats", &memory_stats);
  m.def("memory_info", &memory_info);
  // The storage is given as torch.UntypedStorage._cdata.
  m.def("record_stream", [](uintptr_t storage, int64_t id, int device) {
    allocator::recordStream(reinterpret_cast<c10::StorageImpl*>(storage)->data_ptr(),
                            stream_with(id, device));
  });
  m.def("empty_cache", &allocator::emptyCache, py::call_guard<py::gil_scoped_release>());
  m.def("host_memory_stats", &host_memory_stats);
  m.def("empty_host_cache", &c10::cuda::empty_pinned_cache,
        py::call_guard<py::gil_scoped_release>());
  m.def("current_blas_handle",
        [] { return reinterpret_cast<uintptr_t>(at::cuda::cublas::handle()); });
  m.def("current_solver_handle",
        [] { return reinterpret_cast<uintptr_t>(at::cuda::cusolver::handle()); });
  m.def("sleep", &at::cuda::sleep);
  m.def("is_in_bad_fork", &c10::cuda::is_in_bad_fork);
  m.def("cublas_workspace_size", &at::cuda::cublas::workspace_size);
  m.def("set_cublas_workspace_size", &at::cuda::cublas::set_workspace_size);
  m.def("cublaslt_workspace_size", &at::cuda::cublaslt::workspace_size);
  m.def("set_cublaslt_workspace_size", &at::cuda::cublaslt::set_workspace_size);
  init_compiler(m);
  init_fft(m);
  init_graphs(m);
  init_green_contexts(m);
  init_interop(m);
  init_ipc(m);
  init_runtime(m);
  init_nvtx(m);
  init_profiler(m);
  init_memory(m);
  m.def("reset_accumulated_stats",
        [](int device) { allocator::resetAccumulatedStats(index_of(device)); });
  m.def("reset_peak_stats", [](int device) { allocator::resetPeakStats(index_of(device)); });
  m.def("set_memory_fraction", [](double fraction, int device) {
    allocator::setMemoryFraction(fraction, index_of(device));
  });
  m.def("get_memory_fraction",
        [](int device) { return allocator::getMemoryFraction(index_of(device)); });
  m.def("raw_alloc", [](size_t bytes, uintptr_t stream) {
    return reinterpret_cast<uintptr_t>(
        allocator::raw_alloc_with_stream(bytes, reinterpret_cast<cudaStream_t>(stream)));
  });
  m.def("raw_delete",
        [](uintptr_t address) { allocator::raw_delete(reinterpret_cast<void*>(address)); });
}

}  // namespace torch::cuda
