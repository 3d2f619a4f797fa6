#pragma once
// at::Tensor: what operators take and return.
//
// Note [Tensor methods]
// The operators' methods (x.add(y)) are declared by a generated file, and only for files that
// define TORCH_TENSOR_METHODS: the public headers do, the library's own kernels do not. They call
// at::add(x, y) instead, so that a new operator recompiles the files that call it and no others.
// Member functions that are not virtual change nothing in the layout, so both kinds of file agree
// on what a Tensor is.

#include <ATen/core/Generator.h>
#include <ATen/core/TensorBase.h>

#ifdef TORCH_TENSOR_METHODS
#include <ATen/core/TensorMembersFwd.h>
#endif

#include <array>
#include <string_view>

namespace at {

class Tensor;
using TensorList = ArrayRef<Tensor>;
using ITensorListRef = TensorList;
using OptionalTensorList = ArrayRef<std::optional<Tensor>>;
using OptionalDoubleArrayRef = std::optional<ArrayRef<double>>;

class Tensor : public TensorBase {
 public:
  Tensor() = default;
  explicit Tensor(intrusive_ptr<TensorImpl> impl) : TensorBase(std::move(impl)) {}
  explicit Tensor(const TensorBase& o) : TensorBase(o) {}

  // The gradient that backward() accumulated, or an undefined tensor.
  const Tensor& grad() const;
  Tensor& mutable_grad() const;
  const Tensor& set_requires_grad(bool requires_grad) const;
  // Adds the gradients of this tensor to the .grad of the leaves it depends on. `gradient` is the
  // incoming gradient; it may be omitted for a tensor of one element. The graph is freed unless
  // keep_graph is set (defaults to create_graph).
  void backward(const Tensor& gradient = Tensor(), std::optional<bool> keep_graph = std::nullopt,
                bool create_graph = false) const;

  // Prints to stdout; for debuggers: `call tensor.print()`.
  void print() const;
  std::string toString() const;

#ifdef TORCH_TENSOR_METHODS
#include <ATen/core/TensorMethods.inc>
#endif
};

template <typename T, typename... A>
Tensor make_tensor(A&&... a) {
  return Tensor(make_intrusive<T>(std::forward<A>(a)...));
}

// The wrapped tensor, or an undefined one.
inline const Tensor& value_or_undefined(const std::optional<Tensor>& t) {
  static const Tensor undefined;
  return t ? *t : undefined;
}

}  // namespace at
