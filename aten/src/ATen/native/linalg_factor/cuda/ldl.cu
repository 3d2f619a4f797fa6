// LDL factors on CUDA devices, with the pivoting of Bunch and Kaufman: a block for each matrix.
// Source: J. Bunch and L. Kaufman, "Some Stable Methods for Calculating Inertia and Solving
// Symmetric Linear Systems", Mathematics of Computation 31 (1977), algorithm A; results and pivots
// as LAPACK documents them for sytrf and hetrf of the lower triangle.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/linalg_factor/linalg_factor.h>
#include <ATen/ops/contiguous.h>
#include <ATen/native/common/cuda/MatrixElements.cuh>
#include <ATen/native/common/cuda/WarpMatrix.cuh>

namespace at::native {
namespace {

constexpr int kMaxThreads = 256;

// A block of two: the solution of a system with the 2 x 2 matrix of a, c and b below the diagonal.
template <typename T>
struct Pair {
  T first, second;
};
template <typename T>
__device__ Pair<T> solve_pair(T a, T b, T mirrored_b, T c, T x, T y) {
  // Divided by b, so that nothing overflows.
  const T e = a / mirrored_b, f = c / b, p = x / mirrored_b, q = y / b;
  const T scale = T(1) / (e * f - T(1));
  return {(f * p - q) * scale, (e * q - p) * scale};
}

template <typename T>
struct Lower {
  T* a;
  int64_t n, ld;
  bool hermitian;

  __device__ T& operator()(int64_t i, int64_t j) const { return a[i + j * ld]; }
  // What the other triangle has, of an element below the diagonal.
  __device__ T mirrored(T x) const { return hermitian ? conjugate_of(x) : x; }
  __device__ RealPart<T> size(T x) const { return std::fabs(real_of(x)) + std::fabs(imag_of(x)); }
  __device__ RealPart<T> diagonal_size(int64_t i) const {
    const T d = (*this)(i, i);
    return hermitian ? std::fabs(real_of(d)) : size(d);
  }
  __device__ T diagonal(int64_t i) const {
    return hermitian ? T(real_of((*this)(i, i))) : (*this)(i, i);
  }
  // LAPACK makes the diagonal of a Hermitian matrix real.
  __device__ void make_real(int64_t i) const {
    if constexpr (PartsOf<T>::is_complex)
      if (hermitian) (*this)(i, i) = T((*this)(i, i).real());
  }
};

template <typename R>
struct Largest {
  R size;
  int64_t at;
  __device__ void take(R other, int64_t i) {
    if (other > size || (other == size && i < at)) {
      size = other;
      at = i;
    }
  }
};

// The largest of what the threads of a block have.
template <typename R>
__device__ Largest<R> largest_of_block(Largest<R> own, Largest<R>* shared) {
  const int t = static_cast<int>(threadIdx.x);
  shared[t] = own;
  for (int half = static_cast<int>(blockDim.x) / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) shared[t].take(shared[t + half].size, shared[t + half].at);
  }
  __syncthreads();
  const Largest<R> result = shared[0];
  __syncthreads();
  return result;
}

// Where the largest element below the diagonal of column k is.
template <typename T>
__device__ Largest<RealPart<T>> largest_below(Lower<T> a, int64_t k, Largest<RealPart<T>>* shared) {
  Largest<RealPart<T>> own{RealPart<T>(-1), INT64_MAX};
  for (int64_t i = k + 1 + threadIdx.x; i < a.n; i += blockDim.x) own.take(a.size(a(i, k)), i);
  return largest_of_block(own, shared);
}

// The largest of row and column r of what is left from k on, without the diagonal.
template <typename T>
__device__ RealPart<T> largest_beside(Lower<T> a, int64_t k, int64_t r,
                                      Largest<RealPart<T>>* shared) {
  Largest<RealPart<T>> own{RealPart<T>(-1), INT64_MAX};
  for (int64_t j = k + threadIdx.x; j < r; j += blockDim.x) own.take(a.size(a(r, j)), j);
  for (int64_t i = r + 1 + threadIdx.x; i < a.n; i += blockDim.x) own.take(a.size(a(i, r)), i);
  return largest_of_block(own, shared).size;
}

// Interchanges rows and columns q and p > q of what is left.
template <typename T>
__device__ void interchange(Lower<T> a, int64_t k, int64_t q, int64_t p) {
  const auto swap = [](T& x, T& y) {
    const T old = x;
    x = y;
    y = old;
  };
  for (int64_t i = p + 1 + threadIdx.x; i < a.n; i += blockDim.x) swap(a(i, q), a(i, p));
  for (int64_t j = q + 1 + threadIdx.x; j < p; j += blockDim.x) {
    const T old = a.mirrored(a(j, q));
    a(j, q) = a.mirrored(a(p, j));
    a(p, j) = old;
  }
  if (threadIdx.x == 0) {
    a(p, q) = a.mirrored(a(p, q));
    swap(a(q, q), a(p, p));
    a.make_real(q);
    a.make_real(p);
    if (q > k) swap(a(q, k), a(p, k));  // of a block of two: the column before
  }
  __syncthreads();
}

template <typename T>
__device__ void eliminate_one(Lower<T> a, int64_t k) {
  const T inverse = T(1) / a(k, k);
  // The diagonal is the first thread's.
  for (int64_t j = k + 1; j < a.n; ++j) {
    const T factor = a.mirrored(a(j, k)) * inverse;
    for (int64_t i = j + threadIdx.x; i < a.n; i += blockDim.x) a(i, j) -= a(i, k) * factor;
    if (threadIdx.x == 0) a.make_real(j);
  }
  __syncthreads();
  for (int64_t i = k + 1 + threadIdx.x; i < a.n; i += blockDim.x) a(i, k) = a(i, k) * inverse;
}

template <typename T>
__device__ void eliminate_two(Lower<T> a, int64_t k) {
  const T first = a(k, k), below = a(k + 1, k), second = a(k + 1, k + 1);
  // The rows of W = C D^-1, where C are the two columns: W D = C is D^T W^T = C^T.
  const auto row_of_w = [&](int64_t j) {
    return solve_pair(first, a.mirrored(below), below, second, a(j, k), a(j, k + 1));
  };
  for (int64_t j = k + 2; j < a.n; ++j) {
    const Pair<T> w = row_of_w(j);
    const T x = a.mirrored(w.first), y = a.mirrored(w.second);
    for (int64_t i = j + threadIdx.x; i < a.n; i += blockDim.x)
      a(i, j) -= a(i, k) * x + a(i, k + 1) * y;
    if (threadIdx.x == 0) a.make_real(j);
  }
  __syncthreads();
  for (int64_t j = k + 2 + threadIdx.x; j < a.n; j += blockDim.x) {
    const Pair<T> w = row_of_w(j);
    a(j, k) = w.first;
    a(j, k + 1) = w.second;
  }
}

template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    ldl_factor_kernel(T* all, int64_t n, int64_t step, bool hermitian, int* all_pivots,
                      int* infos) {
  using R = RealPart<T>;
  __shared__ Largest<R> shared[kMaxThreads];
  const int64_t b = blockIdx.x;
  const Lower<T> a{all + b * step, n, n, hermitian};
  int* pivots = all_pivots + b * n;
  const R alpha = R(0.6403882032022076);  // (1 + sqrt(17)) / 8
  int info = 0;
  for (int64_t k = 0; k < n;) {
    const R own = a.diagonal_size(k);
    const Largest<R> column = largest_below(a, k, shared);
    const R colmax = column.size > 0 ? column.size : R(0);
    int64_t p = k, steps = 1;
    const bool is_zero = !(own > 0 || colmax > 0) || own != own;
    if (!is_zero && own < alpha * colmax) {
      const R rowmax = largest_beside(a, k, column.at, shared);
      if (own < alpha * colmax * (colmax / rowmax)) {
        p = column.at;
        if (a.diagonal_size(p) < alpha * rowmax) steps = 2;
      }
    }
    __syncthreads();  // everybody has seen the matrix
    const int64_t q = k + steps - 1;
    if (threadIdx.x == 0) {
      const int pivot = static_cast<int>(p + 1);
      pivots[k] = steps == 1 ? pivot : -pivot;
      if (steps == 2) pivots[k + 1] = -pivot;
      for (int64_t i = k; i <= q; ++i) a.make_real(i);
    }
    if (is_zero) {
      if (info == 0) info = static_cast<int>(k + 1);
    } else {
      __syncthreads();
      if (p != q) interchange(a, k, q, p);
      if (steps == 1) eliminate_one(a, k);
      else eliminate_two(a, k);
    }
    __syncthreads();
    k += steps;
  }
  if (threadIdx.x == 0) infos[b] = info;
}

// A thread has one right side.
template <typename T>
struct SolveLdl {
  const T* all;
  int64_t n, ld, step;
  bool hermitian;
  const int* all_pivots;
  T* x;
  IndexDivision columns;

  // Pivots from outside may be anything, and say where to write.
  __device__ int64_t checked(const int* pivots, int64_t k) const {
    const int64_t p = pivots[k] < 0 ? -int64_t{pivots[k]} : pivots[k];
    C10_DEVICE_ASSERT(p >= 1 && p <= n &&
                      (pivots[k] > 0 || (k + 1 < n && pivots[k + 1] == pivots[k])) &&
                      "linalg.ldl_solve: the pivots are not those of an LDL factorization");
    return p - 1;
  }
  __device__ static void swap(T& x, T& y) {
    const T old = x;
    x = y;
    y = old;
  }

  __device__ void operator()(int64_t i) const {
    const int64_t b = columns.divide(i).quotient;
    const Lower<T> a{const_cast<T*>(all) + b * step, n, ld, hermitian};
    const int* pivots = all_pivots + b * n;
    T* v = x + i * n;
    int64_t k = 0;
    while (k < n) {
      const int64_t p = checked(pivots, k);
      if (pivots[k] > 0) {
        swap(v[k], v[p]);
        for (int64_t r = k + 1; r < n; ++r) v[r] -= a(r, k) * v[k];
        v[k] = v[k] / a.diagonal(k);
        ++k;
        continue;
      }
      swap(v[k + 1], v[p]);
      for (int64_t r = k + 2; r < n; ++r) v[r] -= a(r, k) * v[k] + a(r, k + 1) * v[k + 1];
      const T below = a(k + 1, k);
      const Pair<T> y =
          solve_pair(a(k, k), below, a.mirrored(below), a(k + 1, k + 1), v[k], v[k + 1]);
      v[k] = y.first;
      v[k + 1] = y.second;
      k += 2;
    }
    for (k = n - 1; k >= 0;) {
      const int64_t first = pivots[k] > 0 ? k : k - 1;
      for (int64_t c = first; c <= k; ++c)
        for (int64_t r = k + 1; r < n; ++r) v[c] -= a.mirrored(a(r, c)) * v[r];
      swap(v[k], v[checked(pivots, first)]);
      k = first - 1;
    }
  }
};

}  // namespace

static void ldl_factor_cuda(const Tensor& LD, const Tensor& pivots, const Tensor& info,
                            bool hermitian) {
  if (LD.numel() == 0) return set_zero(info);
  const ColumnMatrices a(LD);
  int threads = 32;
  while (threads < a.rows && threads < kMaxThreads) threads *= 2;
  c10::OptionalDeviceGuard guard(LD.device());
  dispatch_lapack_types(a.type, "ldl_factor", [&]<typename T>(TypeTag<T>) {
    c10::cuda::launch(ldl_factor_kernel<T>,
                      {static_cast<unsigned>(vendor_int(a.count)), static_cast<unsigned>(threads)},
                      c10::cuda::getCurrentCUDAStream(), reinterpret_cast<T*>(a.data), a.rows,
                      a.step, hermitian, static_cast<int*>(pivots.data_ptr()),
                      static_cast<int*>(info.data_ptr()));
  });
}

static void ldl_solve_cuda(const Tensor& LD, const Tensor& pivots, const Tensor& X,
                           bool hermitian) {
  if (X.numel() == 0) return;
  const ColumnMatrices factors(as_column_matrices(LD)), x(X);
  const Tensor dense = at::contiguous(pivots);
  const int64_t columns = x.columns * x.count;
  dispatch_lapack_types(x.type, "ldl_solve", [&]<typename T>(TypeTag<T>) {
    gpu_for_each(X, columns,
                 SolveLdl<T>{reinterpret_cast<const T*>(factors.data), factors.rows, factors.ld,
                             factors.step, hermitian, static_cast<const int*>(dense.data_ptr()),
                             reinterpret_cast<T*>(x.data), IndexDivision(x.columns, columns)});
  });
}

REGISTER_CUDA_DISPATCH(ldl_factor_stub, &ldl_factor_cuda)
REGISTER_CUDA_DISPATCH(ldl_solve_stub, &ldl_solve_cuda)

}  // namespace at::native
