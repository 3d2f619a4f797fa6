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

using Combine = void (*)(at::Tensor out, const at::Tensor& a, const at::Tensor& b);

// Null where there is none. A product of bools is "and".
Combine arithmetic(ReduceOp::RedOpType op) {
  switch (op) {
    case ReduceOp::SUM:
    case ReduceOp::AVG:
      return
          [](at::Tensor out, const at::Tensor& a, const at::Tensor& b) { at::add_out(out, a, b); };
    case ReduceOp::PRODUCT:
      return
          [](at::Tensor out, const at::Tensor& a, const at::Tensor& b) { at::mul_out(out, a, b); };
    default:
      return nullptr;
  }
}

Combine ordered(ReduceOp::RedOpType op) {
  switch (op) {
    case ReduceOp::MIN:
      return [](at::Tensor out, const at::Tensor& a, const at::Tensor& b) {
        at::minimum_out(out, a, b);
      };
    case ReduceOp::MAX:
      return [](at::Tensor out, const at::Tensor& a, const at::Tensor& b) {
        at::maximum_out(out, a, b);
      };
    default:
      return arithmetic(op);
  }
}

// The operators have no minimum of unsigned integers wider than a byte.
template <typename T>
Combine ordered_unsigned(ReduceOp::RedOpType op) {
  static constexpr auto choose = [](at::Tensor out, const at::Tensor& a, const at::Tensor& b,
                                    auto better) {
    auto* o = static_cast<T*>(out.data_ptr());
    auto *x = static_cast<const T*>(a.data_ptr()), *y = static_cast<const T*>(b.data_ptr());
    for (int64_t i = 0; i < out.numel(); ++i) o[i] = better(x[i], y[i]) ? x[i] : y[i];
  };
  switch (op) {
    case ReduceOp::MIN:
      return [](at::Tensor out, const at::Tensor& a, const at::Tensor& b) {
        choose(std::move(out), a, b, std::less<T>());
      };
    case ReduceOp::MAX:
      return [](at::Tensor out, const at::Tensor& a, const at::Tensor& b) {
        choose(std::move(out), a, b, std::greater<T>());
      };
    default:
      return nullptr;
  }
}

Combine integral(ReduceOp::RedOpType op) {
  switch (op) {
    case ReduceOp::BAND:
      return [](at::Tensor out, const at::Tensor& a, const at::Tensor& b) {
        at::bitwise_and_out(out, a, b);
      };
    case ReduceOp::BOR:
      return [](at::Tensor out, const at::Tensor& a, const at::Tensor& b) {
        at::bitwise_or_out(out, a, b);
      };
    case ReduceOp::BXOR:
      return [](at::Tensor out, const at::Tensor& a, const at::Tensor& b) {
        at::bitwise_xor_out(out, a, b);
      };
    default:
      return ordered(op);
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
      if (Combine f = ordered_unsigned<uint16_t>(op)) return f;
      return integral(op);
    case at::ScalarType::UInt32:
      if (Combine f = ordered_unsigned<uint32_t>(op)) return f;
      return integral(op);
    case at::ScalarType::UInt64:
      if (Combine f = ordered_unsigned<uint64_t>(op)) return f;
      return integral(op);
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
    combine(block(out), block(a), block(b));
  };
}

}  // namespace c10d
