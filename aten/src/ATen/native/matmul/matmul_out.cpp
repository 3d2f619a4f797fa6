// mm, bmm, mv, dot and their variants with an added tensor.

#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/SumType.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/native/matmul/checks.h>
#include <ATen/native/matmul/matmul.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addbmm_native.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/addmm_native.h>
#include <ATen/ops/addmv_native.h>
#include <ATen/ops/addr_native.h>
#include <ATen/ops/baddbmm_native.h>
#include <ATen/ops/bmm_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/dot_native.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/mm_native.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/mv_native.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/vdot_native.h>
#include <ATen/ops/zero__ops.h>

namespace at::native {
namespace {

ComplexDouble as_complex(const Scalar& s) { return s.toComplexDouble(); }

void check_out(const char* op, const Tensor& out, const Tensor& a, const Tensor& b) {
  TORCH_CHECK(out.scalar_type() == a.scalar_type(), op, ": Expected out tensor to have dtype ",
              dtypeName(a.scalar_type()), ", but got ", dtypeName(out.scalar_type()), " instead");
  TORCH_CHECK(out.device() == a.device(), op, ": Expected out tensor to have device ", a.device(),
              ", but got ", out.device(), " instead");
  TORCH_CHECK((!out.is_alias_of(a) && !out.is_alias_of(b)) || out.numel() == 0, op,
              ": unsupported operation: some elements of the input tensor and the written-to "
              "tensor refer to a single memory location. Please clone() the tensor before "
              "performing the operation.");
}

// The added tensor, in the type and the shape of the product.
Tensor added(const char* op, const Tensor& self, IntArrayRef shape, ScalarType dtype) {
  TORCH_CHECK(self.scalar_type() == dtype, op, ": self and mat2 must have the same dtype, but got ",
              toString(self.scalar_type()), " and ", toString(dtype));
  return self.sizes() == shape ? self : at::expand(self, shape);
}

// A new tensor initialized with the added tensor if beta requires it.
Tensor begin_with(const Tensor& self, IntArrayRef shape, const Scalar& beta) {
  Tensor out = empty_tensor(shape, self.scalar_type(), self.device());
  if (!beta.equal(0.0)) at::_ops::copy_::call(out, self, false);
  return out;
}

void scale_by(const Tensor& out, const Scalar& beta) {
  Tensor result = out;
  if (beta.equal(0.0)) at::_ops::zero_::call(result);
  else at::_ops::mul__Scalar::call(result, beta);
}

// out = alpha * a b + beta * out
void matrix_into(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& alpha,
                 const Scalar& beta) {
  if (a.sizes().back() == 0) return scale_by(out, beta);
  matmul_into_stub(out.device().type(), out, a, b, as_complex(alpha), as_complex(beta));
}
void matrices_into(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& alpha,
                   const Scalar& beta) {
  if (a.sizes().back() == 0) return scale_by(out, beta);
  batches_into_stub(out.device().type(), out, a, b, as_complex(alpha), as_complex(beta));
}

}  // namespace

// --- matrix times matrix -------------------------------------------------------------------------

Tensor mm(const Tensor& self, const Tensor& mat2) {
  check_mm("mm", self, mat2);
  Tensor out = empty_tensor({self.sizes()[0], mat2.sizes()[1]}, self.scalar_type(), self.device());
  matrix_into(out, self, mat2, 1, 0);
  return out;
}

Tensor& mm_out(const Tensor& self, const Tensor& mat2, Tensor& out) {
  check_mm("mm", self, mat2);
  check_out("mm", out, self, mat2);
  resize_output(out, {self.sizes()[0], mat2.sizes()[1]}, "mm");
  matrix_into(out, self, mat2, 1, 0);
  return out;
}

Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
             const Scalar& alpha) {
  check_mm("addmm", mat1, mat2);
  int64_t shape[] = {mat1.sizes()[0], mat2.sizes()[1]};
  Tensor out = begin_with(added("addmm", self, shape, mat1.scalar_type()), shape, beta);
  matrix_into(out, mat1, mat2, alpha, beta);
  return out;
}

Tensor& addmm_(Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
               const Scalar& alpha) {
  check_mm("addmm_", mat1, mat2);
  int64_t shape[] = {mat1.sizes()[0], mat2.sizes()[1]};
  TORCH_CHECK(self.sizes() == IntArrayRef(shape), "addmm_: output with shape ", self.sizes(),
              " doesn't match the shape of the product ", IntArrayRef(shape));
  check_out("addmm_", self, mat1, mat2);
  matrix_into(self, mat1, mat2, alpha, beta);
  return self;
}

Tensor& addmm_out(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                  const Scalar& alpha, Tensor& out) {
  if (out.is_same(self)) return native::addmm_(out, mat1, mat2, beta, alpha);
  check_mm("addmm", mat1, mat2);
  check_out("addmm", out, mat1, mat2);
  int64_t shape[] = {mat1.sizes()[0], mat2.sizes()[1]};
  Tensor more = added("addmm", self, shape, mat1.scalar_type());
  resize_output(out, shape, "addmm");
  const auto with_bias = decltype(product_with_bias_stub)::CUDA;
  if (with_bias && out.is_cuda() && with_bias(out, self, mat1, mat2, beta, alpha)) return out;
  if (!beta.equal(0.0)) at::_ops::copy_::call(out, more, false);
  matrix_into(out, mat1, mat2, alpha, beta);
  return out;
}

// --- batches -------------------------------------------------------------------------------------

Tensor bmm(const Tensor& self, const Tensor& mat2) {
  check_bmm("bmm", self, mat2);
  Tensor out = empty_tensor({self.sizes()[0], self.sizes()[1], mat2.sizes()[2]}, self.scalar_type(),
                            self.device());
  matrices_into(out, self, mat2, 1, 0);
  return out;
}

Tensor& bmm_out(const Tensor& self, const Tensor& mat2, Tensor& out) {
  check_bmm("bmm", self, mat2);
  check_out("bmm", out, self, mat2);
  resize_output(out, {self.sizes()[0], self.sizes()[1], mat2.sizes()[2]}, "bmm");
  matrices_into(out, self, mat2, 1, 0);
  return out;
}

Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
               const Scalar& alpha) {
  check_bmm("baddbmm", batch1, batch2);
  int64_t shape[] = {batch1.sizes()[0], batch1.sizes()[1], batch2.sizes()[2]};
  Tensor out = begin_with(added("baddbmm", self, shape, batch1.scalar_type()), shape, beta);
  matrices_into(out, batch1, batch2, alpha, beta);
  return out;
}

Tensor& baddbmm_(Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                 const Scalar& alpha) {
  check_bmm("baddbmm_", batch1, batch2);
  int64_t shape[] = {batch1.sizes()[0], batch1.sizes()[1], batch2.sizes()[2]};
  TORCH_CHECK(self.sizes() == IntArrayRef(shape), "baddbmm_: output with shape ", self.sizes(),
              " doesn't match the shape of the product ", IntArrayRef(shape));
  check_out("baddbmm_", self, batch1, batch2);
  matrices_into(self, batch1, batch2, alpha, beta);
  return self;
}

Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
              const Scalar& alpha) {
  check_bmm("addbmm", batch1, batch2);
  int64_t shape[] = {batch1.sizes()[1], batch2.sizes()[2]};
  Tensor out = begin_with(added("addbmm", self, shape, batch1.scalar_type()), shape, beta);
  // All products are added into one: the batch dimension joins the inner one. Types that are not
  // accumulated in themselves need a single product, and that of integers is faster.
  const bool is_single =
      sum_type(out.scalar_type()) != out.scalar_type() || isIntegralType(out.scalar_type(), false);
  if (is_single && batch1.sizes()[0] > 1) {
    const int64_t inner = batch1.sizes()[0] * batch1.sizes()[2];
    matrix_into(out, at::reshape(at::transpose(batch1, 0, 1), {batch1.sizes()[1], inner}),
                at::reshape(batch2, {inner, batch2.sizes()[2]}), alpha, beta);
    return out;
  }
  Scalar factor = beta;
  auto matrix = [](const Tensor& t, int64_t i) {
    auto impl = t.unsafeGetTensorImpl()->shallow_copy();
    impl->set_sizes_and_strides(t.sizes().slice(1), t.strides().slice(1));
    impl->set_storage_offset(t.storage_offset() + i * t.strides()[0]);
    return Tensor(std::move(impl));
  };
  for (int64_t i = 0; i < batch1.sizes()[0]; ++i) {
    matrix_into(out, matrix(batch1, i), matrix(batch2, i), alpha, factor);
    factor = 1;
  }
  if (batch1.sizes()[0] == 0) scale_by(out, beta);
  return out;
}

// --- matrix times vector -------------------------------------------------------------------------

namespace {

void check_mv(const char* op, const Tensor& mat, const Tensor& vec) {
  TORCH_CHECK(mat.dim() == 2 && vec.dim() == 1, op,
              ": vector + matrix @ vector expected, got matrix of ", mat.dim(),
              " dimensions and vector of ", vec.dim());
  TORCH_CHECK(mat.sizes()[1] == vec.sizes()[0], op, ": size mismatch, got mat (", mat.sizes()[0],
              "x", mat.sizes()[1], "), vec (", vec.sizes()[0], ")");
  check_types(op, mat, vec);
}

Tensor as_column(const Tensor& v) {
  auto impl = v.unsafeGetTensorImpl()->shallow_copy();
  impl->set_sizes_and_strides({v.sizes()[0], 1}, {v.strides()[0], 1});
  return Tensor(std::move(impl));
}

void mv_into(const Tensor& out, const Tensor& mat, const Tensor& vec, const Scalar& alpha,
             const Scalar& beta) {
  Tensor x = vec.strides()[0] < 1 && vec.numel() > 1 ? at::contiguous(vec) : vec;
  matrix_into(as_column(out), mat, as_column(x), alpha, beta);
}

}  // namespace

Tensor mv(const Tensor& self, const Tensor& vec) {
  check_mv("mv", self, vec);
  Tensor out = empty_tensor({self.sizes()[0]}, self.scalar_type(), self.device());
  mv_into(out, self, vec, 1, 0);
  return out;
}

Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
             const Scalar& alpha) {
  check_mv("addmv", mat, vec);
  int64_t shape[] = {mat.sizes()[0]};
  Tensor out = begin_with(added("addmv", self, shape, mat.scalar_type()), shape, beta);
  mv_into(out, mat, vec, alpha, beta);
  return out;
}

Tensor& addmv_(Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
               const Scalar& alpha) {
  check_mv("addmv_", mat, vec);
  TORCH_CHECK(self.sizes() == mat.sizes().slice(0, 1), "addmv_: output with shape ", self.sizes(),
              " doesn't match the shape of the product [", mat.sizes()[0], "]");
  check_out("addmv_", self, mat, vec);
  mv_into(self, mat, vec, alpha, beta);
  return self;
}

Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
            const Scalar& alpha) {
  TORCH_CHECK(vec1.dim() == 1 && vec2.dim() == 1,
              "addr: Expected 1-D arguments vec1 and vec2, but got ", vec1.dim(), "-D and ",
              vec2.dim(), "-D");
  ResultTypeState types;
  for (const Tensor* t : {&self, &vec1, &vec2}) types.add(*t->unsafeGetTensorImpl());
  const ScalarType type = types.result();
  check_factor("addr", "alpha", alpha, type);
  check_factor("addr", "beta", beta, type);
  const int64_t shape[] = {vec1.sizes()[0], vec2.sizes()[0]};
  TORCH_CHECK(is_expandable_to(self.sizes(), shape), "addr: size mismatch: input ", self.sizes(),
              ", v1: ", vec1.sizes(), ", v2: ", vec2.sizes());
  // Of bools: (beta and self) or (alpha and vec1 and vec2).
  auto times = [type](const Tensor& t, const Scalar& factor) {
    return at::mul(t, type == kBool ? Scalar(factor.toBool()) : factor);
  };
  // In one pass over the result.
  if (type != kBool && !beta.equal(0.0)) {
    return at::addcmul(beta.equal(1.0) ? self : times(self, beta), at::unsqueeze(vec1, 1), vec2,
                       alpha);
  }
  Tensor product = at::outer(vec1, vec2);
  if (!alpha.equal(1.0)) product = times(product, alpha);
  if (beta.equal(0.0)) return product;
  return at::_ops::add_Tensor::call(beta.equal(1.0) ? self : times(self, beta), product, 1);
}

// --- dot -----------------------------------------------------------------------------------------

static Tensor dot_of(const char* op, const Tensor& a, const Tensor& b, bool conj) {
  TORCH_CHECK(a.dim() == 1 && b.dim() == 1, op, ": 1D tensors expected, but got ", a.dim(),
              "D and ", b.dim(), "D tensors");
  TORCH_CHECK(a.scalar_type() == b.scalar_type(), op,
              ": expected both vectors to have same dtype, but found ", toString(a.scalar_type()),
              " and ", toString(b.scalar_type()));
  TORCH_CHECK(a.numel() == b.numel(), op, ": inconsistent tensor size, expected tensor ", a.sizes(),
              " and src ", b.sizes(), " to have the same number of elements, but got ", a.numel(),
              " and ", b.numel(), " elements respectively");
  TORCH_CHECK(a.device() == b.device(), op,
              ": expected all tensors to be on the same device. Found: ", a.device(), ", ",
              b.device());
  Tensor out = empty_tensor({}, a.scalar_type(), a.device());
  dot_into_stub(out.device().type(), out, a, b, conj);
  return out;
}

Tensor dot(const Tensor& self, const Tensor& tensor) { return dot_of("dot", self, tensor, false); }
Tensor vdot(const Tensor& self, const Tensor& other) { return dot_of("vdot", self, other, true); }

}  // namespace at::native
