// Complex numbers: their parts, their construction, and views between (..., 2) real and (...)
// complex tensors.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/complex/complex.h>
#include <ATen/native/complex/lazy_bits.h>
#include <ATen/ops/_conj.h>
#include <ATen/ops/_conj_native.h>
#include <ATen/ops/_conj_physical.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/_neg_view_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/complex_native.h>
#include <ATen/ops/conj_native.h>
#include <ATen/ops/conj_physical_native.h>
#include <ATen/ops/imag_native.h>
#include <ATen/ops/is_conj_native.h>
#include <ATen/ops/is_neg_native.h>
#include <ATen/ops/polar_native.h>
#include <ATen/ops/real_native.h>
#include <ATen/ops/resolve_conj_native.h>
#include <ATen/ops/resolve_neg.h>
#include <ATen/ops/resolve_neg_native.h>
#include <ATen/ops/select.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/view_as_real_native.h>

namespace at::native {

// --- conjugates and negatives: Note [Lazy conjugates] -------------------------------------------

Tensor conj_physical(const Tensor& self) {
  if (!self.is_complex()) return self;
  return self.is_conj() ? at::clone(at::_conj(self)) : at::_conj_physical(self);
}
Tensor conj(const Tensor& self) { return self.is_complex() ? at::_conj(self) : self; }

Tensor _conj(const Tensor& self) {
  TORCH_CHECK(self.is_complex(), "_conj: expected a complex tensor, got ",
              toString(self.scalar_type()));
  return with_conj_bit(self, !self.is_conj());
}
Tensor _neg_view(const Tensor& self) {
  TORCH_CHECK(self.scalar_type() != kBool, "_neg_view: negatives of a bool tensor do not exist");
  return with_neg_bit(self, !self.is_neg());
}

Tensor resolve_conj(const Tensor& self) { return self.is_conj() ? at::clone(self) : self; }
Tensor resolve_neg(const Tensor& self) { return self.is_neg() ? at::clone(self) : self; }
bool is_conj(const Tensor& self) { return self.is_conj(); }
bool is_neg(const Tensor& self) { return self.is_neg(); }

// --- parts --------------------------------------------------------------------------------------

static Tensor part(const Tensor& self, int64_t which) {
  const Tensor memory = self.is_conj() ? at::_conj(self) : self;
  return at::select(at::view_as_real(memory), -1, which);
}

Tensor real(const Tensor& self) { return self.is_complex() ? part(self, 0) : self; }

Tensor imag(const Tensor& self) {
  TORCH_CHECK(self.is_complex(),
              "imag is not implemented for tensors with non-complex dtypes, got ",
              toString(self.scalar_type()));
  return self.is_conj() ? at::_neg_view(part(self, 1)) : part(self, 1);
}

static void check_no_conj_bit(const Tensor& self, const char* op) {
  TORCH_CHECK(
      !self.is_conj(), op,
      ": the tensor is a conjugate view, whose memory holds the conjugates of its elements; "
      "call resolve_conj() first");
}

static Tensor reinterpreted(const Tensor& self, ScalarType dtype, IntArrayRef sizes,
                            IntArrayRef strides, int64_t offset) {
  Tensor view =
      alias_with_sizes_and_strides(self, self.sizes(), self.strides(), self.storage_offset());
  TensorImpl* impl = view.unsafeGetTensorImpl();
  impl->set_dtype(dtype);
  impl->set_sizes_and_strides(sizes, strides);
  impl->set_storage_offset(offset);
  return view;
}

Tensor view_as_real(const Tensor& self) {
  TORCH_CHECK(self.is_complex(), "view_as_real is only supported for complex tensors, got ",
              toString(self.scalar_type()));
  check_no_conj_bit(self, "view_as_real");
  DimVector sizes(self.sizes()), strides(self.strides());
  for (int64_t& s : strides) s *= 2;
  sizes.push_back(2);
  strides.push_back(1);
  return reinterpreted(self, toRealValueType(self.scalar_type()), sizes, strides,
                       self.storage_offset() * 2);
}

Tensor view_as_complex(const Tensor& self) {
  if (self.is_neg()) return at::view_as_complex(at::resolve_neg(self));
  ScalarType type = self.scalar_type();
  TORCH_CHECK(type == kFloat || type == kDouble || type == kHalf,
              "view_as_complex is only supported for half, float and double tensors, but got a "
              "tensor of scalar type: ",
              toString(type));
  TORCH_CHECK(self.dim() > 0, "view_as_complex: Input tensor must have one or more dimensions");
  TORCH_CHECK(self.sizes().back() == 2,
              "view_as_complex: Tensor must have a last dimension of size 2, got ",
              self.sizes().back());
  TORCH_CHECK(self.strides().back() == 1,
              "view_as_complex: Tensor must have a last dimension with stride 1, got ",
              self.strides().back());
  int64_t n = self.dim() - 1;
  DimVector sizes(self.sizes().slice(0, n)), strides(n);
  for (int64_t d = 0; d < n; ++d) {
    TORCH_CHECK(
        self.sizes()[d] == 1 || self.strides()[d] % 2 == 0,
        "view_as_complex: Tensor must have a stride divisible by 2 for all but last dimension, "
        "got stride ",
        self.strides()[d], " in dimension ", d);
    strides[d] = self.strides()[d] / 2;
  }
  TORCH_CHECK(self.storage_offset() % 2 == 0,
              "view_as_complex: Tensor must have a storage_offset divisible by 2, got ",
              self.storage_offset());
  return reinterpreted(self, toComplexType(type), sizes, strides, self.storage_offset() / 2);
}

// --- from two real numbers ----------------------------------------------------------------------

// Checks the operands of complex and polar, and runs their kernel on them.
template <typename Stub>
static void combine(const char* op, const Tensor& out, const Tensor& a, const Tensor& b,
                    Tensor* result, const Stub& stub) {
  TORCH_CHECK(a.scalar_type() == b.scalar_type(), op,
              ": Expected both inputs to be of the same type, got ", toString(a.scalar_type()),
              " and ", toString(b.scalar_type()));
  TORCH_CHECK(a.scalar_type() == kFloat || a.scalar_type() == kDouble || a.scalar_type() == kHalf,
              op, ": Expected both inputs to be Half, Float or Double tensors but got ",
              toString(a.scalar_type()));
  ScalarType type = toComplexType(a.scalar_type());
  TORCH_CHECK(!out.defined() || out.scalar_type() == type, op, ": Expected object of scalar type ",
              toString(type), " but got scalar type ",
              toString(out.defined() ? out.scalar_type() : type), " for argument 'out'");
  auto iter = TensorIteratorConfig(op)
                  .add_output(out)
                  .add_input(a)
                  .add_input(b)
                  .check_all_same_dtype(false)
                  .declare_static_dtype(type)
                  .build();
  stub(iter.device_type(), iter);
  *result = iter.take_output(0);
}

static void combine_parts(const Tensor& out, const Tensor& real, const Tensor& imag,
                          Tensor* result) {
  combine("complex", out, real, imag, result, complex_stub);
}
static void combine_polar(const Tensor& out, const Tensor& abs, const Tensor& angle,
                          Tensor* result) {
  TORCH_CHECK_NOT_IMPLEMENTED(abs.scalar_type() != kHalf,
                              "\"polar_cpu\" not implemented for 'Half'");
  combine("polar", out, abs, angle, result, polar_stub);
}

Tensor complex(const Tensor& real, const Tensor& imag) {
  Tensor result;
  combine_parts(Tensor(), real, imag, &result);
  return result;
}
Tensor& complex_out(const Tensor& real, const Tensor& imag, Tensor& out) {
  Tensor result;
  combine_parts(out, real, imag, &result);
  return out;
}
Tensor polar(const Tensor& abs, const Tensor& angle) {
  Tensor result;
  combine_polar(Tensor(), abs, angle, &result);
  return result;
}
Tensor& polar_out(const Tensor& abs, const Tensor& angle, Tensor& out) {
  Tensor result;
  combine_polar(out, abs, angle, &result);
  return out;
}

}  // namespace at::native
