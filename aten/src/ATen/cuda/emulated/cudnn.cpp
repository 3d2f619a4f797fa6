// cuDNN for the emulated device: the same arguments and error codes, computed by the CPU's
// convolutions when the stream comes to it.

#include <vector>

#include <ATen/cuda/CudnnApi.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/Environment.h>
#include <cuda_runtime.h>

#include "CudnnState.h"

namespace at::cuda::cudnn {
namespace {

using namespace emulated;

// An algorithm without memory that is deterministic, and a faster one that is neither.
constexpr int kSlow = 0, kFast = 1;
constexpr size_t kFastWorkspace = 4096;

struct Operand : TensorState {
  Tensor at(const void* address) const {
    return at::from_blob(const_cast<void*>(address), sizes, strides, dtype);
  }
};
struct Settings {
  std::vector<int64_t> padding, stride, dilation;
  int64_t groups = 1;
};

Status create(Handle* handle) {
  *handle = new HandleState;
  return kSuccess;
}
Status set_stream(Handle handle, cudaStream_t stream) {
  static_cast<HandleState*>(handle)->stream = stream;
  return kSuccess;
}
size_t version() { return 92800; }
const char* status_text(Status status) {
  return status == kSuccess        ? "CUDNN_STATUS_SUCCESS"
         : status == kBadParameter ? "CUDNN_STATUS_BAD_PARAM"
         : status == kUnsupported  ? "CUDNN_STATUS_NOT_SUPPORTED"
                                   : "CUDNN_STATUS_EXECUTION_FAILED";
}

Status set_tensor(Descriptor descriptor, int type, int dims, const int* sizes, const int* strides) {
  auto& t = *static_cast<Operand*>(descriptor);
  // States of recurrent layers have three dimensions.
  if (dims < 3 || dims > 5 || !type_of(type, t.dtype)) return kBadParameter;
  t.sizes.assign(sizes, sizes + dims);
  t.strides.assign(strides, strides + dims);
  return kSuccess;
}

Status set_filter(Descriptor descriptor, int type, int format, int dims, const int* sizes) {
  auto& t = *static_cast<Operand*>(descriptor);
  if (dims < 4 || dims > 5 || !type_of(type, t.dtype)) return kBadParameter;
  t.sizes.assign(sizes, sizes + dims);
  t.strides.assign(dims, 1);
  // In NHWC the channels are the innermost.
  int64_t stride = format == kNHWC ? sizes[1] : 1;
  for (int d = dims - 1; d >= (format == kNHWC ? 2 : 1); --d) {
    t.strides[d] = stride;
    stride *= sizes[d];
  }
  t.strides[0] = stride;
  return kSuccess;
}

Status set_convolution(Descriptor descriptor, int dims, const int* padding, const int* stride,
                       const int* dilation, int mode, int compute_type) {
  ScalarType dtype;
  if (dims < 2 || dims > 3 || mode != kCrossCorrelation || !type_of(compute_type, dtype))
    return kBadParameter;
  auto& s = *static_cast<Settings*>(descriptor);
  s.padding.assign(padding, padding + dims);
  s.stride.assign(stride, stride + dims);
  s.dilation.assign(dilation, dilation + dims);
  return kSuccess;
}
Status set_groups(Descriptor descriptor, int groups) {
  static_cast<Settings*>(descriptor)->groups = groups;
  return kSuccess;
}
Status set_math_type(Descriptor, int) { return kSuccess; }

enum Kind { kForward, kBackwardData, kBackwardFilter };

// x, w and y of a computation, in the order of its operands a, b, c.
template <Kind kind, typename T>
struct Named {
  T x, w, y;
  Named(T a, T b, T c)
      : x(kind == kBackwardData ? c : a),
        w(kind == kForward        ? b
          : kind == kBackwardData ? a
                                  : c),
        y(kind == kForward ? c : b) {}
};

template <Kind kind>
Status check_sizes(Descriptor a, Descriptor b, Descriptor settings, Descriptor c) {
  const Named<kind, Descriptor> names(a, b, c);
  const auto &x = *static_cast<Operand*>(names.x), &w = *static_cast<Operand*>(names.w),
             &y = *static_cast<Operand*>(names.y);
  const auto& s = *static_cast<Settings*>(settings);
  if (x.sizes.size() != w.sizes.size() || x.sizes.size() != y.sizes.size() ||
      x.sizes.size() != s.stride.size() + 2 || x.dtype != w.dtype || x.dtype != y.dtype)
    return kBadParameter;
  if (x.sizes[0] != y.sizes[0] || x.sizes[1] != w.sizes[1] * s.groups || y.sizes[1] != w.sizes[0])
    return kBadParameter;
  for (size_t d = 2; d < x.sizes.size(); ++d) {
    const int64_t window = s.dilation[d - 2] * (w.sizes[d] - 1) + 1;
    if (y.sizes[d] != (x.sizes[d] + 2 * s.padding[d - 2] - window) / s.stride[d - 2] + 1)
      return kBadParameter;
  }
  return kSuccess;
}

template <Kind kind>
Status heuristic(Handle, Descriptor a, Descriptor b, Descriptor settings, Descriptor c,
                 int requested, int* returned, Candidate* candidates) {
  if (const Status status = check_sizes<kind>(a, b, settings, c)) return status;
  *returned = 0;
  const Candidate all[] = {{kFast, kSuccess, -1, kFastWorkspace, 0, kDefaultMath, {}},
                           {kSlow, kSuccess, -1, 0, kDeterministic, kDefaultMath, {}}};
  for (const Candidate& candidate : all)
    if (*returned < requested) candidates[(*returned)++] = candidate;
  return kSuccess;
}

template <Kind kind>
void compute(const void* a, const void* b, const Named<kind, Operand>& operands, const Settings& s,
             void* c) {
  const Named<kind, const void*> at(a, b, c);
  const Tensor x = operands.x.at(at.x), w = operands.w.at(at.w);
  Tensor y = operands.y.at(at.y);
  const std::vector<int64_t> none(s.stride.size(), 0);
  if constexpr (kind == kForward) {
    at::copy_(y, at::convolution(x, w, std::nullopt, s.stride, s.padding, s.dilation, false, none,
                                 s.groups));
  } else {
    const bool of_data = kind == kBackwardData;
    auto [dx, dw, none_of_bias] =
        at::convolution_backward(y, x, w, std::nullopt, s.stride, s.padding, s.dilation, false,
                                 none, s.groups, {of_data, !of_data, false});
    Tensor result = of_data ? x : w;
    at::copy_(result, of_data ? dx : dw);
  }
}

template <Kind kind>
Status run(Handle handle, const void*, Descriptor a, const void* at_a, Descriptor b,
           const void* at_b, Descriptor settings, int algorithm, void* workspace, size_t bytes,
           const void*, Descriptor c, void* at_c) {
  if (const Status status = check_sizes<kind>(a, b, settings, c)) return status;
  if (algorithm == kFast && (!workspace || bytes < kFastWorkspace)) return kBadParameter;
  const Named<kind, Descriptor> names(a, b, c);
  const Named<kind, Operand> operands(*static_cast<Operand*>(a), *static_cast<Operand*>(b),
                                      *static_cast<Operand*>(c));
  const auto error = torch_emulated_cuda::enqueue(
      static_cast<HandleState*>(handle)->stream,
      [at_a, at_b, operands, s = *static_cast<Settings*>(settings), at_c] {
    compute<kind>(at_a, at_b, operands, s, at_c);
  }, "a convolution of cuDNN");
  return error == cudaSuccess ? kSuccess : kFailed;
}

template <Kind kind>
Status measure(Handle handle, Descriptor a, const void* at_a, Descriptor b, const void* at_b,
               Descriptor settings, Descriptor c, void* at_c, int requested, int* returned,
               Candidate* candidates, void* workspace, size_t bytes) {
  Candidate all[2];
  if (const Status status = heuristic<kind>(handle, a, b, settings, c, 2, returned, all))
    return status;
  *returned = 0;
  for (Candidate& candidate : all) {
    if (*returned == requested) break;
    candidate.status = run<kind>(handle, nullptr, a, at_a, b, at_b, settings, candidate.algorithm,
                                 workspace, bytes, nullptr, c, at_c);
    candidate.milliseconds = candidate.algorithm == kFast ? 1 : 2;
    candidates[(*returned)++] = candidate;
  }
  return kSuccess;
}

template <Kind kind>
constexpr Computation kComputation{&heuristic<kind>, &measure<kind>, &run<kind>};

}  // namespace

bool emulated::is_there() {
  static const bool is_asked_for = c10::env_flag("TORCH_CUDA_EMULATED_CUDNN");
  return is_asked_for;
}

const Functions* functions() {
  if (!is_there()) return nullptr;
  static const Functions all{create,
                             set_stream,
                             version,
                             status_text,
                             create_descriptor<Operand>,
                             set_tensor,
                             destroy_descriptor<Operand>,
                             create_descriptor<Operand>,
                             set_filter,
                             destroy_descriptor<Operand>,
                             create_descriptor<Settings>,
                             set_convolution,
                             set_groups,
                             set_math_type,
                             destroy_descriptor<Settings>,
                             kComputation<kForward>,
                             kComputation<kBackwardData>,
                             kComputation<kBackwardFilter>};
  return &all;
}

}  // namespace at::cuda::cudnn
