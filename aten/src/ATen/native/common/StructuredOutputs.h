#pragma once
// MetaBase: the outputs of one call of a structured operator, in any of its forms.
//
// A meta function describes the result through set_output; MetaBase allocates it (functional),
// checks that self fits (in-place), or resizes the caller's tensor (out=). The kernel then fills
// output(i).

#include <ATen/core/Tensor.h>

namespace at {

enum class OutputForm : uint8_t { functional, inplace, out };

class MetaBase {
 public:
  explicit MetaBase(const char* op, OutputForm form = OutputForm::functional)
      : op_(op), form_(form) {}
  MetaBase(const MetaBase&) = delete;
  MetaBase& operator=(const MetaBase&) = delete;

  const char* op_name() const { return op_; }
  OutputForm form() const { return form_; }
  void bind_output(int i, Tensor& t) {
    bound_[i] = &t;
    outputs_[i] = t;
  }

  // Describes result i. Strides are a preference: they are used if the result is new.
  void set_output(int i, IntArrayRef sizes, TensorOptions options, IntArrayRef strides = {});
  // Undefined until set, except for outputs that the caller bound.
  const Tensor& output(int i) const { return outputs_[i]; }
  // Whether there is something to compute: false on the meta device.
  bool needs_kernel() const { return !outputs_[0].is_meta(); }
  DeviceType device_type() const { return outputs_[0].device().type(); }
  Tensor take_output(int i) { return std::move(outputs_[i]); }
  void finish_outputs() {}

 protected:
  static constexpr int kMaxOutputs = 4;
  const char* op_;
  OutputForm form_;
  Tensor outputs_[kMaxOutputs];
  Tensor* bound_[kMaxOutputs] = {};
};

inline Device device_or_default(std::optional<Device> device) {
  return device ? *device : Device(kCPU);
}

// A new tensor, uninitialized. The device must have an allocator, or be meta.
Tensor empty_tensor(IntArrayRef sizes, ScalarType dtype, Device device = kCPU);
Tensor empty_strided_tensor(IntArrayRef sizes, IntArrayRef strides, ScalarType dtype,
                            Device device = kCPU);

// Gives an out= tensor the sizes of the result; warns when it had elements of another shape.
// Returns whether it was resized.
bool resize_output(const Tensor& out, IntArrayRef sizes, const char* op);
// Grows a tensor's storage to at least this many bytes.
void maybe_resize_storage(TensorImpl* impl, size_t nbytes);
// Sets sizes with contiguous strides, growing the storage if it is too small.
void resize_contiguous(const Tensor& self, IntArrayRef sizes, const char* op);

// The out= and in-place forms of operators whose kernel only makes new tensors.
Tensor& copy_to_output(const char* op, Tensor& out, const Tensor& result);
void copy_to_outputs(const char* op, TensorList outs, const std::vector<Tensor>& results);
Tensor& copy_to_self(const char* op, Tensor& self, const Tensor& result);

// A Python number as a 0-dimensional tensor that takes part in promotion as a number does.
Tensor wrapped_scalar_tensor(const Scalar& s, Device device = kCPU);
// A 0-dimensional tensor of this type with this value, made without a dispatch.
Tensor scalar_tensor_of(const Scalar& s, ScalarType dtype, Device device = kCPU);

}  // namespace at
