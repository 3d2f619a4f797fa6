// unique of rows, on order keys: Note [Order keys] in ATen/native/sort/sort.h.

#include <algorithm>
#include <numeric>
#include <vector>

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/sort/sort.h>
#include <ATen/native/unique/unique.h>

namespace at::native {
namespace {

int64_t* longs(const Tensor& t) { return static_cast<int64_t*>(t.data_ptr()); }

uint64_t nan_key(ScalarType t) {
  if (!isFloatingType(t)) return 0;
  return t == kDouble ? ~uint64_t(0) : 0xffffffffull;
}

}  // namespace

static UniqueResult unique_rows_kernel(const Tensor& rows, bool consecutive, bool return_inverse,
                                       bool return_counts) {
  const int64_t n = rows.sizes()[0], width = rows.sizes()[1];
  const Scratch<uint64_t> keys(rows.numel());
  order_keys_stub(kCPU, rows.scalar_type(), rows.data_ptr(), keys.get(), rows.numel());
  const uint64_t nan = nan_key(rows.scalar_type());
  auto row = [&](int64_t i) { return keys.get() + i * width; };
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

REGISTER_ALL_CPU_DISPATCH(unique_rows_stub, &unique_rows_kernel)

}  // namespace at::native
