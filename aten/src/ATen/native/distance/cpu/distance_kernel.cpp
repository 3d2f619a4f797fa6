// Distances between rows, and their derivatives.

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TransposeStub.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/RowMath.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/distance/cpu/vector_norms.h>
#include <ATen/native/distance/distance.h>

namespace at::native {
namespace {

using namespace distances;

template <typename T, typename F>
void with_norm(double p, const F& f) {
  if (p == 0) f(Zero<T>{});
  else if (p == 1) f(One<T>{});
  else if (p == 2) f(Two<T>{});
  else if (std::isinf(p)) f(Max<T>{});
  else f(General<T>{static_cast<T>(p)});
}

template <typename T, typename N>
T summed_distance(const N& norm, const T* x, const T* y, int64_t k) {
  T sum = 0;
  int64_t i = 0;
  // The compiler's own vectors: it does not vectorize the sum of floating-point numbers.
  // They are as wide as registers: GCC keeps wider ones in memory.
  typedef T Vector __attribute__((vector_size(kVecBytes)));
  constexpr int kLanes = kVecBytes / sizeof(T);
  const auto load = [](const T* from) {
    Vector v;
    std::memcpy(&v, from, sizeof(v));
    return v;
  };
  if (k >= kLanes) {
    Vector sums{}, others{};
    for (; i + 2 * kLanes <= k; i += 2 * kLanes) {
      sums = norm.add(sums, load(x + i) - load(y + i));
      others = norm.add(others, load(x + i + kLanes) - load(y + i + kLanes));
    }
    if (i + kLanes <= k) {
      sums = norm.add(sums, load(x + i) - load(y + i));
      i += kLanes;
    }
    for (int l = 0; l < kLanes; ++l) sum += sums[l] + others[l];
  }
  for (; i < k; ++i) sum = norm.add(sum, x[i] - y[i]);
  return norm.root(sum);
}

// Without its sign, the bits of a larger number are a larger integer, and those of NaN the largest.
template <typename T>
T max_distance(const T* x, const T* y, int64_t k) {
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  Bits largest = 0;
  for (int64_t i = 0; i < k; ++i) {
    const T d = x[i] - y[i];
    Bits bits;
    std::memcpy(&bits, &d, sizeof(d));
    largest = std::max<Bits>(largest, bits & std::numeric_limits<Bits>::max());
  }
  T result;
  std::memcpy(&result, &largest, sizeof(result));
  return result;
}

// Numbers beyond the end of the rows have a difference of 0, whose powers are 0.
template <typename T>
T power_distance(const General<T>& norm, const T* x, const T* y, int64_t k) {
  return norm.root(sum_vectors<T>(k, [&](int64_t i, int64_t n) {
    return pow(abs(load_part(x + i, n) - load_part(y + i, n)), Vec<T>(norm.p));
  }));
}

template <typename T, typename N>
T distance(const N& norm, const T* x, const T* y, int64_t k) {
  if constexpr (std::is_same_v<N, Max<T>>) return max_distance(x, y, k);
  else if constexpr (!N::kVectors) return power_distance(norm, x, y, k);
  else return summed_distance(norm, x, y, k);
}

int64_t grain(int64_t work) {
  return std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, work));
}

// Short rows, and norms that need a power of each difference: a vector has the same column of
// several rows, from transposed matrices.
template <typename N>
bool takes_columns(const N&, int64_t n, int64_t k) {
  return n >= 16 && (!N::kVectors || k <= 128);
}

// batch matrices (n, k), transposed.
template <typename T>
Scratch<T> columns_of(const T* rows, int64_t batch, int64_t n, int64_t k) {
  Scratch<T> columns(batch * n * k);
  const int64_t item = sizeof(T);
  for (int64_t b = 0; b < batch; ++b) {
    transpose_copy_stub(kCPU, reinterpret_cast<char*>(columns.get() + b * n * k), n * item,
                        reinterpret_cast<const char*>(rows + b * n * k), k * item, n, k, item);
  }
  return columns;
}

// out[j] is the distance between x and column j of `columns` (k, stride).
template <typename T, typename N>
void column_distances(const VectorNorm<N>& norm, const T* x, const T* columns, int64_t stride,
                      int64_t n, int64_t k, T* out) {
  for_vectors<T>(n, [&](int64_t j, int64_t count) {
    Vec<T> sum(T(0));
    for (int64_t l = 0; l < k; ++l)
      sum = norm.add(sum, Vec<T>(x[l]) - load_part(columns + l * stride + j, count));
    const Vec<T> result = norm.root(sum);
    store_part(result, out + j, count);
  });
}

// With fewer rows, vectors have columns of one row.
constexpr int64_t kFewRows = 48;

// Adds scale times the slopes of one pair's differences to `to`, and takes them from `other`, if
// there is one.
template <typename T, typename N>
void row_slopes(const VectorNorm<N>& norm, T scale, T size, const T* x, const T* y, int64_t n,
                T* to, T* other) {
  const Vec<T> s(scale), norms(size);
  const Vec<T> quotient(size == 0 ? T(0) : scale / size);
  for_vectors<T>(n, [&](int64_t l, int64_t count) {
    const Vec<T> difference = load_part(x + l, count) - load_part(y + l, count);
    Vec<T> term;
    if constexpr (std::is_same_v<N, Two<T>>) term = difference * quotient;
    else term = s * norm.slope(difference, norms);
    const auto add = [&](T* sums, Vec<T> v) {
      store_part(load_part<T>(sums + l, count) + v, sums + l, count);
    };
    add(to, term);
    if (other) add(other, -term);
  });
}

void cdist_kernel(const Tensor& x, const Tensor& y, double p, const Tensor& result) {
  dispatch_types<FloatingTypes>(x.scalar_type(), "cdist", [&]<typename T>(TypeTag<T>) {
    const int64_t batch = x.sizes()[0], m = x.sizes()[1], n = y.sizes()[1], k = x.sizes()[2];
    const T *from = static_cast<const T*>(x.data_ptr()),
            *other = static_cast<const T*>(y.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    with_norm<T>(p, [&]<typename N>(const N& norm) {
      const bool by_columns = takes_columns(norm, n, k);
      const Scratch<T> columns = columns_of(other, by_columns ? batch : 0, n, k);
      parallel_for(0, batch * m, grain(n * k), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const int64_t first = r / m * n * k;
          if (by_columns) {
            column_distances(VectorNorm<N>(norm), from + r * k, columns.get() + first, n, n, k,
                             to + r * n);
            continue;
          }
          for (int64_t j = 0; j < n; ++j)
            to[r * n + j] = distance<T>(norm, from + r * k, other + first + j * k, k);
        }
      });
    });
  });
}

void cdist_backward_kernel(const Tensor& grad, const Tensor& x, const Tensor& y, double p,
                           const Tensor& distances, const Tensor& result) {
  dispatch_types<FloatingTypes>(x.scalar_type(), "cdist_backward", [&]<typename T>(TypeTag<T>) {
    const int64_t batch = x.sizes()[0], m = x.sizes()[1], n = y.sizes()[1], k = x.sizes()[2];
    const T *from = static_cast<const T*>(x.data_ptr()),
            *other = static_cast<const T*>(y.data_ptr());
    const T *g = static_cast<const T*>(grad.data_ptr()),
            *d = static_cast<const T*>(distances.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    with_norm<T>(p, [&]<typename N>(const N& norm) {
      const bool by_rows = n < kFewRows;
      const Scratch<T> columns = columns_of(other, by_rows ? 0 : batch, n, k);
      const VectorNorm<N> slopes(norm);
      parallel_for(0, batch * m, grain(n * k), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const T *g_r = g + r * n, *d_r = d + r * n;
          if (by_rows) {
            std::fill_n(to + r * k, k, T(0));
            for (int64_t j = 0; j < n; ++j) {
              row_slopes<T>(slopes, g_r[j], d_r[j], from + r * k, other + (r / m * n + j) * k, k,
                            to + r * k, nullptr);
            }
            continue;
          }
          const T* y_r = columns.get() + r / m * n * k;
          for (int64_t l = 0; l < k; ++l) {
            const Vec<T> x_l(from[r * k + l]);
            to[r * k + l] = sum_vectors<T>(n, [&](int64_t j, int64_t count) {
              const Vec<T> difference = x_l - load_part(y_r + l * n + j, count);
              return load_part(g_r + j, count) *
                     slopes.slope(difference, load_part(d_r + j, count));
            });
          }
        }
      });
    });
  });
}

void pdist_kernel(const Tensor& x, double p, const Tensor& result) {
  dispatch_types<FloatingTypes>(x.scalar_type(), "pdist", [&]<typename T>(TypeTag<T>) {
    const int64_t n = x.sizes()[0], k = x.sizes()[1];
    const T* from = static_cast<const T*>(x.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    with_norm<T>(p, [&]<typename N>(const N& norm) {
      const bool by_columns = takes_columns(norm, n, k);
      const Scratch<T> columns = columns_of(from, by_columns ? 1 : 0, n, k);
      parallel_for(0, n, grain(n * k / 2), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          T* out = to + pairs_before(i, n);
          if (by_columns) {
            column_distances(VectorNorm<N>(norm), from + i * k, columns.get() + i + 1, n, n - i - 1,
                             k, out);
            continue;
          }
          for (int64_t j = i + 1; j < n; ++j)
            *out++ = distance<T>(norm, from + i * k, from + j * k, k);
        }
      });
    });
  });
}

void pdist_backward_kernel(const Tensor& grad, const Tensor& x, double p, const Tensor& distances,
                           const Tensor& result) {
  dispatch_types<FloatingTypes>(x.scalar_type(), "pdist_backward", [&]<typename T>(TypeTag<T>) {
    const int64_t n = x.sizes()[0], k = x.sizes()[1];
    const T* from = static_cast<const T*>(x.data_ptr());
    const T *g = static_cast<const T*>(grad.data_ptr()),
            *d = static_cast<const T*>(distances.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    if (n < kFewRows) {
      // Rows are longer than columns: a thread has some columns of all rows.
      with_norm<T>(p, [&]<typename N>(const N& norm) {
        const VectorNorm<N> slopes(norm);
        parallel_for(0, k, grain(n * n / 2), [&](int64_t begin, int64_t end) {
          for (int64_t i = 0; i < n; ++i) std::fill_n(to + i * k + begin, end - begin, T(0));
          for (int64_t i = 0; i + 1 < n; ++i) {
            for (int64_t j = i + 1; j < n; ++j) {
              const int64_t pair = pairs_before(i, n) + j - i - 1;
              row_slopes(slopes, g[pair], d[pair], from + i * k + begin, from + j * k + begin,
                         end - begin, to + i * k + begin, to + j * k + begin);
            }
          }
        });
      });
      return;
    }
    // A column at a time: its neighbours are other rows, each pair is seen once, and threads have
    // columns of their own.
    with_norm<T>(p, [&]<typename N>(const N& norm) {
      const Scratch<T> columns = columns_of(from, 1, n, k);
      const VectorNorm<N> slopes(norm);
      // The division of the Euclidean slope is the same for all columns.
      constexpr bool kEuclidean = std::is_same_v<N, Two<T>>;
      const int64_t pairs = n * (n - 1) / 2;
      const Scratch<T> quotients(kEuclidean ? pairs : 0);
      if constexpr (kEuclidean) {
        for (int64_t q = 0; q < pairs; ++q) quotients[q] = d[q] == 0 ? T(0) : g[q] / d[q];
      }
      parallel_for(0, k, grain(n * n / 2), [&](int64_t begin, int64_t end) {
        std::vector<T> sums(n);
        for (int64_t l = begin; l < end; ++l) {
          const T* column = columns.get() + l * n;
          std::fill(sums.begin(), sums.end(), T(0));
          for (int64_t i = 0; i + 1 < n; ++i) {
            const int64_t pair = pairs_before(i, n);
            const Vec<T> x_i(column[i]);
            T* sum = sums.data() + i + 1;
            sums[i] += sum_vectors<T>(n - 1 - i, [&](int64_t j, int64_t count) {
              const Vec<T> difference = x_i - load_part(column + i + 1 + j, count);
              Vec<T> term;
              if constexpr (kEuclidean) {
                term = difference * load_part(quotients.get() + pair + j, count);
              } else {
                term = load_part(g + pair + j, count) *
                       slopes.slope(difference, load_part(d + pair + j, count));
              }
              store_part(load_part<T>(sum + j, count) - term, sum + j, count);
              return term;
            });
          }
          for (int64_t i = 0; i < n; ++i) to[i * k + l] = sums[i];
        }
      });
    });
  });
}

}  // namespace

REGISTER_DISPATCH(cdist_stub, &cdist_kernel)
REGISTER_DISPATCH(cdist_backward_stub, &cdist_backward_kernel)
REGISTER_DISPATCH(pdist_stub, &pdist_kernel)
REGISTER_DISPATCH(pdist_backward_stub, &pdist_backward_kernel)

}  // namespace at::native
