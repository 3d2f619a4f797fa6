// A handful of kernels, and the CPU for all other operators.

#include <ATen/ExpandUtils.h>
#include <ATen/native/CPUFallback.h>
#include <torch/library.h>

#include "device.h"

namespace npu {
namespace {

int64_t g_calls = 0;  // of the kernels below

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& dst, bool) {
  Kernel kernel({self, dst});
  at::Tensor to = seen_by_kernel(dst);
  to.copy_(seen_by_kernel(self));
  return dst;
}

at::Tensor result_for(const at::Tensor& a, const at::Tensor& b) {
  auto options = a.options().dtype(c10::promoteTypes(a.scalar_type(), b.scalar_type()));
  return at::empty(at::infer_size(a.sizes(), b.sizes()), options);
}

at::Tensor add(const at::Tensor& a, const at::Tensor& b, const at::Scalar& alpha) {
  ++g_calls;
  at::Tensor result = result_for(a, b);
  Kernel kernel({a, b, result});
  seen_by_kernel(result).copy_(at::add(seen_by_kernel(a), seen_by_kernel(b), alpha));
  return result;
}

at::Tensor mul(const at::Tensor& a, const at::Tensor& b) {
  ++g_calls;
  at::Tensor result = result_for(a, b);
  Kernel kernel({a, b, result});
  seen_by_kernel(result).copy_(at::mul(seen_by_kernel(a), seen_by_kernel(b)));
  return result;
}

at::Tensor& fill(at::Tensor& self, const at::Scalar& value) {
  ++g_calls;
  Kernel kernel({self});
  at::Tensor seen = seen_by_kernel(self);
  seen.fill_(value);
  return self;
}

at::Scalar local_scalar_dense(const at::Tensor& self) {
  Kernel kernel({self});
  return seen_by_kernel(self).item();
}

void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  at::native::cpu_fallback(op, stack);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_copy_from", TORCH_FN(copy_from));
  m.impl("add.Tensor", TORCH_FN(add));
  m.impl("mul.Tensor", TORCH_FN(mul));
  m.impl("fill_.Scalar", TORCH_FN(fill));
  m.impl("_local_scalar_dense", TORCH_FN(local_scalar_dense));
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

}  // namespace

int64_t kernel_calls() { return g_calls; }

}  // namespace npu
