// unique of integers that take few values, such as bytes and labels: they are counted, not sorted.

#include <vector>

#include <ATen/native/common/Pieces.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/sort/cpu/few_values.h>
#include <ATen/native/unique/unique.h>

namespace at::native {
namespace {

template <typename T>
UniqueResult by_counting(const Tensor& self, const FewValues<T>& few, bool return_inverse,
                         bool return_counts) {
  const T* x = static_cast<const T*>(self.data_ptr());
  const Pieces pieces = Pieces::for_threads(self.numel());
  std::vector<uint32_t> counts = few.counts_of(pieces, x, 1);
  for (int64_t p = 1; p < pieces.count; ++p)
    for (int64_t v = 0; v < few.size; ++v) counts[v] += counts[p * few.size + v];

  // Of each value that there is, its place among these.
  std::vector<int64_t> places(static_cast<size_t>(few.size));
  int64_t total = 0;
  for (int64_t v = 0; v < few.size; ++v) {
    places[v] = total;
    total += counts[v] != 0;
  }
  Tensor values = empty_tensor({total}, self.scalar_type()),
         inverse = empty_tensor(return_inverse ? self.sizes() : IntArrayRef({0}), kLong),
         lengths = empty_tensor({return_counts ? total : 0}, kLong);
  for (int64_t v = 0; v < few.size; ++v) {
    if (counts[v] == 0) continue;
    static_cast<T*>(values.data_ptr())[places[v]] = few.value(v);
    if (return_counts) static_cast<int64_t*>(lengths.data_ptr())[places[v]] = counts[v];
  }
  if (return_inverse) {
    auto* to = static_cast<int64_t*>(inverse.data_ptr());
    pieces.for_each([&](int64_t, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = places[few.number_at(x, i)];
    });
  }
  return {values, inverse, lengths};
}

}  // namespace

static std::optional<UniqueResult> unique_few_kernel(const Tensor& self, bool return_inverse,
                                                     bool return_counts) {
  if (!isIntegralType(self.scalar_type(), true) || self.numel() > UINT32_MAX) return std::nullopt;
  std::optional<UniqueResult> result;
  dispatch_types<IntegralTypes, UnsignedTypes, bool>(self.scalar_type(), "unique",
                                                     [&]<typename T>(TypeTag<T>) {
    const int64_t n = self.numel();
    if (n == 0) return;
    const auto few = values_of(static_cast<const T*>(self.data_ptr()), n);
    if (few.pays(n)) result = by_counting(self, few, return_inverse, return_counts);
  });
  return result;
}

REGISTER_DISPATCH(unique_few_stub, &unique_few_kernel)

}  // namespace at::native
