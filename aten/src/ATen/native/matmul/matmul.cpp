// matmul and operators written in terms of products: inner, outer, tensordot, kron, cross.

#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/matmul/matmul.h>
#include <ATen/ops/_unsafe_view.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/chain_matmul_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/cross_native.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/ger_native.h>
#include <ATen/ops/inner_native.h>
#include <ATen/ops/kron_native.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/linalg_cross_native.h>
#include <ATen/ops/linalg_matmul_native.h>
#include <ATen/ops/linalg_vecdot_native.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/matmul_native.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/outer_native.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/squeeze__ops.h>
#include <ATen/ops/squeeze_ops.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/t.h>
#include <ATen/ops/tensordot_native.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/view.h>

namespace at::native {
namespace {

// A batch of rows times one matrix or vector is one product with more rows, if the batch is
// contiguous by rows. If the small operand requires a gradient, even a contiguous copy is cheaper
// than summing that gradient over the batch.
bool folds(const Tensor& large, const Tensor& small, bool needs_grad) {
  if (large.dim() < 3 || small.dim() > 2) return false;
  if (needs_grad) return true;
  DimVector strides;
  int64_t shape[] = {product(large.sizes().slice(0, large.dim() - 1)), large.sizes().back()};
  return strides_of_view(large.sizes(), large.strides(), shape, strides);
}

}  // namespace

Tensor matmul(const Tensor& self, const Tensor& other) {
  int64_t a = self.dim(), b = other.dim();
  TORCH_CHECK(a > 0 && b > 0, "both arguments to matmul need to be at least 1D, but they are ", a,
              "D and ", b, "D");
  if (a == 1 && b == 1) return at::dot(self, other);
  if (a == 2 && b == 1) return at::mv(self, other);
  if (a == 2 && b == 2) return at::mm(self, other);
  if (a == 1 && b == 2) {
    Tensor row = at::mm(at::unsqueeze(self, 0), other);
    return at::_ops::squeeze__dim::call(row, 0);
  }
  if (folds(self, other, GradMode::is_enabled() && other.requires_grad())) {
    DimVector shape(self.sizes().slice(0, a - 1));
    Tensor rows = at::reshape(self, {product(shape), self.sizes().back()});
    if (b == 1) return at::_unsafe_view(at::mv(rows, other), shape);
    shape.push_back(other.sizes()[1]);
    return at::_unsafe_view(at::mm(rows, other), shape);
  }
  if (a <= 2 && b >= 3 && GradMode::is_enabled() && self.requires_grad()) {
    // x B = (B' x')': the batch is on the right.
    Tensor transposed = at::transpose(other, -1, -2);
    if (a == 1) return at::matmul(transposed, self);
    return at::clone(at::transpose(at::matmul(transposed, at::t(self)), -1, -2),
                     MemoryFormat::Contiguous);
  }
  // A vector gets an extra dimension for the product, removed afterwards.
  Tensor x = a == 1 ? at::unsqueeze(self, 0) : self, y = b == 1 ? at::unsqueeze(other, 1) : other;
  IntArrayRef xs = x.sizes(), ys = y.sizes();
  int64_t m = xs[x.dim() - 2], k = xs[x.dim() - 1], k2 = ys[y.dim() - 2], n = ys[y.dim() - 1];
  DimVector batch =
      infer_broadcast_sizes(xs.slice(0, x.dim() - 2), ys.slice(0, y.dim() - 2), "matmul");
  DimVector xe(batch), ye(batch), out(batch);
  xe.push_back(m);
  xe.push_back(k);
  ye.push_back(k2);
  ye.push_back(n);
  int64_t count = product(batch);
  Tensor x3 = at::reshape(at::expand(x, xe), {count, m, k}),
         y3 = at::reshape(at::expand(y, ye), {count, k2, n});
  if (a > 1) out.push_back(m);
  if (b > 1) out.push_back(n);
  return at::_unsafe_view(at::bmm(x3, y3), out);
}

Tensor inner(const Tensor& self, const Tensor& other) {
  if (self.dim() == 0 || other.dim() == 0) return at::mul(self, other);
  TORCH_CHECK(self.sizes().back() == other.sizes().back(),
              "inner() the last dimension must match on both input tensors but got shapes ",
              self.sizes(), " and ", other.sizes());
  DimVector shape(self.sizes().slice(0, self.dim() - 1));
  shape.append(other.sizes().begin(), other.sizes().end() - 1);
  int64_t k = self.sizes().back();
  Tensor a = at::reshape(self, {product(self.sizes().slice(0, self.dim() - 1)), k});
  Tensor b = at::reshape(other, {product(other.sizes().slice(0, other.dim() - 1)), k});
  return at::view(at::mm(a, at::t(b)), shape);
}

Tensor outer(const Tensor& self, const Tensor& vec2) {
  TORCH_CHECK(self.dim() == 1, "outer: Expected 1-D argument self, but got ", self.dim(), "-D");
  TORCH_CHECK(vec2.dim() == 1, "outer: Expected 1-D argument vec2, but got ", vec2.dim(), "-D");
  return at::mul(at::view(self, {self.sizes()[0], 1}), vec2);
}
Tensor ger(const Tensor& self, const Tensor& vec2) { return at::outer(self, vec2); }
Tensor linalg_matmul(const Tensor& self, const Tensor& other) { return at::matmul(self, other); }

Tensor linalg_vecdot(const Tensor& x, const Tensor& y, int64_t dim) {
  TORCH_CHECK(x.is_floating_point() || x.is_complex(),
              "linalg.vecdot: Expected a floating point or complex tensor as input. Got ",
              dtypeName(x.scalar_type()));
  TORCH_CHECK(x.scalar_type() == y.scalar_type(),
              "linalg.vecdot: Expected x and y to have the same dtype, got ",
              dtypeName(x.scalar_type()), " and ", dtypeName(y.scalar_type()));
  return at::sum(at::mul(x.is_complex() ? at::conj(x) : x, y), dim);
}

Tensor tensordot(const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                 IntArrayRef dims_other) {
  TORCH_CHECK(dims_self.size() == dims_other.size(),
              "both dimension lists should have same length, got ", dims_self.size(), " and ",
              dims_other.size());
  TORCH_CHECK(self.scalar_type() == other.scalar_type(),
              "tensordot: both inputs should have same dtype, got ", dtypeName(self.scalar_type()),
              " and ", dtypeName(other.scalar_type()));
  uint64_t in_self = dim_bits(dims_self, self.dim(), "tensordot"),
           in_other = dim_bits(dims_other, other.dim(), "tensordot");
  Tensor a = self, b = other;
  int64_t k = 1;
  for (size_t i = 0; i < dims_self.size(); ++i) {
    int64_t d = maybe_wrap_dim(dims_self[i], self.dim()),
            e = maybe_wrap_dim(dims_other[i], other.dim());
    int64_t x = a.sizes()[d], y = b.sizes()[e];
    // A dimension of size 1 matches any size: the other operand can be summed over it at once.
    if (y == 1 && x != 1) a = at::sum(a, IntArrayRef(d), true, a.scalar_type());
    else if (x == 1 && y != 1) b = at::sum(b, IntArrayRef(e), true, b.scalar_type());
    else {
      TORCH_CHECK(x == y, "contracted dimensions need to match, but first has size ", x, " in dim ",
                  d, " and second has size ", y, " in dim ", e);
      k *= x;
    }
  }
  DimVector order_a, order_b, shape;
  int64_t rows = 1, columns = 1;
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (in_self >> d & 1) continue;
    order_a.push_back(d);
    shape.push_back(a.sizes()[d]);
    rows *= a.sizes()[d];
  }
  for (int64_t d : dims_self) order_a.push_back(maybe_wrap_dim(d, a.dim()));
  for (int64_t d : dims_other) order_b.push_back(maybe_wrap_dim(d, b.dim()));
  for (int64_t d = 0; d < b.dim(); ++d) {
    if (in_other >> d & 1) continue;
    order_b.push_back(d);
    shape.push_back(b.sizes()[d]);
    columns *= b.sizes()[d];
  }
  Tensor x = at::reshape(at::permute(a, order_a), {rows, k}),
         y = at::reshape(at::permute(b, order_b), {k, columns});
  return at::reshape(at::mm(x, y), shape);
}

// The cheapest order of multiplication, by the textbook dynamic program over sub-chains (Cormen et
// al., matrix-chain multiplication).
Tensor chain_matmul(TensorList matrices) {
  TORCH_CHECK(!matrices.empty(), "chain_matmul(): Expected one or more matrices");
  for (const Tensor& t : matrices)
    TORCH_CHECK(t.dim() == 2, "chain_matmul(): Expected 2-D matrices, got ", t.dim(), "-D");
  int64_t n = static_cast<int64_t>(matrices.size());
  if (n == 1) return matrices[0];
  std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
  std::vector<std::vector<int64_t>> cut(n, std::vector<int64_t>(n, 0));
  auto side = [&](int64_t i) {
    return static_cast<double>(i < n ? matrices[i].sizes()[0] : matrices[n - 1].sizes()[1]);
  };
  for (int64_t length = 1; length < n; ++length) {
    for (int64_t i = 0; i + length < n; ++i) {
      int64_t j = i + length;
      cost[i][j] = -1;
      for (int64_t c = i; c < j; ++c) {
        double total = cost[i][c] + cost[c + 1][j] + side(i) * side(c + 1) * side(j + 1);
        if (cost[i][j] < 0 || total < cost[i][j]) {
          cost[i][j] = total;
          cut[i][j] = c;
        }
      }
    }
  }
  struct Multiply {
    TensorList matrices;
    const std::vector<std::vector<int64_t>>& cut;
    Tensor operator()(int64_t i, int64_t j) const {
      return i == j ? matrices[i] : at::mm((*this)(i, cut[i][j]), (*this)(cut[i][j] + 1, j));
    }
  };
  return Multiply{matrices, cut}(0, n - 1);
}

Tensor kron(const Tensor& self, const Tensor& other) {
  int64_t rank = std::max(self.dim(), other.dim());
  DimVector a, b, shape;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t x = d < rank - self.dim() ? 1 : self.sizes()[d - (rank - self.dim())];
    int64_t y = d < rank - other.dim() ? 1 : other.sizes()[d - (rank - other.dim())];
    a.push_back(x);
    a.push_back(1);
    b.push_back(1);
    b.push_back(y);
    TORCH_CHECK(!__builtin_mul_overflow(x, y, &shape.emplace_back()), "kron: dimension ", d,
                " of the result is too large: ", x, " times ", y);
  }
  return at::reshape(at::mul(at::reshape(self, a), at::reshape(other, b)), shape);
}

// --- cross product -------------------------------------------------------------------------------

Tensor cross(const Tensor& self, const Tensor& other, std::optional<int64_t> dim) {
  if (dim) return at::linalg_cross(self, other, *dim);
  TORCH_WARN_ONCE(
      "Using torch.cross without specifying the dim arg is deprecated. Please either pass the dim "
      "explicitly or simply use torch.linalg.cross. The default value of dim will change to agree "
      "with that of linalg.cross in a future release.");
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (self.sizes()[d] == 3) return at::linalg_cross(self, other, d);
  }
  TORCH_CHECK(false, "cross: no dimension of size 3 in input");
  __builtin_unreachable();
}

Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim) {
  TORCH_CHECK(self.dim() == other.dim(),
              "linalg.cross: inputs must have the same number of dimensions, got ", self.dim(),
              " and ", other.dim());
  TORCH_CHECK_INDEX(self.dim() > 0, "linalg.cross: Dimension specified as ", dim,
                    " but tensor has no dimensions");
  int64_t d = maybe_wrap_dim(dim, self.dim(), "linalg.cross");
  TORCH_CHECK(self.dim() > 0 && self.sizes()[d] == 3 && other.sizes()[d] == 3,
              "linalg.cross: inputs dimension ", dim, " must have length 3. Got ",
              self.dim() ? self.sizes()[d] : 0, " and ", other.dim() ? other.sizes()[d] : 0);
  TORCH_CHECK(self.scalar_type() == other.scalar_type(),
              "linalg.cross: inputs must have the same dtype, got ", toString(self.scalar_type()),
              " and ", toString(other.scalar_type()));
  DimVector shape = infer_broadcast_sizes(self.sizes(), other.sizes(), "linalg.cross");
  Tensor out = empty_tensor(shape, self.scalar_type(), self.device());
  if (out.numel() == 0) return out;
  Tensor a = at::contiguous(at::expand(self, shape)), b = at::contiguous(at::expand(other, shape));
  cross_stub(out.device().type(), out, a, b, d);
  return out;
}

}  // namespace at::native
