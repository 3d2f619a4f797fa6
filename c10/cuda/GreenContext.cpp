// Asks the driver for a part of a GPU, and for streams that work there.

#include <c10/cuda/GreenContext.h>

#include <cuda.h>

#include <c10/cuda/impl/DeviceScope.h>
#include <c10/cuda/impl/DriverApi.h>

namespace c10::cuda {
namespace {

struct Functions {
  decltype(&::cuDeviceGetDevResource) get_resource;
  decltype(&::cuDevSmResourceSplitByCount) split;
  decltype(&::cuDevResourceGenerateDesc) describe;
  decltype(&::cuGreenCtxCreate) create;
  decltype(&::cuGreenCtxDestroy) destroy;
  decltype(&::cuGreenCtxStreamCreate) make_stream;
};

const Functions& functions() {
  static Functions found;
  static const bool has_all = [] {
    constexpr unsigned version = 12050;
    return impl::find_in_driver("cuDeviceGetDevResource", version, found.get_resource) &&
           impl::find_in_driver("cuDevSmResourceSplitByCount", version, found.split) &&
           impl::find_in_driver("cuDevResourceGenerateDesc", version, found.describe) &&
           impl::find_in_driver("cuGreenCtxCreate", version, found.create) &&
           impl::find_in_driver("cuGreenCtxDestroy", version, found.destroy) &&
           impl::find_in_driver("cuGreenCtxStreamCreate", version, found.make_stream);
  }();
  TORCH_CHECK(has_all,
              "GreenContext: the driver of this machine has no green contexts; one for CUDA 12.5 "
              "or newer has");
  return found;
}

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const impl::DriverApi* driver = impl::DriverApi::get();
  TORCH_CHECK(driver, "GreenContext: ", call, " returned ", static_cast<int>(result));
  driver->check(result, call);
}

CUdevResource resource_of(DeviceIndex device, CUdevResourceType type) {
  impl::DeviceScope scope(device);
  C10_CUDA_CHECK(cudaFree(nullptr));  // the driver works with devices that are in use
  CUdevResource resource{};
  check(functions().get_resource(device, &resource, type), "cuDeviceGetDevResource");
  return resource;
}

CUdevResource multiprocessors_of(DeviceIndex device, unsigned at_least) {
  CUdevResource all = resource_of(device, CU_DEV_RESOURCE_TYPE_SM);
  if (at_least == 0) return all;
  TORCH_CHECK(at_least <= all.sm.smCount, "GreenContext: num_sms: cuda:", static_cast<int>(device),
              " has ", all.sm.smCount, " multiprocessors, got ", at_least);
  CUdevResource group{}, rest{};
  unsigned groups = 1;
  check(functions().split(&group, &groups, &all, &rest, 0, at_least),
        "cuDevSmResourceSplitByCount");
  TORCH_CHECK(groups == 1, "GreenContext: num_sms: the driver makes no group of ", at_least,
              " multiprocessors of cuda:", static_cast<int>(device));
  return group;
}

#if CUDA_VERSION >= 13010
CUdevResource queues_of(DeviceIndex device, const GreenContext::Options& options) {
  CUdevResource queues = resource_of(device, CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG);
  queues.wqConfig.sharingScope =
      options.is_balanced ? CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED : CU_WORKQUEUE_SCOPE_DEVICE_CTX;
  if (options.max_concurrent) queues.wqConfig.wqConcurrencyLimit = options.max_concurrent;
  return queues;
}
unsigned concurrency_of(DeviceIndex device) {
  return resource_of(device, CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG).wqConfig.wqConcurrencyLimit;
}
#else
constexpr const char* kTooOld =
    "GreenContext: torch was built with a CUDA toolkit that knows nothing of work queues; 13.1 "
    "does";
CUdevResource queues_of(DeviceIndex, const GreenContext::Options&) { TORCH_CHECK(false, kTooOld); }
unsigned concurrency_of(DeviceIndex) { TORCH_CHECK(false, kTooOld); }
#endif

// Later work of `second` waits for what `first` has now.
void order(CUDAStream first, CUDAStream second) {
  impl::DeviceScope scope(first.device_index());
  cudaEvent_t event;
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaError_t error = cudaEventRecord(event, first);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(second, event, 0);
  C10_CUDA_IGNORE(cudaEventDestroy(event));
  C10_CUDA_CHECK(error);
}

}  // namespace

GreenContext::GreenContext(DeviceIndex device, const Options& options)
    : device_(device_or_current(device)) {
  check_device(device_);
  CUdevResource resources[2] = {multiprocessors_of(device_, options.multiprocessors)};
  unsigned count = 1;
  if (options.has_queues) resources[count++] = queues_of(device_, options);
  CUdevResourceDesc description = nullptr;
  check(functions().describe(&description, resources, count), "cuDevResourceGenerateDesc");
  check(functions().create(&context_, description, device_, CU_GREEN_CTX_DEFAULT_STREAM),
        "cuGreenCtxCreate");
  try {
    make_stream();
  } catch (...) {
    functions().destroy(context_);
    throw;
  }
}

GreenContext::~GreenContext() {
  for (const CUDAStream& stream : streams_) {
    C10_CUDA_IGNORE(cudaStreamSynchronize(stream));
    C10_CUDA_IGNORE(cudaStreamDestroy(stream));
  }
  functions().destroy(context_);
}

void GreenContext::begin() {
  const CUDAStream current = getCurrentCUDAStream(device_);
  order(current, streams_[0]);
  before_.push_back(current);
  setCurrentCUDAStream(streams_[0]);
}

void GreenContext::end() {
  TORCH_CHECK(!before_.empty() && getCurrentCUDAStream(device_) == streams_[0],
              "pop_context(): the current stream is not that of this context's set_context()");
  order(streams_[0], before_.back());
  setCurrentCUDAStream(before_.back());
  before_.pop_back();
}

CUDAStream GreenContext::make_stream() {
  CUstream made = nullptr;
  check(functions().make_stream(&made, context_, CU_STREAM_NON_BLOCKING, 0),
        "cuGreenCtxStreamCreate");
  streams_.push_back(getStreamFromExternal(made, device_));
  return streams_.back();
}

unsigned GreenContext::max_concurrency(DeviceIndex device) {
  device = device_or_current(device);
  check_device(device);
  return concurrency_of(device);
}

}  // namespace c10::cuda
