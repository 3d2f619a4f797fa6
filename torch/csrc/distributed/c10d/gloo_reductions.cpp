// Functions that combine two blocks of elements. Half and bfloat16 are combined in float32.

#include <torch/csrc/distributed/c10d/gloo_reductions.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include <ATen/OpMathType.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

namespace c10d {
namespace {

template <typename T, typename F>
void combine(void* out, const void* a, const void* b, size_t count) {
  // `out` may be `a`: no promise that they do not overlap.
  auto* o = static_cast<T*>(out);
  auto *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  using W = at::opmath_type<T>;
  for (size_t i = 0; i < count; ++i)
    o[i] = static_cast<T>(F()(static_cast<W>(x[i]), static_cast<W>(y[i])));
}

struct Sum {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) return a || b;
    else return static_cast<T>(a + b);
  }
};
struct Product {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) return a && b;
    else return static_cast<T>(a * b);
  }
};
// NaN wins, as in at::minimum and at::maximum.
template <typename T>
bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  else return false;
}
struct Min {
  template <typename T>
  T operator()(T a, T b) const {
    return b < a || is_nan(b) ? b : a;
  }
};
struct Max {
  template <typename T>
  T operator()(T a, T b) const {
    return a < b || is_nan(b) ? b : a;
  }
};
struct And {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

template <typename T>
ReduceFunction arithmetic(ReduceOp::RedOpType op) {
  switch (op) {
    case ReduceOp::SUM:
    case ReduceOp::AVG:
      return combine<T, Sum>;
    case ReduceOp::PRODUCT:
      return combine<T, Product>;
    default:
      return nullptr;
  }
}

template <typename T>
ReduceFunction ordered(ReduceOp::RedOpType op) {
  if (op == ReduceOp::MIN) return combine<T, Min>;
  if (op == ReduceOp::MAX) return combine<T, Max>;
  return arithmetic<T>(op);
}

template <typename T>
ReduceFunction integral(ReduceOp::RedOpType op) {
  if (op == ReduceOp::BAND) return combine<T, And>;
  if (op == ReduceOp::BOR) return combine<T, Or>;
  if (op == ReduceOp::BXOR) return combine<T, Xor>;
  return ordered<T>(op);
}

ReduceFunction find(at::ScalarType dtype, ReduceOp::RedOpType op) {
  switch (dtype) {
    case at::ScalarType::Byte:
      return integral<uint8_t>(op);
    case at::ScalarType::Char:
      return integral<int8_t>(op);
    case at::ScalarType::Short:
      return integral<int16_t>(op);
    case at::ScalarType::Int:
      return integral<int32_t>(op);
    case at::ScalarType::Long:
      return integral<int64_t>(op);
    case at::ScalarType::UInt16:
      return integral<uint16_t>(op);
    case at::ScalarType::UInt32:
      return integral<uint32_t>(op);
    case at::ScalarType::UInt64:
      return integral<uint64_t>(op);
    case at::ScalarType::Bool:
      return op == ReduceOp::AVG ? nullptr : integral<bool>(op);
    case at::ScalarType::Half:
      return ordered<c10::Half>(op);
    case at::ScalarType::BFloat16:
      return ordered<c10::BFloat16>(op);
    case at::ScalarType::Float:
      return ordered<float>(op);
    case at::ScalarType::Double:
      return ordered<double>(op);
    case at::ScalarType::ComplexFloat:
      return arithmetic<std::complex<float>>(op);
    case at::ScalarType::ComplexDouble:
      return arithmetic<std::complex<double>>(op);
    default:
      return nullptr;
  }
}

}  // namespace

ReduceFunction reduce_function(at::ScalarType dtype, ReduceOp::RedOpType op) {
  ReduceFunction f = find(dtype, op);
  TORCH_CHECK(f, "ProcessGroupGloo: there is no ReduceOp.", name_of(op), " for tensors of ",
              c10::toString(dtype));
  return f;
}

}  // namespace c10d
