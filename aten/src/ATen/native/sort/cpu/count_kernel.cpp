// Orders integers of few values by counting them.

#include <algorithm>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/Pieces.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/sort/cpu/few_values.h>
#include <ATen/native/sort/cpu/in_order.h>
#include <ATen/native/sort/cpu/lines.h>
#include <ATen/native/sort/cpu/select_key.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <typename T>
void count_typed(const OrderRequest& r, const T* in, T* values, int64_t* index_data, Dense3 s,
                 const FewValues<T>& few) {
  const bool sorts = r.kind == OrderKind::sort;
  if (sorts && are_in_order(in, s, r.descending)) return copy_in_order(in, values, index_data, s);
  const int64_t lines = s.outer * s.inner, n = s.n, inner = s.inner, m = sorts ? n : 1;
  const bool alone = lines < get_num_threads();
  const Pieces pieces = alone ? Pieces::for_threads(n) : Pieces{n};
  auto work = [&](int64_t begin, int64_t end) {
    std::vector<uint32_t> counts(static_cast<size_t>(few.size));
    for (int64_t u = begin; u < end; ++u) {
      const T* x = in + u / inner * n * inner + u % inner;
      const int64_t to = u / inner * m * inner + u % inner;
      if (sorts) {
        few.sort(x, inner, r.descending, pieces, values + to, index_data + to);
        continue;
      }
      few.count(x, n, inner, counts.data());
      int64_t number = 0, which = (n - 1) / 2;  // of the elements with that value
      if (r.kind == OrderKind::mode) {
        number = std::max_element(counts.begin(), counts.end()) - counts.begin();
        which = static_cast<int64_t>(counts[number]) - 1;
      } else {
        while (which >= counts[number]) which -= counts[number++];
      }
      const auto number_at = [&](int64_t i) { return few.number_at(x, i * inner); };
      index_data[to] = index_of_key(number_at, n, static_cast<uint32_t>(number), which);
      values[to] = few.value(number);
    }
  };
  if (alone) work(0, lines);
  else parallel_for(0, lines, std::max<int64_t>(1, kGrainSize / 16 / n), work);
}

}  // namespace

bool count_lines(const OrderRequest& request, const Tensor& in, const Tensor& values,
                 const Tensor& indices, int64_t dim) {
  const ScalarType dtype = in.scalar_type();
  const Dense3 shape = dense_shape(in, dim);
  if (!isIntegralType(dtype, true) || request.kind == OrderKind::topk ||
      request.kind == OrderKind::kth || shape.n < 64 || shape.n > UINT32_MAX)
    return false;
  bool counted = false;
  dispatch_types<IntegralTypes, UnsignedTypes, bool>(dtype, "sort", [&]<typename T>(TypeTag<T>) {
    const T* x = static_cast<const T*>(in.data_ptr());
    const auto few = values_of(x, shape.outer * shape.n * shape.inner);
    counted = few.pays(shape.n);
    if (counted)
      count_typed(request, x, static_cast<T*>(values.data_ptr()),
                  static_cast<int64_t*>(indices.data_ptr()), shape, few);
  });
  return counted;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
