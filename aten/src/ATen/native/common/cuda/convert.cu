// Converts elements between any two types on CUDA devices.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/cuda/Convert.h>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

// Note [Conversion on CUDA]
// ~~~~~~~~~~~~~~~~~~~~~~~~~
// A kernel for each pair of types would make some 400 kernels. Instead one kernel holds a value in
// the widest type of its kind on its way, which loses nothing: integers in 64 bits, real numbers in
// double, complex ones in two doubles. Pairs that programs convert all the time have kernels of
// their own.
struct Value {
  enum Kind { kSigned, kUnsigned, kReal, kComplex } kind;
  int64_t integer;
  double real, imaginary;
};

template <typename T>
constexpr bool is_complex = false;
template <typename T>
constexpr bool is_complex<c10::complex<T>> = true;

template <typename... T, typename F>
__device__ void on_device_with(ScalarType dtype, F&& f, TypeList<T...>) {
  (void)((dtype == c10::CppTypeToScalarType<T>::value ? (f(TypeTag<T>()), true) : false) || ...);
}

template <typename T>
__device__ Value read(const char* address) {
  const T x = *reinterpret_cast<const T*>(address);
  if constexpr (is_complex<T>) {
    return {Value::kComplex, 0, static_cast<double>(x.real()), static_cast<double>(x.imag())};
  } else if constexpr (std::is_integral_v<T>) {
    return {std::is_signed_v<T> ? Value::kSigned : Value::kUnsigned, static_cast<int64_t>(x), 0, 0};
  } else {
    return {Value::kReal, 0, static_cast<double>(static_cast<opmath_type<T>>(x)), 0};
  }
}

// Real numbers outside of an integer's range give what the device's conversion gives.
template <typename T>
__device__ T converted(const Value& v) {
  if constexpr (is_complex<T>) {
    using R = typename T::value_type;
    if (v.kind == Value::kComplex) return T(static_cast<R>(v.real), static_cast<R>(v.imaginary));
    return T(converted<R>(v), R(0));
  } else if constexpr (std::is_same_v<T, bool>) {
    return v.integer != 0 || v.real != 0 || v.imaginary != 0;
  } else {
    using M = opmath_type<T>;
    switch (v.kind) {
      case Value::kSigned:
        return static_cast<T>(static_cast<M>(v.integer));
      case Value::kUnsigned:
        return static_cast<T>(static_cast<M>(static_cast<uint64_t>(v.integer)));
      default:
        if constexpr (std::is_integral_v<T> && sizeof(T) < 8) {
          return static_cast<T>(static_cast<int64_t>(v.real));
        } else {
          return static_cast<T>(static_cast<M>(v.real));
        }
    }
  }
}

__global__ void __launch_bounds__(kLoopThreads)
    convert_kernel(int n, ScalarType to, ScalarType from, loops::Strided<2> operands) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kLoopThreads + threadIdx.x;
  if (i >= n) return;
  char *out = operands.at.data[0], *in = operands.at.data[1];
  auto rest = static_cast<uint32_t>(i);
  for (int d = 0; d < operands.ndim; ++d) {
    const auto [quotient, remainder] = operands.size[d].divide(rest);
    rest = quotient;
    out += static_cast<int64_t>(remainder) * operands.strides[d][0];
    in += static_cast<int64_t>(remainder) * operands.strides[d][1];
  }
  Value value{};
  on_device_with(from, [&]<typename T>(TypeTag<T>) { value = read<T>(in); }, AllTypes());
  on_device_with(to, [&]<typename T>(TypeTag<T>) {
    *reinterpret_cast<T*>(out) = converted<T>(value);
  }, AllTypes());
}

}  // namespace

void convert_operands(TensorIteratorBase& all) {
  all.for_each_32bit_piece([&](TensorIteratorBase& iter) {
    loops::Strided<2> operands{};
    operands.ndim = iter.ndim();
    TORCH_CHECK(iter.ndim() <= kMaxLoopDims, "copy_: tensors on a CUDA device may have up to ",
                kMaxLoopDims, " dimensions that do not merge, got ", iter.ndim());
    for (int k = 0; k < 2; ++k) operands.at.data[k] = static_cast<char*>(iter.data_ptr(k));
    for (int d = 0; d < iter.ndim(); ++d) {
      operands.size[d] = FastDivision(static_cast<uint32_t>(iter.shape()[d]));
      for (int k = 0; k < 2; ++k) operands.strides[d][k] = iter.strides(k)[d];
    }
    const int64_t n = iter.numel(), blocks = (n + kLoopThreads - 1) / kLoopThreads;
    c10::cuda::launch(convert_kernel, {static_cast<unsigned>(blocks), kLoopThreads},
                      c10::cuda::getCurrentCUDAStream(), static_cast<int>(n), iter.dtype(0),
                      iter.dtype(1), operands);
  });
}

ConvertedOperands::ConvertedOperands(TensorIteratorBase& iter, ArrayRef<ScalarType> types)
    : iter_(iter), types_(types) {
  for (int k = 0; k < iter.ntensors(); ++k) {
    if (iter.dtype(k) == types[k] || iter.is_host_number(k)) continue;
    if (k < iter.noutputs()) {
      original_ = iter.operand(k);
      output_ = k;
    }
    Tensor dense = empty_tensor({iter.numel()}, types[k], iter.device());
    OperandInfo from = iter.operand(k), to = from;
    iter.make_dense(to, dense);
    if (k >= iter.noutputs() || from.is_read_write) convert(to, from);
    iter.operand(k) = to;
    kept_.push_back(dense);
  }
}

void ConvertedOperands::finish() {
  if (output_ < 0) return;
  convert(original_, iter_.operand(output_));
  iter_.operand(output_) = original_;
}

void ConvertedOperands::convert(const OperandInfo& to, const OperandInfo& from) {
  TensorIterator pair("copy_");
  pair.set_pair(iter_, to, from);
  convert_operands(pair);
}

}  // namespace at::native
