// Operators on lists of tensors that are more than a loop over another operator.

#include <algorithm>
#include <limits>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/ForeachLists.h>
#include <ATen/native/common/ListsAtOnce.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_foreach_add_native.h>
#include <ATen/ops/_foreach_addcdiv_native.h>
#include <ATen/ops/_foreach_addcmul_native.h>
#include <ATen/ops/_foreach_copy_native.h>
#include <ATen/ops/_foreach_div_native.h>
#include <ATen/ops/_foreach_max_native.h>
#include <ATen/ops/_foreach_mul_native.h>
#include <ATen/ops/_foreach_norm_native.h>
#include <ATen/ops/_foreach_powsum_native.h>
#include <ATen/ops/_foreach_zero_native.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addcdiv.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/div.h>
#include <ATen/ops/item.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/max.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unbind.h>
#include <ATen/ops/zero__ops.h>
#include <ATen/ops/zeros_like.h>

namespace at::native {
namespace {

template <typename F>
std::vector<Tensor> map_list(const char* op, TensorList list, F f) {
  check_lists(op, list.size(), {});
  std::vector<Tensor> result;
  result.reserve(list.size());
  for (const Tensor& t : list) result.push_back(f(t));
  return result;
}

template <typename F>
void change_list(const char* op, TensorList list, F f) {
  check_lists(op, list.size(), {});
  for (size_t i = 0; i < list.size(); ++i) f(element_to_change(list, i));
}

// The argument of the .Tensor forms of add, mul and div: one number for all tensors.
void check_number(const char* op, const Tensor& other) {
  TORCH_CHECK(other.dim() == 0, op, ": other must be a 0-dimensional tensor, not one of shape ",
              other.sizes());
}

// The same with a number on a CUDA device: all tensors at once.
bool number_at_once(const char* target, TensorList self, const Tensor& other,
                    ArrayRef<Scalar> alpha, std::vector<Tensor>* results) {
  if (self.empty() || !other.is_cuda()) return false;
  return foreach_at_once(target, {self, std::vector<Tensor>(self.size(), other)}, alpha, results);
}

// The numbers of the .Tensor forms of addcdiv and addcmul, one per tensor, as 0-dimensional views.
std::vector<Tensor> number_per_tensor(const char* op, TensorList self, const Tensor& scalars) {
  TORCH_CHECK(scalars.dim() == 1, op, ": scalars must have one dimension, not the shape ",
              scalars.sizes());
  TORCH_CHECK(scalars.device().is_cpu(), op, ": scalars must be on the CPU, not on ",
              scalars.device());
  TORCH_CHECK(scalars.size(0) == static_cast<int64_t>(self.size()), op, ": scalars has ",
              scalars.size(0), " elements for ", self.size(), " tensors");
  return at::unbind(scalars, 0);
}

std::vector<Scalar> items(const std::vector<Tensor>& numbers) {
  std::vector<Scalar> result;
  for (const Tensor& t : numbers) result.push_back(at::item(t));
  return result;
}

// Whether kernels of a device can work on all tensors of a list.
bool fits_at_once(TensorList list, bool changes) {
  if (list.empty() || !list[0].defined() || !list[0].is_cuda()) return false;
  const Device device = list[0].device();
  return std::all_of(list.begin(), list.end(),
                     [&](const Tensor& t) { return fits_lists(t, device, changes); });
}

// The same for kernels that reduce floats, and complex numbers if asked.
bool fits_reduction(TensorList list, bool complex) {
  return fits_at_once(list, false) && std::all_of(list.begin(), list.end(), [&](const Tensor& t) {
    const ScalarType type = t.scalar_type();
    const bool fits = isFloatingType(type) ? t.itemsize() > 1
                                           : complex && isComplexType(type) && t.itemsize() > 4;
    return fits && t.numel() > 0;
  });
}

std::vector<Tensor> reduced_at_once(ForeachReduction kind, TensorList self) {
  std::vector<Tensor> result;
  result.reserve(self.size());
  for (const Tensor& t : self)
    result.push_back(empty_tensor({}, toRealValueType(t.scalar_type()), t.device()));
  foreach_reduce_stub.CUDA(kind, self, result);
  return result;
}

std::optional<ForeachReduction> norm_at_once(const Scalar& ord) {
  if (ord.isComplex()) return std::nullopt;
  const double order = ord.toDouble();
  if (order == 1) return ForeachReduction::sum_of_magnitudes;
  if (order == 2) return ForeachReduction::root_of_squares;
  if (order == std::numeric_limits<double>::infinity()) return ForeachReduction::largest_magnitude;
  return std::nullopt;
}

}  // namespace

std::vector<Tensor> _foreach_add_number(TensorList self, const Tensor& other, const Scalar& alpha) {
  check_number("_foreach_add", other);
  std::vector<Tensor> result;
  if (number_at_once("add.Tensor", self, other, alpha, &result)) return result;
  return map_list("_foreach_add", self, [&](const Tensor& t) { return at::add(t, other, alpha); });
}

void _foreach_add_number_(TensorList self, const Tensor& other, const Scalar& alpha) {
  check_number("_foreach_add_", other);
  if (number_at_once("add.Tensor", self, other, alpha, nullptr)) return;
  change_list("_foreach_add_", self,
              [&](Tensor& t) { at::_ops::add__Tensor::call(t, other, alpha); });
}

std::vector<Tensor> _foreach_mul_number(TensorList self, const Tensor& other) {
  check_number("_foreach_mul", other);
  std::vector<Tensor> result;
  if (number_at_once("mul.Tensor", self, other, {}, &result)) return result;
  return map_list("_foreach_mul", self, [&](const Tensor& t) { return at::mul(t, other); });
}

void _foreach_mul_number_(TensorList self, const Tensor& other) {
  check_number("_foreach_mul_", other);
  if (number_at_once("mul.Tensor", self, other, {}, nullptr)) return;
  change_list("_foreach_mul_", self, [&](Tensor& t) { at::_ops::mul__Tensor::call(t, other); });
}

std::vector<Tensor> _foreach_div_number(TensorList self, const Tensor& other) {
  check_number("_foreach_div", other);
  std::vector<Tensor> result;
  if (number_at_once("div.Tensor", self, other, {}, &result)) return result;
  return map_list("_foreach_div", self, [&](const Tensor& t) { return at::div(t, other); });
}

void _foreach_div_number_(TensorList self, const Tensor& other) {
  check_number("_foreach_div_", other);
  if (number_at_once("div.Tensor", self, other, {}, nullptr)) return;
  change_list("_foreach_div_", self, [&](Tensor& t) { at::_ops::div__Tensor::call(t, other); });
}

std::vector<Tensor> _foreach_addcdiv_values(TensorList self, TensorList tensor1, TensorList tensor2,
                                            const Tensor& scalars) {
  check_lists("_foreach_addcdiv", self.size(), {tensor1.size(), tensor2.size()});
  const auto numbers = number_per_tensor("_foreach_addcdiv", self, scalars);
  std::vector<Tensor> result;
  if (foreach_at_once("addcdiv", {self, tensor1, tensor2}, items(numbers), &result)) return result;
  for (size_t i = 0; i < self.size(); ++i)
    result.push_back(at::addcdiv(self[i], tensor1[i], tensor2[i], at::item(numbers[i])));
  return result;
}

void _foreach_addcdiv_values_(TensorList self, TensorList tensor1, TensorList tensor2,
                              const Tensor& scalars) {
  check_lists("_foreach_addcdiv_", self.size(), {tensor1.size(), tensor2.size()});
  const auto numbers = number_per_tensor("_foreach_addcdiv_", self, scalars);
  if (foreach_at_once("addcdiv", {self, tensor1, tensor2}, items(numbers), nullptr)) return;
  for (size_t i = 0; i < self.size(); ++i)
    at::_ops::addcdiv_::call(element_to_change(self, i), tensor1[i], tensor2[i],
                             at::item(numbers[i]));
}

std::vector<Tensor> _foreach_addcmul_values(TensorList self, TensorList tensor1, TensorList tensor2,
                                            const Tensor& scalars) {
  check_lists("_foreach_addcmul", self.size(), {tensor1.size(), tensor2.size()});
  const auto numbers = number_per_tensor("_foreach_addcmul", self, scalars);
  std::vector<Tensor> result;
  if (foreach_at_once("addcmul", {self, tensor1, tensor2}, items(numbers), &result)) return result;
  for (size_t i = 0; i < self.size(); ++i)
    result.push_back(at::addcmul(self[i], tensor1[i], tensor2[i], at::item(numbers[i])));
  return result;
}

void _foreach_addcmul_values_(TensorList self, TensorList tensor1, TensorList tensor2,
                              const Tensor& scalars) {
  check_lists("_foreach_addcmul_", self.size(), {tensor1.size(), tensor2.size()});
  const auto numbers = number_per_tensor("_foreach_addcmul_", self, scalars);
  if (foreach_at_once("addcmul", {self, tensor1, tensor2}, items(numbers), nullptr)) return;
  for (size_t i = 0; i < self.size(); ++i)
    at::_ops::addcmul_::call(element_to_change(self, i), tensor1[i], tensor2[i],
                             at::item(numbers[i]));
}

std::vector<Tensor> _foreach_max(TensorList self) {
  if (fits_reduction(self, false)) return reduced_at_once(ForeachReduction::max, self);
  return map_list("_foreach_max", self, [](const Tensor& t) {
    TORCH_CHECK(t.numel() > 0,
                "_foreach_max: a tensor without elements has no maximum; its shape is ", t.sizes());
    return at::max(t);
  });
}

std::vector<Tensor> _foreach_norm(TensorList self, const Scalar& ord,
                                  std::optional<ScalarType> dtype) {
  const std::optional<ForeachReduction> kind = norm_at_once(ord);
  if (kind && !dtype && fits_reduction(self, true)) return reduced_at_once(*kind, self);
  return map_list("_foreach_norm", self, [&](const Tensor& t) {
    return at::linalg_vector_norm(t, ord, std::nullopt, false, dtype);
  });
}

std::vector<Tensor> _foreach_powsum(TensorList self, const Scalar& ord,
                                    std::optional<ScalarType> dtype) {
  return map_list("_foreach_powsum", self,
                  [&](const Tensor& t) { return at::sum(at::pow(at::abs(t), ord), dtype); });
}

std::vector<Tensor> _foreach_copy(TensorList self, TensorList src, bool non_blocking) {
  check_lists("_foreach_copy", self.size(), {src.size()});
  std::vector<Tensor> result;
  for (size_t i = 0; i < self.size(); ++i) {
    Tensor t = at::clone(self[i]);
    at::_ops::copy_::call(t, src[i], non_blocking);
    result.push_back(std::move(t));
  }
  return result;
}

void _foreach_copy_(TensorList self, TensorList src, bool non_blocking) {
  check_lists("_foreach_copy_", self.size(), {src.size()});
  if (fits_at_once(self, true) && fits_at_once(src, false) && self[0].device() == src[0].device() &&
      may_change_at_once(self, src) &&
      std::equal(self.begin(), self.end(), src.begin(), same_layout)) {
    mark_changed(self);
    return foreach_copy_stub.CUDA(self, src);
  }
  for (size_t i = 0; i < self.size(); ++i)
    at::_ops::copy_::call(element_to_change(self, i), src[i], non_blocking);
}

std::vector<Tensor> _foreach_zero(TensorList self) {
  return map_list("_foreach_zero", self, [](const Tensor& t) { return at::zeros_like(t); });
}

void _foreach_zero_(TensorList self) {
  if (fits_at_once(self, true) && may_change_at_once(self, {})) {
    mark_changed(self);
    return foreach_zero_stub.CUDA(self);
  }
  change_list("_foreach_zero_", self, [](Tensor& t) { at::_ops::zero_::call(t); });
}

}  // namespace at::native
