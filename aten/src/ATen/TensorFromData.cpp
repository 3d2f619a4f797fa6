// at::tensor: new tensors from values in C++ containers.

#include <ATen/ops/tensor.h>

#include <ATen/ops/_to_copy.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/select.h>
#include <c10/core/GradMode.h>

namespace at::detail {

// A list has the sizes of its first element; check() verifies the others.
DimVector TensorDataContainer::sizes() const {
  DimVector result;
  if (kind_ == Kind::Memory) result.push_back(size_);
  if (kind_ != Kind::List) return result;
  result.push_back(static_cast<int64_t>(list_.size()));
  if (!list_.empty()) {
    for (int64_t n : list_[0].sizes()) result.push_back(n);
  }
  return result;
}

ScalarType TensorDataContainer::dtype() const {
  if (kind_ != Kind::List) return dtype_;
  return list_.empty() ? get_default_dtype() : list_[0].dtype();
}

void TensorDataContainer::check(IntArrayRef sizes, ScalarType dtype) const {
  DimVector mine = this->sizes();
  TORCH_CHECK(IntArrayRef(mine) == sizes, "tensor: Expected all sub-lists to have sizes: ", sizes,
              ", but got a sub-list of sizes ", IntArrayRef(mine));
  TORCH_CHECK(this->dtype() == dtype,
              "tensor: Expected all elements of the tensor to have the same scalar type: ",
              toString(dtype), ", but got element of scalar type: ", toString(this->dtype()));
  if (kind_ != Kind::List) return;
  for (const TensorDataContainer& one : list_) one.check(sizes.slice(1), dtype);
}

void TensorDataContainer::put(const Tensor& into) const {
  Tensor target = into;
  if (kind_ == Kind::Number) {
    at::fill_(target, number_);
  } else if (kind_ == Kind::Memory) {
    at::copy_(target, at::from_blob(const_cast<void*>(data_), {size_}, TensorOptions(dtype_)));
  } else {
    for (size_t i = 0; i < list_.size(); ++i)
      list_[i].put(at::select(into, 0, static_cast<int64_t>(i)));
  }
}

Tensor TensorDataContainer::to_tensor(const TensorOptions& options) const {
  DimVector sizes = this->sizes();
  ScalarType data_type = dtype();
  check(sizes, data_type);
  ScalarType inferred = isIntegralType(data_type)   ? kLong
                        : isFloatingType(data_type) ? get_default_dtype()
                        : isComplexType(data_type)  ? get_default_complex_dtype()
                                                    : data_type;
  TensorOptions requested =
      options.dtype(options.dtype_opt().value_or(inferred)).requires_grad(false);
  Tensor result;
  {
    AutoGradMode without(false);
    result = at::empty(sizes, requested.device(kCPU).pinned_memory(std::nullopt));
    put(result);
    if (options.device_opt() && !options.device().is_cpu())
      result = at::_to_copy(result, requested);
  }
  if (options.requires_grad()) result.set_requires_grad(true);
  return result;
}

}  // namespace at::detail
