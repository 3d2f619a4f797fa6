// Attention by cuDNN: layouts that it takes, and the plans that are kept for each of them.

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <ATen/Context.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CudnnAttentionApi.h>
#include <ATen/native/attention/cuda/philox_place.h>
#include <ATen/native/attention/cudnn_attention.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy_.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/impl/RelaxedCapture.h>

namespace at::native {
namespace {

namespace cudnn = cuda::cudnn;
using cudnn::AttentionProblem;
using cudnn::HeadsLayout;

constexpr const char* kName = "_scaled_dot_product_cudnn_attention";
constexpr size_t kMaxPlans = 1000;
constexpr int64_t kAlignment = 16;  // bytes, of the tensors and their rows
constexpr int64_t kMaxWidth = 256;

// --- layouts -------------------------------------------------------------------------------------

// Strides of dimensions of one element matter to nobody, except that cuDNN reads them too: they
// become the extent of the dimensions further in.
HeadsLayout layout_of(IntArrayRef sizes, IntArrayRef strides) {
  HeadsLayout layout;
  int64_t extent = 1;
  for (int d = 3; d >= 0; --d) {
    layout.sizes[d] = sizes[d];
    layout.strides[d] = sizes[d] == 1 ? extent : strides[d];
    extent = std::max(extent, layout.sizes[d] * layout.strides[d]);
  }
  return layout;
}
HeadsLayout layout_of(const Tensor& t) { return layout_of(t.sizes(), t.strides()); }

HeadsLayout dense_layout(const Tensor& like, int64_t width) {
  DimVector sizes(like.sizes().begin(), like.sizes().end());
  sizes[3] = width;
  return layout_of(sizes, heads_strides(like, width));
}

// Whether cuDNN can read a tensor in place: rows are dense, begin at multiples of 16 bytes, and are
// not repeated by strides of 0.
bool has_usable_strides(const Tensor& t) {
  const auto size = static_cast<int64_t>(elementSize(t.scalar_type()));
  bool usable = t.size(3) == 1 || t.stride(3) == 1;
  for (int d = 0; d < 3; ++d)
    usable =
        usable && (t.size(d) == 1 || (t.stride(d) > 0 && t.stride(d) * size % kAlignment == 0));
  return usable;
}
bool is_aligned(const Tensor& t) {
  return reinterpret_cast<uintptr_t>(t.data_ptr()) % kAlignment == 0;
}

HeadsLayout ready_layout(const Tensor& t) {
  if (has_usable_strides(t)) return layout_of(t);
  HeadsLayout layout = layout_of(t);
  int64_t dense = 1;
  for (int d = 3; d >= 0; --d) {
    layout.strides[d] = dense;
    dense *= layout.sizes[d];
  }
  return layout;
}
Tensor ready(const Tensor& t) {
  const Tensor usable = has_usable_strides(t) ? t : at::contiguous(t);
  return is_aligned(usable) ? usable : at::clone(usable);
}

// In the layout that the forward pass gives its result.
Tensor as_result(const Tensor& t, const Tensor& query) {
  const DimVector strides = heads_strides(query, t.size(3));
  bool same = is_aligned(t);
  for (int d = 0; d < 4; ++d) same = same && (t.size(d) == 1 || t.stride(d) == strides[d]);
  if (same) return t;
  Tensor copy = empty_strided_tensor(t.sizes(), strides, t.scalar_type(), t.device());
  at::copy_(copy, t);
  return copy;
}

// --- problems ------------------------------------------------------------------------------------

AttentionProblem problem_of(const CudnnAttentionCall& c, bool is_backward, bool keeps_logsumexp) {
  AttentionProblem p;
  p.dtype = c.query.scalar_type();
  p.is_backward = is_backward;
  p.is_causal = c.is_causal;
  p.has_bias = c.bias.defined();
  p.keeps_logsumexp = keeps_logsumexp || is_backward;
  p.is_deterministic = is_backward && (globalContext().cudnn().deterministic ||
                                       globalContext().deterministicAlgorithms());
  p.scale = c.scale;
  p.dropout = c.dropout;
  p.query = ready_layout(c.query);
  p.key = ready_layout(c.key);
  p.value = ready_layout(c.value);
  p.out = dense_layout(c.query, c.value.size(3));
  if (p.has_bias) p.bias = layout_of(c.bias);
  if (is_backward) {
    p.grad_query = dense_layout(c.query, c.query.size(3));
    p.grad_key = dense_layout(c.key, c.key.size(3));
    p.grad_value = dense_layout(c.value, c.value.size(3));
  }
  return p;
}

// --- plans ---------------------------------------------------------------------------------------

using Key = std::vector<int64_t>;

Key key_of(const AttentionProblem& p, c10::DeviceIndex device) {
  const auto bits = [](double x) {
    int64_t b;
    std::memcpy(&b, &x, sizeof b);
    return b;
  };
  Key key{device, static_cast<int64_t>(p.dtype),
          p.is_backward | p.is_causal << 1 | p.has_bias << 2 | p.keeps_logsumexp << 3 |
              p.is_deterministic << 4,
          bits(p.scale), bits(p.dropout)};
  key.reserve(key.size() + 8 * 8);
  for (const HeadsLayout* layout :
       {&p.query, &p.key, &p.value, &p.out, &p.bias, &p.grad_query, &p.grad_key, &p.grad_value}) {
    key.insert(key.end(), layout->sizes.begin(), layout->sizes.end());
    key.insert(key.end(), layout->strides.begin(), layout->strides.end());
  }
  return key;
}

// A plan, or why there is none.
struct Entry {
  std::unique_ptr<cudnn::AttentionPlan> plan;
  std::string reason;
};

// Plans are never destroyed: their kernels are unloaded with them, which graphs may replay, and at
// the end of the process the driver may be gone before this library.
struct Plans {
  std::mutex mutex;
  std::map<Key, std::unique_ptr<const Entry>> made;
};
Plans& plans() {
  static auto* all = new Plans;
  return *all;
}

const Entry& find_or_make(const AttentionProblem& problem, c10::DeviceIndex device) {
  static const Entry full{nullptr, std::to_string(kMaxPlans) +
                                       " plans for other shapes are kept, as many as there may be"};
  Key key = key_of(problem, device);
  {
    std::lock_guard<std::mutex> lock(plans().mutex);
    const auto found = plans().made.find(key);
    if (found != plans().made.end()) return *found->second;
    if (plans().made.size() >= kMaxPlans) return full;
  }
  auto entry = std::make_unique<Entry>();
  {
    c10::cuda::impl::RelaxedCapture relaxed;
    entry->plan = cudnn::make_attention_plan(problem, entry->reason);
  }
  std::lock_guard<std::mutex> lock(plans().mutex);
  // Another thread may have been faster.
  return *plans().made.try_emplace(std::move(key), std::move(entry)).first->second;
}

void run(const AttentionProblem& problem, const cudnn::AttentionOperands& operands,
         c10::DeviceIndex device) {
  const Entry& entry = find_or_make(problem, device);
  TORCH_CHECK(entry.plan, kName, problem.is_backward ? "_backward" : "",
              ": cuDNN does not take these arguments: ", entry.reason);
  const size_t bytes = entry.plan->workspace();
  const c10::DataPtr workspace =
      bytes > 0 ? c10::cuda::CUDACachingAllocator::get()->allocate(bytes) : c10::DataPtr();
  entry.plan->run(operands, workspace.get());
}

// --- calls ---------------------------------------------------------------------------------------

// What does not depend on a plan.
std::string refusal_of_device(const Tensor& like) {
  if (!cudnn::has_attention())
    return "cuDNN 9 is not installed, or torch was built without its attention";
  if (!globalContext().cudnn().enabled) return "torch.backends.cudnn.enabled is False";
  const auto& gpu = c10::cuda::device_properties(like.device().index());
  if (gpu.major < 8)
    return "the GPU's compute capability is " + std::to_string(gpu.major) + "." +
           std::to_string(gpu.minor) + ", and it takes 8.0 and newer";
  return "";
}

std::string refusal_of_call(const CudnnAttentionCall& c) {
  const ScalarType dtype = c.query.scalar_type();
  if (dtype != kHalf && dtype != kBFloat16)
    return std::string("query, key and value are ") + toString(dtype) +
           ", and it takes float16 and bfloat16";
  for (const Tensor* t : {&c.query, &c.value})
    if (t->size(3) % 8 != 0 || t->size(3) == 0 || t->size(3) > kMaxWidth)
      return "heads are " + std::to_string(t->size(3)) +
             " wide, and it takes multiples of 8 up to " + std::to_string(kMaxWidth);
  if (c.key.size(2) == 1) return "there is one key, and it takes two or more";
  if (c.dropout >= 1) return "all weights are dropped";
  return "";
}

std::string refusal(const CudnnAttentionCall& c, bool trains) {
  std::string reason = refusal_of_device(c.query);
  if (reason.empty()) reason = refusal_of_call(c);
  if (!reason.empty()) return reason;
  const c10::cuda::CUDAGuard guard(c.query.device());
  const c10::DeviceIndex device = c.query.device().index();
  reason = find_or_make(problem_of(c, false, trains), device).reason;
  if (reason.empty() && trains) reason = find_or_make(problem_of(c, true, true), device).reason;
  return reason;
}

// A plan takes cuDNN some tenths of a second to make, for each number of keys. Small calls, such as
// those that produce one word after the other, would never make up for it.
constexpr int64_t kMinQueries = 64;
constexpr double kMinOperations = 2e10;  // of the forward pass: our own kernel takes 0.1 ms

bool prefers(const Tensor& query, const Tensor& key) {
  if (query.dim() != 4 || key.dim() != 4 || query.size(2) < kMinQueries) return false;
  const double operations =
      4 * static_cast<double>(query.numel()) * static_cast<double>(key.size(2));
  return operations >= kMinOperations &&
         c10::cuda::device_properties(query.device().index()).major >= 9;
}

void check_call(const CudnnAttentionCall& c) {
  std::string reason = refusal_of_device(c.query);
  if (reason.empty()) reason = refusal_of_call(c);
  TORCH_CHECK(reason.empty(), kName, ": cuDNN cannot be used: ", reason);
}

// Query, key and value as cuDNN reads them, and what it is asked for.
struct Prepared {
  Tensor query, key, value;
  AttentionProblem problem;
  cudnn::AttentionOperands operands;

  Prepared(const CudnnAttentionCall& c, bool is_backward, bool keeps_logsumexp)
      : query(ready(c.query)), key(ready(c.key)), value(ready(c.value)) {
    problem = problem_of(c, is_backward, keeps_logsumexp);
    // Copies that were made for their alignment alone have layouts of their own.
    problem.query = layout_of(query);
    problem.key = layout_of(key);
    problem.value = layout_of(value);
    operands.query = query.data_ptr();
    operands.key = key.data_ptr();
    operands.value = value.data_ptr();
    if (c.bias.defined()) operands.bias = c.bias.data_ptr();
    if (c.dropout > 0) {
      operands.seed = static_cast<int64_t*>(c.seed.data_ptr());
      operands.offset = static_cast<int64_t*>(c.offset.data_ptr());
    }
  }
};

void forward(const CudnnAttentionCall& c) {
  check_call(c);
  const c10::cuda::CUDAGuard guard(c.query.device());
  Prepared call(c, false, c.logsumexp.numel() > 0);
  cudnn::AttentionOperands& o = call.operands;
  o.out = c.out.data_ptr();
  o.logsumexp = static_cast<float*>(c.logsumexp.data_ptr());
  if (c.dropout > 0) {
    // One number for each weight, so that no two calls share any.
    const auto numbers = static_cast<uint64_t>(c.out.numel() / c.out.size(3) * c.key.size(2));
    auto* generator = cuda::cuda_generator_or_default(std::nullopt, c.query.device());
    std::lock_guard<std::mutex> lock(generator->mutex_);
    attention::write_philox_place(generator->reserve((numbers + 3) / 4 * 4), o.seed, o.offset);
  }
  run(call.problem, o, c.query.device().index());
}

void backward(const CudnnAttentionCall& c) {
  check_call(c);
  const c10::cuda::CUDAGuard guard(c.query.device());
  Prepared call(c, true, true);
  const Tensor out = as_result(c.out, c.query), grad_out = as_result(c.grad_out, c.query),
               logsumexp = at::contiguous(c.logsumexp);
  cudnn::AttentionOperands& o = call.operands;
  o.out = out.data_ptr();
  o.grad_out = grad_out.data_ptr();
  o.logsumexp = static_cast<float*>(logsumexp.data_ptr());
  o.grad_query = c.grad_query.data_ptr();
  o.grad_key = c.grad_key.data_ptr();
  o.grad_value = c.grad_value.data_ptr();
  run(call.problem, o, c.query.device().index());
}

}  // namespace

REGISTER_CUDA_DISPATCH(cudnn_attention_stub, &forward)
REGISTER_CUDA_DISPATCH(cudnn_attention_backward_stub, &backward)
REGISTER_CUDA_DISPATCH(cudnn_attention_refusal_stub, &refusal)
REGISTER_CUDA_DISPATCH(prefers_cudnn_attention_stub, &prefers)

}  // namespace at::native
