// kthvalue, median and nanmedian: the key of a rank, and then its index.

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/sort/cpu/elements.h>
#include <ATen/native/sort/cpu/few_values.h>
#include <ATen/native/sort/cpu/lines.h>
#include <ATen/native/sort/cpu/select_key.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// Whether several elements of a line equal this one.
template <typename T>
bool has_equals(const T* x, int64_t n, int64_t stride, T value) {
  int64_t count = 0;
  for (int64_t i = 0; i < n && count < 2; i += 4096) {
    const int64_t end = std::min(n, i + 4096);
    int32_t here = 0;  // as wide as the elements that are compared
    if (value != value) {
      for (int64_t j = i; j < end; ++j) here += x[j * stride] != x[j * stride];
    } else {
      for (int64_t j = i; j < end; ++j) here += x[j * stride] == value;
    }
    count += here;
  }
  return count > 1;
}

// kthvalue, median and nanmedian. The order of key(x) - base is that of x.
template <typename E, typename T>
void select_typed(const OrderRequest& r, const T* in, T* values, int64_t* index_data, Dense3 s,
                  uint64_t base) {
  bool many_equal = false;
  if constexpr (std::is_integral_v<T>)
    many_equal = r.kind == OrderKind::kth && values_of(in, s.outer * s.n * s.inner).size < s.n;
  using K = std::conditional_t<E::kBytes == 4, uint32_t, uint64_t>;
  constexpr K kNan = static_cast<K>(~K(0));
  const int64_t n = s.n, inner = s.inner;
  auto work = [&](int64_t begin, int64_t end) {
    const Scratch<K> kept(n);
    const Scratch<E> elements(r.kind == OrderKind::kth ? n : 0);
    bool equals = many_equal;  // or the last line had equal elements: then this one is likely to
    for (int64_t u = begin; u < end; ++u) {
      const T* x = in + u / inner * n * inner + u % inner;
      const auto key_at = [=](int64_t i) { return static_cast<K>(key_of(x[i * inner]) - base); };
      const auto index = [&]() -> int64_t {
        if (r.kind == OrderKind::kth) {
          if (!equals) {
            const auto found = select_key(key_at, n, r.k - 1, kept.get());
            if (found.equal == 1) return index_of_key(key_at, n, found.key, 0);
          }
          for (int64_t i = 0; i < n; ++i) elements[i] = E::make(key_at(i), i);
          const int64_t chosen = ranked_among_equals(elements.get(), n, r.k - 1).index();
          equals = u + 1 == end || has_equals(x, n, inner, x[chosen * inner]);
          return chosen;
        }
        int64_t numbers = n;
        if constexpr (!std::is_integral_v<T>) {
          int64_t nans = 0;
          for (int64_t i = 0; i < n; ++i) nans += key_at(i) == kNan;
          numbers -= nans;
          // The median of elements with a NaN is NaN; nanmedian's too if all are NaN.
          if (nans > 0 && (r.kind == OrderKind::median || numbers == 0))
            return index_of_key(key_at, n, kNan, 0);
        }
        const int64_t rank = (numbers - 1) / 2;
        const auto found = select_key(key_at, n, rank, kept.get());
        return index_of_key(key_at, n, found.key, rank - found.before);
      }();
      index_data[u] = index;
      values[u] = x[index * inner];
    }
  };
  parallel_for(0, s.outer * inner, std::max<int64_t>(1, kGrainSize / 16 / n), work);
}

}  // namespace

void select_lines(const OrderRequest& request, const Tensor& in, const Tensor& values,
                  const Tensor& indices, int64_t dim) {
  const Dense3 shape = dense_shape(in, dim);
  auto* index_data = static_cast<int64_t*>(indices.data_ptr());
  dispatch_types<OrderedTypes>(in.scalar_type(), name_of(request.kind),
                               [&]<typename T>(TypeTag<T>) {
    const T* x = static_cast<const T*>(in.data_ptr());
    T* v = static_cast<T*>(values.data_ptr());
    uint64_t base = 0;
    if constexpr (sizeof(T) == 8) {
      if (!fit_in_32_bits(x, shape.outer * shape.n * shape.inner, base))
        return select_typed<Wide>(request, x, v, index_data, shape, 0);
    }
    select_typed<Narrow>(request, x, v, index_data, shape, base);
  });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
