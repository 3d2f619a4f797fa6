// Comparisons and logic on CUDA devices: any types in, bool out.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/eq_native.h>
#include <ATen/ops/ge_native.h>
#include <ATen/ops/gt_native.h>
#include <ATen/ops/le_native.h>
#include <ATen/ops/logical_and_native.h>
#include <ATen/ops/logical_or_native.h>
#include <ATen/ops/logical_xor_native.h>
#include <ATen/ops/lt_native.h>
#include <ATen/ops/ne_native.h>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
namespace {

template <typename T>
struct Equal {
  bool answer;
  __device__ bool operator()(T a, T b) const { return (a == b) == answer; }
};

void equality(TensorIteratorBase& iter, bool answer) {
  dispatch_types<AllTypes>(iter.common_dtype(), "eq", [&]<typename T>(TypeTag<T>) {
    gpu_opmath_kernel_to<bool, T>(iter, Equal<opmath_type<T>>{answer});
  });
}

// The order of two numbers, in one kernel for the four questions.
enum class Order : uint8_t { less, less_equal, greater, greater_equal };
template <typename T>
struct Compare {
  Order order;
  __device__ bool operator()(T a, T b) const {
    switch (order) {
      case Order::less:
        return a < b;
      case Order::less_equal:
        return a <= b;
      case Order::greater:
        return a > b;
      default:
        return a >= b;
    }
  }
};

void compare(TensorIteratorBase& iter, const char* op, Order order) {
  dispatch_types<RealTypes, UnsignedTypes, bool>(iter.common_dtype(), op,
                                                 [&]<typename T>(TypeTag<T>) {
    gpu_opmath_kernel_to<bool, T>(iter, Compare<opmath_type<T>>{order});
  });
}

struct And {
  __device__ bool operator()(bool a, bool b) const { return a && b; }
};
struct Or {
  __device__ bool operator()(bool a, bool b) const { return a || b; }
};
struct Xor {
  __device__ bool operator()(bool a, bool b) const { return a != b; }
};

}  // namespace

static void eq_kernel(TensorIteratorBase& iter) { equality(iter, true); }
static void ne_kernel(TensorIteratorBase& iter) { equality(iter, false); }
static void lt_kernel(TensorIteratorBase& iter) { compare(iter, "lt", Order::less); }
static void le_kernel(TensorIteratorBase& iter) { compare(iter, "le", Order::less_equal); }
static void gt_kernel(TensorIteratorBase& iter) { compare(iter, "gt", Order::greater); }
static void ge_kernel(TensorIteratorBase& iter) { compare(iter, "ge", Order::greater_equal); }

// Operands of any type are converted to bool.
static void and_kernel(TensorIteratorBase& iter) { gpu_kernel(iter, And()); }
static void or_kernel(TensorIteratorBase& iter) { gpu_kernel(iter, Or()); }
static void xor_kernel(TensorIteratorBase& iter) { gpu_kernel(iter, Xor()); }

REGISTER_CUDA_DISPATCH(eq_stub, &eq_kernel)
REGISTER_CUDA_DISPATCH(ne_stub, &ne_kernel)
REGISTER_CUDA_DISPATCH(lt_stub, &lt_kernel)
REGISTER_CUDA_DISPATCH(le_stub, &le_kernel)
REGISTER_CUDA_DISPATCH(gt_stub, &gt_kernel)
REGISTER_CUDA_DISPATCH(ge_stub, &ge_kernel)
REGISTER_CUDA_DISPATCH(logical_and_stub, &and_kernel)
REGISTER_CUDA_DISPATCH(logical_or_stub, &or_kernel)
REGISTER_CUDA_DISPATCH(logical_xor_stub, &xor_kernel)

}  // namespace at::native
