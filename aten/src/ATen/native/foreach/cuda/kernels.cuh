#pragma once
// Kernels of elementwise operators on lists: see Note [Lists at once]. There is one for each number
// of operands, in which all blocks take the same branch.

#include <ATen/OpMathType.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/TensorGroups.cuh>
#include <ATen/native/foreach/cuda/functions.cuh>

namespace at::native::lists {

// Elements of T become results of R, and are computed as this.
template <typename T, typename R>
using Computed =
    std::conditional_t<std::is_integral_v<R>, int64_t,
                       std::conditional_t<std::is_integral_v<T>, opmath_type<R>, opmath_type<T>>>;

// Numbers of tensors: of the host, or in 0-dimensional tensors on the device.
enum class NumberType : uint8_t { host, same, of_float, of_double, of_long };

inline NumberType number_type(const Tensor& number, const Tensor& self) {
  const ScalarType type = number.scalar_type();
  if (type == self.scalar_type()) return NumberType::same;
  return type == kLong    ? NumberType::of_long
         : type == kFloat ? NumberType::of_float
                          : NumberType::of_double;
}

struct ListNumbers {
  NumberType type;
  double imaginary;  // of a number that the host has for all tensors
};

// A number of another type becomes one of the list's type first, as a conversion of it would.
template <typename T, typename O, typename Group>
__device__ O list_number(const Group& group, int tensor, ListNumbers numbers) {
  const GroupNumber number = group.number[tensor];
  auto read = [&](auto* at) { return static_cast<O>(static_cast<T>(*at)); };
  if (numbers.type == NumberType::same) return read(static_cast<const T*>(number.on_device));
  if constexpr (std::is_integral_v<T>) {
    if (numbers.type == NumberType::of_long)
      return read(static_cast<const int64_t*>(number.on_device));
  } else {
    if (numbers.type == NumberType::of_float)
      return read(static_cast<const float*>(number.on_device));
    if (numbers.type == NumberType::of_double)
      return read(static_cast<const double*>(number.on_device));
  }
  if constexpr (std::is_integral_v<O>) return number.whole;
  else if constexpr (is_complex_v<O>)
    return static_cast<O>(c10::complex<double>(number.value, numbers.imaginary));
  else return static_cast<O>(number.value);
}

// Operands: the output, then those of the operator. Bit k of `used` says that operand k is read.
template <typename T, typename R>
__global__ void __launch_bounds__(kGroupThreads) one_kernel(TensorGroup<2> group, ForeachOp op) {
  using O = Computed<T, R>;
  change_elements<T, O, R>(group, part_of_block(group), 2, 1,
                           [&](O* e) { e[0] = of_one(op, e[1]); });
}

template <typename T, typename R>
__global__ void __launch_bounds__(kGroupThreads)
    two_kernel(TensorGroup<3> group, ForeachOp op, bool has_second, ListNumbers numbers,
               Computed<T, R> alpha) {
  using O = Computed<T, R>;
  const GroupPart part = part_of_block(group);
  const O number = has_second ? O(0) : list_number<T, O>(group, part.tensor, numbers);
  change_elements<T, O, R>(group, part, has_second ? 6 : 2, 1, [&](O* e) {
    e[0] = of_two(op, e[1], has_second ? e[2] : number, alpha);
  });
}

template <typename T>
__global__ void __launch_bounds__(kGroupThreads)
    three_kernel(TensorGroup<4> group, ForeachOp op, bool has_third, ListNumbers numbers) {
  using O = Computed<T, T>;
  const GroupPart part = part_of_block(group);
  const O number = list_number<T, O>(group, part.tensor, numbers);
  const bool weight = op == ForeachOp::lerp;
  change_elements<T, O>(group, part, has_third ? 14 : 6, 1, [&](O* e) {
    e[0] = of_three(op, e[1], e[2], weight && !has_third ? number : e[3], weight ? O(1) : number);
  });
}

// The number of tensor i among those of the host, as results of `type` are computed.
inline GroupNumber host_number(ArrayRef<Scalar> scalars, size_t i, ScalarType type, int missing) {
  const Scalar s = scalars.empty() ? Scalar(missing) : scalars[scalars.size() == 1 ? 0 : i];
  if (isIntegralType(type)) return {.whole = s.toLong()};
  return {.value = s.toComplexDouble().real()};
}

// launch(group, shape, stream, type of elements, type of results, numbers) for groups of tensors.
// missing: the number if there is none.
template <int Depth, typename Launch>
void for_groups(const ForeachCall& call, int missing, const Launch& launch) {
  ScalarType type = kFloat;
  const bool shared = call.numbers.empty() && call.scalars.size() == 1;
  ListNumbers numbers{NumberType::host, shared ? call.scalars[0].toComplexDouble().imag() : 0};
  auto start = [&](const TensorGroup<Depth>& group, const c10::cuda::LaunchShape& shape,
                   cudaStream_t stream,
                   ScalarType result) { launch(group, shape, stream, type, result, numbers); };
  TensorGroups<Depth, decltype(start)> groups(start);
  const TensorList operands[] = {call.second, call.third};
  for (size_t i = 0; i < call.self.size(); ++i) {
    const Tensor& self = call.self[i];
    const NumberType number =
        call.numbers.empty() ? NumberType::host : number_type(call.numbers[i], self);
    if (number != numbers.type || self.scalar_type() != type) groups.flush();
    numbers.type = number;
    type = self.scalar_type();
    std::array<Tensor, Depth> tensors{call.outputs[i], self};
    for (size_t k = 2; k < Depth; ++k)
      if (!operands[k - 2].empty()) tensors[k] = operands[k - 2][i];
    const bool on_device = number != NumberType::host;
    groups.add(tensors,
               on_device ? GroupNumber{.on_device = call.numbers[i].data_ptr()}
                         : host_number(call.scalars, i, call.outputs[i].scalar_type(), missing),
               on_device);
  }
  groups.flush();
}

// with_types(type of elements, type of results, f) calls f(TypeTag<T>, TypeTag<R>).
template <typename WithTypes>
void compute(const ForeachCall& call, const WithTypes& with_types) {
  if (call.op < ForeachOp::add) {
    for_groups<2>(call, 0,
                  [&](const auto& group, const auto& shape, auto stream, ScalarType type,
                      ScalarType result, ListNumbers) {
      with_types(type, result, [&]<typename T, typename R>(TypeTag<T>, TypeTag<R>) {
        c10::cuda::launch(one_kernel<T, R>, shape, stream, group, call.op);
      });
    });
  } else if (call.op < ForeachOp::addcmul) {
    const bool has_second = !call.second.empty();
    // A scalar beside a list is its factor.
    const Scalar alpha = (has_second || !call.numbers.empty()) && !call.scalars.empty()
                             ? call.scalars[0]
                             : Scalar(1);
    for_groups<3>(call, 0,
                  [&](const auto& group, const auto& shape, auto stream, ScalarType type,
                      ScalarType result, ListNumbers numbers) {
      with_types(type, result, [&]<typename T, typename R>(TypeTag<T>, TypeTag<R>) {
        if constexpr (is_complex_v<T> == is_complex_v<R>)
          c10::cuda::launch(two_kernel<T, R>, shape, stream, group, call.op, has_second, numbers,
                            alpha.cast<Computed<T, R>>());
      });
    });
  } else {
    for_groups<4>(call, 1,
                  [&](const auto& group, const auto& shape, auto stream, ScalarType type,
                      ScalarType result, ListNumbers numbers) {
      with_types(type, result, [&]<typename T, typename R>(TypeTag<T>, TypeTag<R>) {
        if constexpr (std::is_same_v<T, R>)
          c10::cuda::launch(three_kernel<T>, shape, stream, group, call.op, !call.third.empty(),
                            numbers);
      });
    });
  }
}

void compute_integers(const ForeachCall& call);
void compute_complexes(const ForeachCall& call);

}  // namespace at::native::lists
