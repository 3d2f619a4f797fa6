// Powers and exponentials of matrices.

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/BatchedMatrices.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/item.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/linalg_matrix_exp.h>
#include <ATen/ops/linalg_matrix_exp_native.h>
#include <ATen/ops/linalg_matrix_power.h>
#include <ATen/ops/linalg_matrix_power_native.h>
#include <ATen/ops/linalg_solve_ex.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mH.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/matrix_exp_backward_native.h>
#include <ATen/ops/matrix_exp_native.h>
#include <ATen/ops/matrix_power_native.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

namespace at::native {

// Squares of the matrix are multiplied as the bits of n tell.
Tensor linalg_matrix_power(const Tensor& self, int64_t n) {
  check_square(self, "linalg.matrix_power");
  if (n == 0) {
    Tensor one = at::eye(rows_of(self), self.options());
    return at::clone(at::expand(one, self.sizes()), MemoryFormat::Contiguous);
  }
  Tensor square = n > 0 ? self : at::linalg_inv(self), result;
  uint64_t rest = n > 0 ? uint64_t(n) : -uint64_t(n);
  if (rest == 1) return at::clone(square);
  for (; rest; rest >>= 1) {
    if (rest & 1) result = result.defined() ? at::matmul(result, square) : square;
    if (rest > 1) square = at::matmul(square, square);
  }
  // A power of two is the last square itself.
  return result;
}

Tensor matrix_power(const Tensor& self, int64_t n) { return at::linalg_matrix_power(self, n); }

namespace {

// Higham, The scaling and squaring method for the matrix exponential revisited (2005), table 2.3:
// up to this 1-norm an approximant of the degree is exact to double precision.
struct Approximant {
  int degree;
  double limit;
};
constexpr Approximant kApproximants[] = {{3, 1.495585217958292e-2},
                                         {5, 2.539398330063230e-1},
                                         {7, 9.504178996162932e-1},
                                         {9, 2.097847961257068e0},
                                         {13, 5.371920351148152e0}};

// exp(A) = Q^-1 P for the Pade approximant of a degree; with V of the even and U of the odd terms,
// P = V + U and Q = V - U.
Tensor approximate(const Tensor& A, int degree) {
  // Coefficients, up to a common factor: those of A^k are to each other as
  // (2m - k)! / (k! (m - k)!).
  double c[14];
  c[degree] = 1;
  for (int k = degree; k > 0; --k) c[k - 1] = c[k] * k * (2 * degree - k + 1) / (degree - k + 1);
  for (int k = degree; k >= 0; --k) c[k] /= c[0];
  Tensor one = at::eye(rows_of(A), A.options());
  Tensor A2 = at::matmul(A, A), even, odd;
  if (degree == 13) {
    Tensor A4 = at::matmul(A2, A2), A6 = at::matmul(A4, A2);
    odd = at::matmul(A6, A6 * c[13] + A4 * c[11] + A2 * c[9]) + A6 * c[7] + A4 * c[5] + A2 * c[3] +
          one * c[1];
    even = at::matmul(A6, A6 * c[12] + A4 * c[10] + A2 * c[8]) + A6 * c[6] + A4 * c[4] + A2 * c[2] +
           one * c[0];
  } else {
    Tensor power = A2;
    odd = one * c[1] + A2 * c[3];
    even = one * c[0] + A2 * c[2];
    for (int k = 4; k < degree; k += 2) {
      power = at::matmul(power, A2);
      odd = odd + power * c[k + 1];
      even = even + power * c[k];
    }
  }
  odd = at::matmul(A, odd);
  return std::get<0>(at::linalg_solve_ex(even - odd, even + odd));
}

Tensor exponential(const Tensor& A) {
  Tensor norms = at::amax(at::linalg_vector_norm(A, 1, IntArrayRef{-2}), {-1});
  const double largest = has_values(norms) ? at::item(at::amax(norms)).toDouble() : 0;
  for (const Approximant& p : kApproximants) {
    if (largest <= p.limit) return approximate(A, p.degree);
  }
  const double limit = kApproximants[4].limit;
  if (!std::isfinite(largest)) return approximate(A, 13);  // NaN
  // exp(A) = exp(A / 2^s)^(2^s), with an s for each matrix.
  const int steps = std::max(0, static_cast<int>(std::ceil(std::log2(largest / limit))));
  Tensor scaled = A, rest = norms;
  std::vector<Tensor> halved;
  for (int s = 0; s < steps; ++s) {
    Tensor large = at::unsqueeze(at::unsqueeze(at::gt(rest, limit), -1), -1);
    scaled = at::where(large, scaled * 0.5, scaled);
    rest = at::where(at::gt(rest, limit), rest * 0.5, rest);
    halved.push_back(large);
  }
  Tensor result = approximate(scaled, 13);
  for (int s = steps - 1; s >= 0; --s)
    result = at::where(halved[s], at::matmul(result, result), result);
  return result;
}

}  // namespace

Tensor linalg_matrix_exp(const Tensor& self) {
  check_square(self, "linalg.matrix_exp");
  check_lapack_type(self, "linalg.matrix_exp", true);
  if (self.numel() == 0) return at::clone(self, MemoryFormat::Contiguous);
  const ScalarType type = self.scalar_type();
  const bool reduced = elementSize(toRealValueType(type)) < 4;
  Tensor A = reduced
                 ? at::_to_copy(self, TensorOptions(isComplexType(type) ? kComplexFloat : kFloat))
                 : self;
  Tensor result = exponential(A);
  return at::contiguous(reduced ? at::_to_copy(result, TensorOptions(type)) : result);
}

Tensor matrix_exp(const Tensor& self) { return at::linalg_matrix_exp(self); }

// exp of [[A, E], [0, A]] has the derivative of exp at A in direction E as its upper right block;
// the gradient is the derivative at A^H in direction of the incoming one.
Tensor matrix_exp_backward(const Tensor& self, const Tensor& grad) {
  const int64_t n = rows_of(self);
  Tensor Ah = at::mH(self);
  Tensor above = at::cat({Ah, grad}, -1), below = at::cat({at::zeros_like(Ah), Ah}, -1);
  Tensor blocks = at::linalg_matrix_exp(at::cat({above, below}, -2));
  return at::slice(at::slice(blocks, -2, 0, n), -1, n, 2 * n);
}

}  // namespace at::native
