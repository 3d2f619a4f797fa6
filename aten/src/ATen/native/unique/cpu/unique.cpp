// unique and related operators, on order keys: Note [Order keys] in ATen/native/sort/sort.h.

#include <algorithm>
#include <numeric>
#include <vector>

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/sort/sort.h>
#include <ATen/native/unique/unique.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/slice.h>

namespace at::native {
namespace {

int64_t* longs(const Tensor& t) { return static_cast<int64_t*>(t.data_ptr()); }

uint64_t nan_key(ScalarType t) {
  if (!isFloatingType(t)) return 0;
  return t == kDouble ? ~uint64_t(0) : 0xffffffffull;
}

}  // namespace

// The places where runs of equal values begin; NaN equals nothing. number[places[i]] becomes the
// run of value i.
template <typename T>
static int64_t find_runs(const T* values, int64_t n, int64_t* first, const int64_t* places,
                         int64_t* number) {
  int64_t count = 0;
  const auto walk = [&](const auto& note) {
    for (int64_t i = 0; i < n; ++i) {
      // No branch: where runs end cannot be predicted.
      first[count] = i;
      count += i == 0 || values[i] != values[i - 1];
      note(i);
    }
  };
  if (!number) walk([](int64_t) {});
  else if (places) walk([&](int64_t i) { number[places[i]] = count - 1; });
  else walk([&](int64_t i) { number[i] = count - 1; });
  return count;
}

static UniqueResult unique_runs_kernel(const Tensor& self, const Tensor& values,
                                       const Tensor& order, bool return_inverse,
                                       bool return_counts) {
  const int64_t n = values.numel();
  const int64_t* places = return_inverse && order.defined() ? longs(order) : nullptr;
  Tensor inverse = empty_tensor(return_inverse ? self.sizes() : IntArrayRef({0}), kLong);
  Tensor first = empty_tensor({n}, kLong);
  int64_t count = 0;
  dispatch_types<RealTypes, bool, UnsignedTypes>(values.scalar_type(), "unique",
                                                 [&]<typename T>(TypeTag<T>) {
    count = find_runs(static_cast<const T*>(values.data_ptr()), n, longs(first), places,
                      return_inverse ? longs(inverse) : nullptr);
  });
  first = at::slice(first, 0, 0, count);
  Tensor counts = empty_tensor({return_counts ? count : 0}, kLong);
  if (return_counts) {
    for (int64_t k = 0; k < count; ++k)
      longs(counts)[k] = (k + 1 < count ? longs(first)[k + 1] : n) - longs(first)[k];
  }
  return {at::index_select(values, 0, first), inverse, counts};
}

static UniqueResult unique_rows_kernel(const Tensor& rows, bool consecutive, bool return_inverse,
                                       bool return_counts) {
  const int64_t n = rows.sizes()[0], width = rows.sizes()[1];
  std::vector<uint64_t> keys(static_cast<size_t>(rows.numel()));
  order_keys_stub(kCPU, rows.scalar_type(), rows.data_ptr(), keys.data(), rows.numel());
  const uint64_t nan = nan_key(rows.scalar_type());
  auto row = [&](int64_t i) { return keys.data() + i * width; };
  auto same = [&](int64_t a, int64_t b) {
    for (int64_t k = 0; k < width; ++k) {
      if (row(a)[k] != row(b)[k] || (nan && row(a)[k] == nan)) return false;
    }
    return true;
  };
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if (!consecutive) {
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return std::lexicographical_compare(row(a), row(a) + width, row(b), row(b) + width);
    });
  }
  Tensor inverse = empty_tensor({return_inverse ? n : 0}, kLong);
  int64_t* number = return_inverse ? longs(inverse) : nullptr;
  std::vector<int64_t> first, counts;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || !same(order[i - 1], order[i])) {
      first.push_back(order[i]);
      counts.push_back(0);
    }
    ++counts.back();
    if (number) number[order[i]] = static_cast<int64_t>(first.size()) - 1;
  }
  return {int64_tensor(first), inverse,
          return_counts ? int64_tensor(counts) : empty_tensor({0}, kLong)};
}

REGISTER_ALL_CPU_DISPATCH(unique_runs_stub, &unique_runs_kernel)
REGISTER_ALL_CPU_DISPATCH(unique_rows_stub, &unique_rows_kernel)

}  // namespace at::native
