// Functions that combine two blocks of elements: those of the operators, so that all types are as
// fast, as exact and as careful with NaN as they are there.

#include <torch/csrc/distributed/c10d/gloo_reductions.h>

#include <ATen/ops/add.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_or.h>
#include <ATen/ops/bitwise_xor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/mul.h>

namespace c10d {
namespace {

using Combine = at::Tensor& (*)(at::Tensor& out, const at::Tensor& a, const at::Tensor& b);

at::Tensor& sum(at::Tensor& out, const at::Tensor& a, const at::Tensor& b) {
  return at::add_out(out, a, b);
}

// Null where there is none. A product of bools is "and".
Combine arithmetic(ReduceOp::RedOpType op) {
  switch (op) {
    case ReduceOp::SUM:
    case ReduceOp::AVG:
      return sum;
    case ReduceOp::PRODUCT:
      return at::mul_out;
    default:
      return nullptr;
  }
}

Combine ordered(ReduceOp::RedOpType op) {
  switch (op) {
    case ReduceOp::MIN:
      return at::minimum_out;
    case ReduceOp::MAX:
      return at::maximum_out;
    default:
      return arithmetic(op);
  }
}

Combine integral(ReduceOp::RedOpType op) {
  switch (op) {
    case ReduceOp::BAND:
      return at::bitwise_and_out;
    case ReduceOp::BOR:
      return at::bitwise_or_out;
    case ReduceOp::BXOR:
      return at::bitwise_xor_out;
    default:
      return ordered(op);
  }
}

// The operators have no minimum of unsigned integers wider than a byte.
template <typename T, typename Better>
at::Tensor& choose(at::Tensor& out, const at::Tensor& a, const at::Tensor& b) {
  auto* o = static_cast<T*>(out.data_ptr());
  auto *x = static_cast<const T*>(a.data_ptr()), *y = static_cast<const T*>(b.data_ptr());
  for (int64_t i = 0; i < out.numel(); ++i) o[i] = Better()(x[i], y[i]) ? x[i] : y[i];
  return out;
}
template <typename T>
Combine wide_unsigned(ReduceOp::RedOpType op) {
  switch (op) {
    case ReduceOp::MIN:
      return choose<T, std::less<T>>;
    case ReduceOp::MAX:
      return choose<T, std::greater<T>>;
    default:
      return integral(op);
  }
}

Combine find(at::ScalarType dtype, ReduceOp::RedOpType op) {
  switch (dtype) {
    case at::ScalarType::Byte:
    case at::ScalarType::Char:
    case at::ScalarType::Short:
    case at::ScalarType::Int:
    case at::ScalarType::Long:
      return integral(op);
    case at::ScalarType::UInt16:
      return wide_unsigned<uint16_t>(op);
    case at::ScalarType::UInt32:
      return wide_unsigned<uint32_t>(op);
    case at::ScalarType::UInt64:
      return wide_unsigned<uint64_t>(op);
    case at::ScalarType::Bool:
      return op == ReduceOp::AVG ? nullptr : integral(op);
    case at::ScalarType::Half:
    case at::ScalarType::BFloat16:
    case at::ScalarType::Float:
    case at::ScalarType::Double:
      return ordered(op);
    case at::ScalarType::ComplexFloat:
    case at::ScalarType::ComplexDouble:
      return arithmetic(op);
    default:
      return nullptr;
  }
}

}  // namespace

ReduceFunction reduce_function(at::ScalarType dtype, ReduceOp::RedOpType op) {
  Combine combine = find(dtype, op);
  TORCH_CHECK(combine, "ProcessGroupGloo: there is no ReduceOp.", name_of(op), " for tensors of ",
              c10::toString(dtype));
  return [combine, dtype](void* out, const void* a, const void* b, size_t count) {
    const auto block = [&](const void* data) {
      return at::from_blob(const_cast<void*>(data), {static_cast<int64_t>(count)},
                           at::TensorOptions(dtype));
    };
    at::Tensor result = block(out);
    combine(result, block(a), block(b));
  };
}

}  // namespace c10d
