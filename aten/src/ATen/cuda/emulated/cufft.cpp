// cuFFT for the emulated device: the same arguments and error codes, computed by the CPU's
// transforms when the stream comes to it.

#include <map>
#include <mutex>
#include <vector>

#include <ATen/cuda/CufftApi.h>
#include <ATen/native/fft/fft.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/from_blob.h>
#include <cuda_runtime.h>

namespace at::cuda::cufft {
namespace {

constexpr Status kSuccess = 0, kInvalidPlan = 1, kInvalidType = 3, kInvalidValue = 4,
                 kExecFailed = 6, kInvalidSize = 8, kUnaligned = 9, kNoWorkspace = 13,
                 kNotSupported = 16;

// One side of a transform: where the elements are, and how many.
struct Side {
  ScalarType dtype;
  std::vector<int64_t> sizes, strides;
  Tensor at(void* address) const { return at::from_blob(address, sizes, strides, dtype); }
};

struct PlanState {
  bool is_made = false;
  native::FFTKind kind;
  Side in, out;
  size_t work = 0;
  cudaStream_t stream = nullptr;
  void* work_area = nullptr;
};

// Each is used by one thread at a time; the table of them by all.
struct Plans {
  std::mutex mutex;
  std::map<Plan, PlanState> made;
  Plan last = 0;
};
Plans& plans() {
  static auto* all = new Plans;
  return *all;
}
PlanState* find(Plan plan) {
  std::lock_guard<std::mutex> lock(plans().mutex);
  auto known = plans().made.find(plan);
  return known == plans().made.end() ? nullptr : &known->second;
}

Status create(Plan* plan) {
  std::lock_guard<std::mutex> lock(plans().mutex);
  plans().made[*plan = ++plans().last];
  return kSuccess;
}
Status destroy(Plan plan) {
  std::lock_guard<std::mutex> lock(plans().mutex);
  return plans().made.erase(plan) ? kSuccess : kInvalidPlan;
}
Status set_auto_allocation(Plan plan, int on) {
  return !find(plan) ? kInvalidPlan : on ? kNotSupported : kSuccess;
}
Status set_stream(Plan plan, cudaStream_t stream) {
  PlanState* state = find(plan);
  if (!state) return kInvalidPlan;
  state->stream = stream;
  return kSuccess;
}
Status set_work_area(Plan plan, void* area) {
  PlanState* state = find(plan);
  if (!state) return kInvalidPlan;
  state->work_area = area;
  return kSuccess;
}

bool type_of(int type, ScalarType& dtype) {
  switch (type) {
    case kR16F:
      dtype = kHalf;
      return true;
    case kR32F:
      dtype = kFloat;
      return true;
    case kR64F:
      dtype = kDouble;
      return true;
    case kC16F:
      dtype = kComplexHalf;
      return true;
    case kC32F:
      dtype = kComplexFloat;
      return true;
    case kC64F:
      dtype = kComplexDouble;
      return true;
    default:
      return false;
  }
}

bool describe(Side& side, int rank, const long long* sizes, bool is_half, const long long* embed,
              long long stride, long long distance, long long batch) {
  side.sizes = {batch};
  side.strides = {distance};
  side.sizes.insert(side.sizes.end(), sizes, sizes + rank);
  if (is_half) side.sizes.back() = sizes[rank - 1] / 2 + 1;
  side.strides.resize(rank + 1);
  int64_t next = stride;
  for (int d = rank; d > 0; --d) {
    side.strides[d] = next;
    next *= embed[d - 1];
    if (d > 1 && embed[d - 1] < side.sizes[d]) return false;
  }
  return stride > 0 && distance > 0;
}

Status make_plan(Plan plan, int rank, long long* sizes, long long* in_embed, long long in_stride,
                 long long in_distance, int in_type, long long* out_embed, long long out_stride,
                 long long out_distance, int out_type, long long batch, size_t* work,
                 int compute_type) {
  PlanState* state = find(plan);
  if (!state || state->is_made) return kInvalidPlan;
  if (rank < 1 || rank > 3 || batch < 1) return kInvalidValue;
  Side &in = state->in, &out = state->out;
  ScalarType compute;
  if (!type_of(in_type, in.dtype) || !type_of(out_type, out.dtype) ||
      !type_of(compute_type, compute) || !isComplexType(compute) ||
      toRealValueType(in.dtype) != toRealValueType(compute) ||
      toRealValueType(out.dtype) != toRealValueType(compute))
    return kInvalidType;
  const bool from_real = in.dtype != compute, to_real = out.dtype != compute;
  if (from_real && to_real) return kInvalidType;
  state->kind = from_real ? native::FFTKind::r2c
                : to_real ? native::FFTKind::c2r
                          : native::FFTKind::c2c;
  for (int d = 0; d < rank; ++d) {
    if (sizes[d] < 1) return kInvalidSize;
    if (compute == kComplexHalf && (sizes[d] & (sizes[d] - 1)) != 0) return kInvalidSize;
  }
  if (compute == kComplexHalf && ((from_real && in_stride != 1) || (to_real && out_stride != 1)))
    return kNotSupported;
  if (!describe(in, rank, sizes, to_real, in_embed, in_stride, in_distance, batch) ||
      !describe(out, rank, sizes, from_real, out_embed, out_stride, out_distance, batch))
    return kInvalidValue;
  // Any memory, so that callers must give some.
  *work = state->work = 512;
  state->is_made = true;
  return kSuccess;
}

void transform(const PlanState& plan, void* in, void* out, bool forward) {
  Tensor from = plan.in.at(in), to = plan.out.at(out), result = to;
  const bool is_half = toRealValueType(plan.in.dtype) == kHalf;
  if (is_half) {
    result = at::_to_copy(to, isComplexType(to.scalar_type()) ? kComplexFloat : kFloat);
    from = at::_to_copy(from, isComplexType(from.scalar_type()) ? kComplexFloat : kFloat);
  }
  std::vector<int64_t> dims;
  for (int64_t d = 1; d < from.dim(); ++d) dims.push_back(d);
  native::fft_stub(kCPU, plan.kind, from, result, dims, 1, forward);
  if (is_half) at::copy_(to, result);
  // As cuFFT may.
  if (plan.kind == native::FFTKind::c2r) {
    Tensor spoiled = plan.in.at(in);
    at::fill_(spoiled, Scalar(-1e4));
  }
}

Status execute(Plan plan, void* in, void* out, int direction) {
  const PlanState* state = find(plan);
  if (!state || !state->is_made) return kInvalidPlan;
  if (state->work > 0 && !state->work_area) return kNoWorkspace;
  const bool forward = direction == kForward;
  if ((state->kind == native::FFTKind::r2c && !forward) ||
      (state->kind == native::FFTKind::c2r && forward))
    return kInvalidValue;
  const size_t alignment = 2 * elementSize(toRealValueType(state->in.dtype));
  if (reinterpret_cast<uintptr_t>(in) % alignment || reinterpret_cast<uintptr_t>(out) % alignment)
    return kUnaligned;
  const auto error = torch_emulated_cuda::enqueue(state->stream, [copy = *state, in, out, forward] {
    transform(copy, in, out, forward);
  }, "cufftXtExec");
  return error == cudaSuccess ? kSuccess : kExecFailed;
}

}  // namespace

const Functions& functions() {
  static const Functions all{create,        destroy, set_auto_allocation, make_plan, set_stream,
                             set_work_area, execute};
  return all;
}

}  // namespace at::cuda::cufft
