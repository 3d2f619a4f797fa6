// unique and related operators, on order keys: Note [Order keys] in ATen/native/sort/sort.h. NaN
// differs from every value, including itself.

#include <algorithm>
#include <numeric>

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/sort/sort.h>
#include <ATen/ops/_unique2_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/unique_consecutive_native.h>
#include <ATen/ops/unique_dim_consecutive_native.h>
#include <ATen/ops/unique_dim_native.h>

namespace at::native {
namespace {

using Triple = std::tuple<Tensor, Tensor, Tensor>;

int64_t* longs(const Tensor& t) { return static_cast<int64_t*>(t.data_ptr()); }

std::vector<uint64_t> keys_of(const Tensor& t) {
  std::vector<uint64_t> keys(t.numel());
  order_keys_stub(kCPU, t.scalar_type(), t.data_ptr(), keys.data(), t.numel());
  return keys;
}

uint64_t nan_key(ScalarType t) {
  if (!isFloatingType(t)) return 0;
  return t == kDouble ? ~uint64_t(0) : 0xffffffffull;
}

// Finds runs of equal elements in the sorted `values`; `order` gives their original indices (null:
// they are unchanged).
Triple unique_runs(const Tensor& self, const Tensor& values, const int64_t* order,
                   bool return_inverse, bool return_counts) {
  constexpr int64_t kBlock = 4096;  // keys per block
  uint64_t keys[kBlock], last = 0;
  const auto* data = static_cast<const char*>(values.data_ptr());
  const int64_t size = values.element_size();
  const uint64_t nan = nan_key(self.scalar_type());
  Tensor inverse = empty_tensor(return_inverse ? self.sizes() : IntArrayRef({0}), kLong);
  int64_t* number = return_inverse ? longs(inverse) : nullptr;
  std::vector<int64_t> first, counts;
  for (int64_t i = 0; i < values.numel(); ++i) {
    if (i % kBlock == 0) {
      order_keys_stub(kCPU, values.scalar_type(), data + i * size, keys,
                      std::min(kBlock, values.numel() - i));
    }
    const uint64_t key = keys[i % kBlock];
    if (i == 0 || key != last || (nan && key == nan)) first.push_back(i);
    last = key;
    if (number) number[order ? order[i] : i] = static_cast<int64_t>(first.size()) - 1;
  }
  if (return_counts) {
    counts.resize(first.size());
    for (size_t k = 0; k < first.size(); ++k)
      counts[k] = (k + 1 < first.size() ? first[k + 1] : values.numel()) - first[k];
  }
  return {at::index_select(values, 0, int64_tensor(first)), inverse, int64_tensor(counts)};
}

// The slices along a dimension as rows of keys.
Triple unique_slices(const char* op, const Tensor& self, int64_t dim, bool consecutive,
                     bool return_inverse, bool return_counts) {
  int64_t d = maybe_wrap_dim(dim, self.dim(), op);
  TORCH_CHECK(self.dim() > 0, op, ": expected a tensor with dimensions, got a 0-dimensional one");
  int64_t n = self.sizes()[d];
  for (int64_t k = 0; k < self.dim(); ++k) {
    TORCH_CHECK(
        k == d || self.sizes()[k] != 0 || n == 0, op,
        ": There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  }
  TORCH_CHECK(
      self.numel() != 0 || n == 0, op,
      ": There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  Tensor rows = at::contiguous(at::movedim(self, d, 0));
  int64_t width = n ? rows.numel() / n : 0;
  std::vector<uint64_t> keys = keys_of(rows);
  const uint64_t nan = nan_key(self.scalar_type());
  auto row = [&](int64_t i) { return keys.data() + i * width; };
  auto same = [&](int64_t a, int64_t b) {
    for (int64_t k = 0; k < width; ++k) {
      if (row(a)[k] != row(b)[k] || (nan && row(a)[k] == nan)) return false;
    }
    return true;
  };
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  if (!consecutive) {
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return std::lexicographical_compare(row(a), row(a) + width, row(b), row(b) + width);
    });
  }
  Tensor inverse = empty_tensor({return_inverse ? n : 0}, kLong);
  int64_t* number = return_inverse ? longs(inverse) : nullptr;
  std::vector<int64_t> first, counts;
  for (int64_t i = 0; i < n; ++i) {
    if (i == 0 || !same(order[i - 1], order[i])) {
      first.push_back(order[i]);
      counts.push_back(0);
    }
    ++counts.back();
    if (number) number[order[i]] = static_cast<int64_t>(first.size()) - 1;
  }
  return {at::index_select(self, d, int64_tensor(first)), inverse,
          return_counts ? int64_tensor(counts) : empty_tensor({0}, kLong)};
}

}  // namespace

Triple _unique2(const Tensor& self, bool /*sorted*/, bool return_inverse, bool return_counts) {
  Tensor flat = at::reshape(at::contiguous(self), {-1});
  auto [values, indices] = at::sort(flat);
  if (!return_inverse) indices = Tensor();
  return unique_runs(self, values, return_inverse ? longs(indices) : nullptr, return_inverse,
                     return_counts);
}

Triple unique_consecutive(const Tensor& self, bool return_inverse, bool return_counts,
                          std::optional<int64_t> dim) {
  if (dim && !(self.dim() == 1 && maybe_wrap_dim(*dim, 1) == 0)) {
    return unique_slices("unique_consecutive", self, *dim, true, return_inverse, return_counts);
  }
  return unique_runs(self, at::reshape(at::contiguous(self), {-1}), nullptr, return_inverse,
                     return_counts);
}

Triple unique_dim(const Tensor& self, int64_t dim, bool /*sorted*/, bool return_inverse,
                  bool return_counts) {
  return unique_slices("unique_dim", self, dim, false, return_inverse, return_counts);
}

Triple unique_dim_consecutive(const Tensor& self, int64_t dim, bool return_inverse,
                              bool return_counts) {
  return unique_slices("unique_dim_consecutive", self, dim, true, return_inverse, return_counts);
}

}  // namespace at::native
