// The host's part of elementwise kernels: which operands they read, and where.

#include <algorithm>
#include <cstring>

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Convert.h>
#include <c10/core/DeviceGuard.h>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native::loops {

void store_number(const TensorIteratorBase& iter, int arg, ScalarType type, char* to) {
  Scalar value;
  dispatch_types<AllTypes>(iter.dtype(arg), "a number", [&]<typename T>(TypeTag<T>) {
    value = Scalar(*static_cast<const T*>(iter.data_ptr(arg)));
  });
  dispatch_types<AllTypes>(type, "a number", [&]<typename T>(TypeTag<T>) {
    const T number = value.cast<T>();
    std::memcpy(to, &number, sizeof number);
  });
}

namespace {

template <int N>
Operands<N> operands_of(const TensorIteratorBase& iter, const ScalarType (&arguments)[N]) {
  Operands<N> at;
  for (int k = 0; k < N; ++k) {
    at.data[k] = static_cast<char*>(iter.data_ptr(k));
    if (k == 0 || !iter.is_host_number(k)) continue;
    at.is_number[k] = true;
    at.data[k] = nullptr;
    store_number(iter, k, arguments[k], at.number[k]);
  }
  return at;
}

template <int N>
Strided<N> strided_of(const TensorIteratorBase& iter, const Operands<N>& at) {
  Strided<N> strided{at, {}, {}, iter.ndim()};
  TORCH_CHECK(iter.ndim() <= kMaxLoopDims, iter.op_name(),
              ": operands on a CUDA device may have up to ", kMaxLoopDims,
              " dimensions that do not merge, got ", iter.ndim());
  for (int d = 0; d < iter.ndim(); ++d) {
    strided.size[d] = FastDivision(static_cast<uint32_t>(iter.shape()[d]));
    for (int k = 0; k < N; ++k) strided.strides[d][k] = at.is_number[k] ? 0 : iter.strides(k)[d];
  }
  return strided;
}

// Each operand is a number, or dense and at an address at which vectors are read.
template <int N>
bool is_dense(const TensorIteratorBase& iter, const LoopKernels<N>& kernels) {
  if (iter.ndim() > 1) return false;
  for (int k = 0; k < N; ++k) {
    if (iter.is_host_number(k)) continue;
    const auto size = static_cast<int64_t>(elementSize(kernels.memory[k]));
    if (iter.numel() != 1 && iter.strides(k)[0] != size) return false;
    const int64_t alignment = std::min<int64_t>(16, size * kernels.vector_elements);
    if (reinterpret_cast<uintptr_t>(iter.data_ptr(k)) % static_cast<uintptr_t>(alignment) != 0)
      return false;
  }
  return true;
}

template <int N>
void run_piece(const TensorIteratorBase& iter, const LoopKernels<N>& kernels, const void* f) {
  const int64_t n = iter.numel();
  auto stream = c10::cuda::getCurrentCUDAStream(iter.device().index());
  const Operands<N> at = operands_of(iter, kernels.arguments);
  auto shape = [&](int64_t elements) {
    const int64_t blocks = (n + kLoopThreads * elements - 1) / (kLoopThreads * elements);
    return c10::cuda::LaunchShape{static_cast<unsigned>(blocks), kLoopThreads};
  };
  if (is_dense(iter, kernels))
    return kernels.start_dense(shape(kernels.vector_elements), stream, n, f, at);
  kernels.start_strided(shape(1), stream, n, f, strided_of(iter, at));
}

}  // namespace

template <int N>
Strided<N> strided_of(const TensorIteratorBase& iter) {
  Operands<N> at;
  for (int k = 0; k < N; ++k) at.data[k] = static_cast<char*>(iter.data_ptr(k));
  return strided_of(iter, at);
}

template <int N>
void run(TensorIteratorBase& iter, const LoopKernels<N>& kernels, OperandTypes types,
         const void* f) {
  if (iter.numel() == 0) return;
  c10::OptionalDeviceGuard guard(iter.device());
  auto run_pieces = [&] {
    iter.for_each_32bit_piece([&](TensorIteratorBase& piece) { run_piece(piece, kernels, f); });
  };
  if (types == OperandTypes::any) return run_pieces();
  ConvertedOperands operands(iter, kernels.memory);
  run_pieces();
  operands.finish();
}

#define FOR_OPERANDS(N)                                         \
  template Strided<N> strided_of<N>(const TensorIteratorBase&); \
  template void run<N>(TensorIteratorBase&, const LoopKernels<N>&, OperandTypes, const void*);
FOR_OPERANDS(1)
FOR_OPERANDS(2)
FOR_OPERANDS(3)
FOR_OPERANDS(4)
FOR_OPERANDS(5)
FOR_OPERANDS(6)
FOR_OPERANDS(7)
FOR_OPERANDS(8)
#undef FOR_OPERANDS

}  // namespace at::native::loops
