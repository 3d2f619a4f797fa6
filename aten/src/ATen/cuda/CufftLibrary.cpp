// The plans of cuFFT: one cache for each device.

#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <ATen/cuda/CufftApi.h>
#include <ATen/cuda/CufftPlans.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/impl/DeviceScope.h>
#include <c10/cuda/impl/RelaxedCapture.h>

#if __has_include(<cufftXt.h>) && !defined(TORCH_CUDA_EMULATED)
#include <cufftXt.h>
#define AT_CUFFT_VALUE(name, value) \
  static_assert(static_cast<int>(at::cuda::cufft::name) == static_cast<int>(value))
AT_CUFFT_VALUE(kR32F, CUDA_R_32F);
AT_CUFFT_VALUE(kR64F, CUDA_R_64F);
AT_CUFFT_VALUE(kR16F, CUDA_R_16F);
AT_CUFFT_VALUE(kC32F, CUDA_C_32F);
AT_CUFFT_VALUE(kC64F, CUDA_C_64F);
AT_CUFFT_VALUE(kC16F, CUDA_C_16F);
AT_CUFFT_VALUE(kForward, CUFFT_FORWARD);
AT_CUFFT_VALUE(kInverse, CUFFT_INVERSE);
static_assert(CUFFT_SUCCESS == 0 && sizeof(cufftHandle) == sizeof(at::cuda::cufft::Plan));
#undef AT_CUFFT_VALUE
#endif

namespace at::cuda::cufft {
namespace {

constexpr int64_t kDefaultPlans = 4096;  // of a device

// The names of cufftResult.
const char* status_name(Status status) {
  switch (status) {
    case 0:
      return "CUFFT_SUCCESS";
    case 1:
      return "CUFFT_INVALID_PLAN";
    case 2:
      return "CUFFT_ALLOC_FAILED";
    case 3:
      return "CUFFT_INVALID_TYPE";
    case 4:
      return "CUFFT_INVALID_VALUE";
    case 5:
      return "CUFFT_INTERNAL_ERROR";
    case 6:
      return "CUFFT_EXEC_FAILED";
    case 7:
      return "CUFFT_SETUP_FAILED";
    case 8:
      return "CUFFT_INVALID_SIZE";
    case 9:
      return "CUFFT_UNALIGNED_DATA";
    case 11:
      return "CUFFT_INVALID_DEVICE";
    case 13:
      return "CUFFT_NO_WORKSPACE";
    case 14:
      return "CUFFT_NOT_IMPLEMENTED";
    case 16:
      return "CUFFT_NOT_SUPPORTED";
    case 17:
      return "CUFFT_MISSING_DEPENDENCY";
    case 18:
      return "CUFFT_NVRTC_FAILURE";
    case 19:
      return "CUFFT_NVJITLINK_FAILURE";
    default:
      return "an error that this build does not know";
  }
}

struct MadePlan {
  Plan handle = 0;
  size_t work = 0;
  explicit MadePlan(const Transform& t) {
    check(functions().create(&handle), "cufftCreate");
    try {
      Transform given = t;
      // Memory for a run comes from the caching allocator, so that plans hold none.
      check(functions().set_auto_allocation(handle, 0), "cufftSetAutoAllocation");
      c10::cuda::impl::RelaxedCapture relaxed;
      check(functions().make_plan(handle, static_cast<int>(t.rank), given.sizes, given.in.embed,
                                  t.in.stride, t.in.distance, static_cast<int>(t.in_type),
                                  given.out.embed, t.out.stride, t.out.distance,
                                  static_cast<int>(t.out_type), t.batch, &work,
                                  static_cast<int>(t.compute_type)),
            "cufftXtMakePlanMany");
    } catch (...) {
      functions().destroy(handle);
      throw;
    }
  }
  MadePlan(const MadePlan&) = delete;
  ~MadePlan() { functions().destroy(handle); }
};

// All members are long long, so that the bytes have no gaps.
static_assert(sizeof(Transform) == (8 + 2 * 5) * sizeof(long long));
struct Equal {
  bool operator()(const Transform& a, const Transform& b) const {
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
};
struct Hash {
  size_t operator()(const Transform& t) const {
    const auto* word = reinterpret_cast<const long long*>(&t);
    uint64_t hash = 0;
    for (size_t k = 0; k < sizeof(Transform) / sizeof(*word); ++k)
      hash = (hash ^ static_cast<uint64_t>(word[k])) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    return hash;
  }
};

// The plans of a device, the last used first. A plan runs for one thread at a time, since stream
// and memory are set before each run: callers hold the mutex.
struct Cache {
  using Entry = std::pair<Transform, MadePlan>;
  std::mutex mutex;
  int64_t max_size = kDefaultPlans;
  std::list<Entry> plans;
  std::unordered_map<Transform, std::list<Entry>::iterator, Hash, Equal> found;

  void shrink(int64_t size) {
    while (static_cast<int64_t>(plans.size()) > size) {
      found.erase(plans.back().first);
      plans.pop_back();
    }
  }
  const MadePlan& plan(const Transform& t) {
    if (auto known = found.find(t); known != found.end()) {
      plans.splice(plans.begin(), plans, known->second);
      return plans.front().second;
    }
    shrink(max_size - 1);
    plans.emplace_front(std::piecewise_construct, std::forward_as_tuple(t),
                        std::forward_as_tuple(t));
    found.emplace(t, plans.begin());
    return plans.front().second;
  }
};

// Never destroyed: at the end of the process the driver may be gone before this library.
Cache& cache_of(c10::DeviceIndex device) {
  static auto* mutex = new std::mutex;
  static auto* caches = new std::map<c10::DeviceIndex, Cache>;
  std::lock_guard<std::mutex> lock(*mutex);
  return (*caches)[device];
}

void run(const MadePlan& plan, void* in, void* out, bool forward) {
  const auto stream = c10::cuda::getCurrentCUDAStream();
  check(functions().set_stream(plan.handle, stream), "cufftSetStream");
  // Freed for work that comes later on this stream.
  const c10::DataPtr work = c10::cuda::CUDACachingAllocator::get()->allocate(plan.work);
  check(functions().set_work_area(plan.handle, work.get()), "cufftSetWorkArea");
  check(functions().execute(plan.handle, in, out, forward ? kForward : kInverse), "cufftXtExec");
}

}  // namespace

void check(Status status, const char* call) {
  TORCH_CHECK(status == 0, "cuFFT error: ", status_name(status), " when calling `", call, "`");
}

void execute(const Transform& transform, void* in, void* out, bool forward) {
  Cache& cache = cache_of(c10::cuda::current_device());
  std::lock_guard<std::mutex> lock(cache.mutex);
  if (cache.max_size > 0) run(cache.plan(transform), in, out, forward);
  else run(MadePlan(transform), in, out, forward);
}

int64_t plan_cache_size(c10::DeviceIndex device) {
  Cache& cache = cache_of(device);
  std::lock_guard<std::mutex> lock(cache.mutex);
  return static_cast<int64_t>(cache.plans.size());
}

int64_t plan_cache_max_size(c10::DeviceIndex device) {
  Cache& cache = cache_of(device);
  std::lock_guard<std::mutex> lock(cache.mutex);
  return cache.max_size;
}

void set_plan_cache_max_size(c10::DeviceIndex device, int64_t max_size) {
  TORCH_CHECK(max_size >= 0, "cufft_plan_cache: max_size must not be negative, got ", max_size);
  const c10::cuda::impl::DeviceScope scope(device);
  Cache& cache = cache_of(device);
  std::lock_guard<std::mutex> lock(cache.mutex);
  cache.max_size = max_size;
  cache.shrink(max_size);
}

void clear_plan_cache(c10::DeviceIndex device) {
  const c10::cuda::impl::DeviceScope scope(device);
  Cache& cache = cache_of(device);
  std::lock_guard<std::mutex> lock(cache.mutex);
  cache.shrink(0);
}

}  // namespace at::cuda::cufft
