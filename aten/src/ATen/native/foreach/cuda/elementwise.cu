// Elementwise operators on lists of tensors on CUDA devices, in few launches: see Note [Lists at
// once]. One kernel for each number of operands; all blocks take the same branch in it.

#include <cmath>

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/foreach/cuda/ListNumbers.cuh>

namespace at::native {
namespace {

using c10::cuda::LaunchShape;

template <typename O>
__device__ O of_one(ForeachOp op, O a) {
  switch (op) {
    case ForeachOp::abs:
      return std::abs(a);
    case ForeachOp::exp:
      return std::exp(a);
    case ForeachOp::neg:
      return -a;
    case ForeachOp::reciprocal:
      return O(1) / a;
    case ForeachOp::sign:
      return static_cast<O>((O(0) < a) - (a < O(0)));
    default:
      return std::sqrt(a);
  }
}

template <typename O>
__device__ O power(O a, O b) {
  if (b == O(2)) return a * a;
  if (b == O(0.5)) return std::sqrt(a);
  return std::pow(a, b);
}

template <typename O>
__device__ O of_two(ForeachOp op, O a, O b, O alpha) {
  switch (op) {
    case ForeachOp::add:
      return a + alpha * b;
    case ForeachOp::sub:
      return a - alpha * b;
    case ForeachOp::mul:
      return a * b;
    case ForeachOp::div:
      return a / b;
    case ForeachOp::max:  // of a NaN, NaN
      return a != a || a > b ? a : b;
    case ForeachOp::min:
      return a != a || a < b ? a : b;
    case ForeachOp::pow:
      return power(a, b);
    default:
      return power(b, a);
  }
}

template <typename O>
__device__ O of_three(ForeachOp op, O a, O b, O c, O value) {
  switch (op) {
    case ForeachOp::addcmul:
      return a + value * b * c;
    case ForeachOp::addcdiv:
      return a + value * b / c;
    default:  // lerp: from the nearer end, so that weight 1 gives b exactly
      return std::abs(c) < O(0.5) ? a + c * (b - a) : b - (b - a) * (O(1) - c);
  }
}

// Operands: the output, then those of the operator. Bit k of `used` says that operand k is read.
template <typename T>
__global__ void __launch_bounds__(kGroupThreads) one_kernel(TensorGroup<2> group, ForeachOp op) {
  using O = opmath_type<T>;
  change_elements<T, O>(group, part_of_block(group), 2, 1, [&](O* e) { e[0] = of_one(op, e[1]); });
}

template <typename T>
__global__ void __launch_bounds__(kGroupThreads)
    two_kernel(TensorGroup<3> group, ForeachOp op, bool has_second, NumberType type,
               opmath_type<T> alpha) {
  using O = opmath_type<T>;
  const GroupPart part = part_of_block(group);
  const O number = has_second ? O(0) : list_number<T>(group, part.tensor, type);
  change_elements<T, O>(group, part, has_second ? 6 : 2, 1,
                        [&](O* e) { e[0] = of_two(op, e[1], has_second ? e[2] : number, alpha); });
}

template <typename T>
__global__ void __launch_bounds__(kGroupThreads)
    three_kernel(TensorGroup<4> group, ForeachOp op, bool has_third, NumberType type) {
  using O = opmath_type<T>;
  const GroupPart part = part_of_block(group);
  const O number = list_number<T>(group, part.tensor, type);
  const bool weight = op == ForeachOp::lerp;
  change_elements<T, O>(group, part, has_third ? 14 : 6, 1, [&](O* e) {
    e[0] = of_three(op, e[1], e[2], weight && !has_third ? number : e[3], weight ? O(1) : number);
  });
}

// The number of tensor i among numbers of the host.
GroupNumber host_number(ArrayRef<Scalar> scalars, size_t i, double other) {
  if (scalars.empty()) return {.value = other};
  return {.value = scalars[scalars.size() == 1 ? 0 : i].toDouble()};
}
GroupNumber device_number(const Tensor& t) { return {.on_device = t.data_ptr()}; }

void compute_one(const ForeachCall& call) {
  auto launch = [&](const TensorGroup<2>& group, LaunchShape shape, cudaStream_t stream,
                    ScalarType type) {
    dispatch_types<FloatingAndReduced>(type, "foreach", [&]<typename T>(TypeTag<T>) {
      c10::cuda::launch(one_kernel<T>, shape, stream, group, call.op);
    });
  };
  TensorGroups<2, decltype(launch)> groups(launch);
  for (size_t i = 0; i < call.self.size(); ++i) groups.add({call.outputs[i], call.self[i]});
  groups.flush();
}

void compute_two(const ForeachCall& call) {
  const bool is_list = !call.second.empty() && !call.second_is_number;
  const bool on_device = call.second_is_number;
  NumberType number = NumberType::host;
  // A scalar beside a second list is its factor.
  const double alpha =
      !call.second.empty() && !call.scalars.empty() ? call.scalars[0].toDouble() : 1;
  auto launch = [&](const TensorGroup<3>& group, LaunchShape shape, cudaStream_t stream,
                    ScalarType type) {
    dispatch_types<FloatingAndReduced>(type, "foreach", [&]<typename T>(TypeTag<T>) {
      c10::cuda::launch(two_kernel<T>, shape, stream, group, call.op, is_list, number,
                        static_cast<opmath_type<T>>(alpha));
    });
  };
  TensorGroups<3, decltype(launch)> groups(launch);
  for (size_t i = 0; i < call.self.size(); ++i) {
    const Tensor& self = call.self[i];
    if (on_device) {
      const NumberType type = number_type(call.second[i], self);
      if (type != number) groups.flush();
      number = type;
    }
    groups.add({call.outputs[i], self, is_list ? call.second[i] : Tensor()},
               on_device ? device_number(call.second[i]) : host_number(call.scalars, i, 0),
               on_device);
  }
  groups.flush();
}

void compute_three(const ForeachCall& call) {
  const bool is_list = !call.third.empty() && !call.third_is_number;
  const bool on_device = call.third_is_number;
  NumberType number = NumberType::host;
  auto launch = [&](const TensorGroup<4>& group, LaunchShape shape, cudaStream_t stream,
                    ScalarType type) {
    dispatch_types<FloatingAndReduced>(type, "foreach", [&]<typename T>(TypeTag<T>) {
      c10::cuda::launch(three_kernel<T>, shape, stream, group, call.op, is_list, number);
    });
  };
  TensorGroups<4, decltype(launch)> groups(launch);
  for (size_t i = 0; i < call.self.size(); ++i) {
    const Tensor& self = call.self[i];
    if (on_device) {
      const NumberType type = number_type(call.third[i], self);
      if (type != number) groups.flush();
      number = type;
    }
    groups.add({call.outputs[i], self, call.second[i], is_list ? call.third[i] : Tensor()},
               on_device ? device_number(call.third[i]) : host_number(call.scalars, i, 1),
               on_device);
  }
  groups.flush();
}

}  // namespace

static void foreach_cuda(const ForeachCall& call) {
  if (call.op < ForeachOp::add) compute_one(call);
  else if (call.op < ForeachOp::addcmul) compute_two(call);
  else compute_three(call);
}
REGISTER_CUDA_DISPATCH(foreach_stub, &foreach_cuda)

}  // namespace at::native
