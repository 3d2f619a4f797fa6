// Convolutions by cuDNN: descriptors and the algorithm of each shape are kept.
//
// An algorithm is the first that cuDNN recommends or, with torch.backends.cudnn.benchmark, the
// fastest that it measures on the first call.

#include <ATen/native/convolution/cuda/cudnn.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <ATen/Context.h>
#include <ATen/cuda/CudnnApi.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/impl/RelaxedCapture.h>

namespace at::native {
namespace {

namespace cudnn = cuda::cudnn;
using cudnn::Descriptor;

constexpr size_t kMaxPlans = 10000;
constexpr size_t kMaxWorkspace = size_t{1} << 30;  // of an algorithm
constexpr int kCandidates = 10;

bool is_reduced(ScalarType dtype) { return dtype == kHalf || dtype == kBFloat16; }

// cuDNN has two and three spatial dimensions: one becomes two.
std::vector<int> padded(IntArrayRef list, int missing, size_t at) {
  std::vector<int> numbers(list.begin(), list.end());
  if (list.size() - at == 1) numbers.insert(numbers.begin() + static_cast<int64_t>(at), missing);
  return numbers;
}

bool has_channels_last(const Tensor& t) {
  return t.dim() > 3 && t.strides()[1] == 1 && !t.is_contiguous();
}
// All three have one memory format, which some of them may not show: those with one channel.
bool is_channels_last(const Tensor& large, const Tensor& small, const Tensor& weight) {
  return has_channels_last(large) || has_channels_last(small) || has_channels_last(weight);
}

// Descriptors, and how it is computed. Nothing changes once it is kept.
struct Plan {
  Descriptor large = nullptr, small = nullptr, filter = nullptr, convolution = nullptr;
  std::atomic<bool> is_usable{false};
  cudnn::Candidate chosen{};

  Plan() = default;
  Plan(const Plan&) = delete;
  ~Plan() {
    const cudnn::Functions& f = *cudnn::functions();
    if (large) f.destroy_tensor(large);
    if (small) f.destroy_tensor(small);
    if (filter) f.destroy_filter(filter);
    if (convolution) f.destroy_convolution(convolution);
  }
};

// The strides of a dense tensor: those that dimensions of one element have do not matter to us, but
// do to cuDNN.
bool set_tensor(Descriptor descriptor, const Tensor& t, bool channels_last) {
  const std::vector<int> sizes = padded(t.sizes(), 1, 2);
  std::vector<int> strides(sizes.size());
  int stride = channels_last ? sizes[1] : 1;
  for (size_t d = sizes.size(); d-- > (channels_last ? 2 : 1);) {
    strides[d] = stride;
    stride *= sizes[d];
  }
  if (channels_last) strides[1] = 1;
  strides[0] = stride;
  return cudnn::functions()->set_tensor(descriptor, cudnn::data_type(t.scalar_type()),
                                        static_cast<int>(sizes.size()), sizes.data(),
                                        strides.data()) == 0;
}

// Returns false if cuDNN does not know the like.
bool describe(Plan& plan, const ConvolutionArgs& args, const Tensor& large, const Tensor& small,
              const Tensor& weight) {
  const cudnn::Functions& f = *cudnn::functions();
  cudnn::check(f.create_tensor(&plan.large), "cudnnCreateTensorDescriptor");
  cudnn::check(f.create_tensor(&plan.small), "cudnnCreateTensorDescriptor");
  cudnn::check(f.create_filter(&plan.filter), "cudnnCreateFilterDescriptor");
  cudnn::check(f.create_convolution(&plan.convolution), "cudnnCreateConvolutionDescriptor");
  const bool channels_last = is_channels_last(large, small, weight);
  const std::vector<int> sizes = padded(weight.sizes(), 1, 2), padding = padded(args.padding, 0, 0),
                         stride = padded(args.stride, 1, 0), dilation = padded(args.dilation, 1, 0);
  const ScalarType dtype = weight.scalar_type();
  const int math_type = is_reduced(dtype)                         ? cudnn::kTensorOpMath
                        : globalContext().cudnn().allow_tf32_conv ? cudnn::kDefaultMath
                                                                  : cudnn::kFmaMath;
  return set_tensor(plan.large, large, channels_last) &&
         set_tensor(plan.small, small, channels_last) &&
         f.set_filter(plan.filter, cudnn::data_type(dtype),
                      channels_last ? cudnn::kNHWC : cudnn::kNCHW, static_cast<int>(sizes.size()),
                      sizes.data()) == 0 &&
         f.set_convolution(plan.convolution, static_cast<int>(stride.size()), padding.data(),
                           stride.data(), dilation.data(), cudnn::kCrossCorrelation,
                           dtype == kDouble ? cudnn::kFloat64 : cudnn::kFloat32) == 0 &&
         f.set_groups(plan.convolution, static_cast<int>(args.groups)) == 0 &&
         f.set_math_type(plan.convolution, math_type) == 0;
}

// The operands of a computation, and its result.
struct Operands {
  const cudnn::Computation& computation;
  Descriptor a, b, c;
  void *at_a, *at_b, *at_c;
};

Operands operands_of(const Plan& plan, ConvolutionSide computed, const Tensor& large,
                     const Tensor& small, const Tensor& weight) {
  const cudnn::Functions& f = *cudnn::functions();
  void *l = large.data_ptr(), *s = small.data_ptr(), *w = weight.data_ptr();
  switch (computed) {
    case ConvolutionSide::small:
      return {f.forward, plan.large, plan.filter, plan.small, l, w, s};
    case ConvolutionSide::large:
      return {f.backward_data, plan.filter, plan.small, plan.large, w, s, l};
    default:
      return {f.backward_filter, plan.large, plan.small, plan.filter, l, s, w};
  }
}

c10::DataPtr workspace(size_t bytes) {
  return bytes > 0 ? c10::cuda::CUDACachingAllocator::get()->allocate(bytes) : c10::DataPtr();
}

// Null if there is not so much memory.
std::optional<c10::DataPtr> workspace_if_there(size_t bytes) {
  if (bytes > kMaxWorkspace) return std::nullopt;
  try {
    return workspace(bytes);
  } catch (const c10::OutOfMemoryError&) {
    return std::nullopt;
  }
}

void choose(Plan& plan, const Operands& o, ScalarType dtype) {
  const auto& settings = globalContext().cudnn();
  const bool deterministic = settings.deterministic || globalContext().deterministicAlgorithms();
  cudnn::Candidate candidates[kCandidates];
  int count = 0;
  if (o.computation.heuristic(cudnn::handle(), o.a, o.b, plan.convolution, o.c, kCandidates, &count,
                              candidates) != 0)
    return;
  // Measuring waits for the device, which a capture does not permit.
  if (settings.benchmark && !c10::cuda::is_capturing(c10::cuda::getCurrentCUDAStream())) {
    size_t bytes = 0;
    for (int k = 0; k < count; ++k)
      if (candidates[k].status == 0 && candidates[k].workspace <= kMaxWorkspace)
        bytes = std::max(bytes, candidates[k].workspace);
    std::optional<c10::DataPtr> memory;
    while (!(memory = workspace_if_there(bytes))) bytes /= 2;
    const int limit = settings.benchmark_limit;
    cudnn::Candidate measured[kCandidates];
    int found = 0;
    if (o.computation.measure(cudnn::handle(), o.a, o.at_a, o.b, o.at_b, plan.convolution, o.c,
                              o.at_c, limit > 0 ? std::min(limit, kCandidates) : kCandidates,
                              &found, measured, memory->get(), bytes) == 0 &&
        found > 0) {
      std::copy(measured, measured + found, candidates);
      count = found;
    }
  }
  for (int k = 0; k < count && !plan.is_usable; ++k) {
    const cudnn::Candidate& candidate = candidates[k];
    if (candidate.status != 0 ||
        (deterministic && candidate.determinism != cudnn::kDeterministic) ||
        !workspace_if_there(candidate.workspace))
      continue;
    plan.chosen = candidate;
    plan.is_usable = true;
  }
  if (plan.is_usable && is_reduced(dtype))
    cudnn::check(cudnn::functions()->set_math_type(plan.convolution, plan.chosen.math_type),
                 "cudnnSetConvolutionMathType");
}

using Key = std::vector<int64_t>;

Key key_of(const ConvolutionArgs& args, ConvolutionSide computed, const Tensor& large,
           const Tensor& small, const Tensor& weight) {
  const auto& s = globalContext().cudnn();
  Key key{static_cast<int64_t>(computed),
          static_cast<int64_t>(weight.scalar_type()),
          weight.device().index(),
          args.groups,
          is_channels_last(large, small, weight),
          s.benchmark,
          s.benchmark_limit,
          s.deterministic || globalContext().deterministicAlgorithms(),
          s.allow_tf32_conv};
  for (IntArrayRef list :
       {large.sizes(), large.strides(), small.sizes(), small.strides(), weight.sizes(),
        IntArrayRef(args.stride), IntArrayRef(args.padding), IntArrayRef(args.dilation)})
    key.insert(key.end(), list.begin(), list.end());
  return key;
}

// Never destroyed: at the end of the process the driver may be gone before this library.
struct Plans {
  std::mutex mutex;
  std::map<Key, std::shared_ptr<Plan>> made;
};
Plans& plans() {
  static auto* all = new Plans;
  return *all;
}

std::shared_ptr<Plan> find_plan(const Key& key) {
  std::lock_guard<std::mutex> lock(plans().mutex);
  const auto found = plans().made.find(key);
  return found == plans().made.end() ? nullptr : found->second;
}
void keep_plan(const Key& key, const std::shared_ptr<Plan>& plan) {
  std::lock_guard<std::mutex> lock(plans().mutex);
  if (plans().made.size() >= kMaxPlans) plans().made.clear();
  plans().made[key] = plan;
}

// cuDNN counts in int, and its fast algorithms read 16 bytes at once.
bool fits(const Tensor& t) {
  return t.numel() > 0 && t.numel() <= INT_MAX &&
         reinterpret_cast<uintptr_t>(t.data_ptr()) % 16 == 0;
}

}  // namespace

bool cudnn_takes(const ConvolutionArgs& args) {
  const ScalarType dtype = args.input.scalar_type();
  return (dtype == kFloat || dtype == kDouble || is_reduced(dtype)) &&
         dtype == args.weight.scalar_type() && globalContext().cudnn().enabled &&
         cudnn::functions() != nullptr;
}

bool cudnn_convolution(const ConvolutionArgs& args, ConvolutionSide computed, const Tensor& large,
                       const Tensor& small, const Tensor& weight) {
  if (!fits(large) || !fits(small) || !fits(weight)) return false;
  const c10::cuda::CUDAGuard guard(weight.device());
  const Key key = key_of(args, computed, large, small, weight);
  std::shared_ptr<Plan> plan = find_plan(key);
  if (!plan) {
    c10::cuda::impl::RelaxedCapture relaxed;
    plan = std::make_shared<Plan>();
    if (describe(*plan, args, large, small, weight))
      choose(*plan, operands_of(*plan, computed, large, small, weight), weight.scalar_type());
    keep_plan(key, plan);
  }
  if (!plan->is_usable) return false;
  const Operands o = operands_of(*plan, computed, large, small, weight);
  const float one = 1, zero = 0;
  const double one_double = 1, zero_double = 0;
  const bool is_double = weight.scalar_type() == kDouble;
  const c10::DataPtr memory = workspace(plan->chosen.workspace);
  const cudnn::Status status = o.computation.run(
      cudnn::handle(), is_double ? static_cast<const void*>(&one_double) : &one, o.a, o.at_a, o.b,
      o.at_b, plan->convolution, plan->chosen.algorithm, memory.get(), plan->chosen.workspace,
      is_double ? static_cast<const void*>(&zero_double) : &zero, o.c, o.at_c);
  // Recommended, and then not there: it happens.
  if (status >= cudnn::kFirstUnsupported && status <= cudnn::kLastUnsupported) {
    plan->is_usable = false;
    return false;
  }
  cudnn::check(status, "a convolution");
  return true;
}

}  // namespace at::native
