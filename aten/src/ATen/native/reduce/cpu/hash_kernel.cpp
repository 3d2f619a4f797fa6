// hash_tensor: exclusive or over the bits of elements, which are widened to 64 bits.

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/hash_tensor_native.h>
#include <ATen/ops/permute.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>

namespace at::native {
namespace {

template <typename T>
uint64_t widened(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  } else {
    const double number = static_cast<double>(value);
    uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
  }
}

// Integers are widened once: exclusive or acts on each bit, and on the sign that fills the others.
template <typename T>
uint64_t hash(const T* from, int64_t n) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    T bits = 0;
    for (int64_t k = 0; k < n; ++k) bits = static_cast<T>(bits ^ from[k]);
    return widened(bits);
  } else {
    uint64_t bits = 0;
    for (int64_t k = 0; k < n; ++k) bits ^= widened(from[k]);
    return bits;
  }
}

// Rows are divided among threads, and a single row too.
template <typename T>
void hash_rows(const T* from, int64_t rows, int64_t n, uint64_t* to) {
  if (rows == 1) {
    std::atomic<uint64_t> total{0};
    parallel_for(0, n, kGrainSize,
                 [&](int64_t begin, int64_t end) { total ^= hash(from + begin, end - begin); });
    *to = total;
    return;
  }
  parallel_for(0, rows, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(n, 1)),
               [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = hash(from + i * n, n);
  });
}

}  // namespace

static void hash_tensor_kernel(const Tensor& self, IntArrayRef dim, bool, int64_t,
                               const Tensor& out) {
  if (out.numel() == 0) return;
  std::vector<bool> reduced(static_cast<size_t>(self.dim()), dim.empty());
  if (self.dim() > 0) {
    for (int64_t d : dim)
      reduced[static_cast<size_t>(maybe_wrap_dim(d, self.dim(), "hash_tensor"))] = true;
  }
  std::vector<int64_t> order;
  for (bool last : {false, true}) {
    for (int64_t d = 0; d < self.dim(); ++d) {
      if (reduced[static_cast<size_t>(d)] == last) order.push_back(d);
    }
  }
  const auto kept = std::count(reduced.begin(), reduced.end(), false);
  // The order of the reduced elements is free: that of memory needs no copy.
  std::stable_sort(order.begin() + kept, order.end(),
                   [&](int64_t a, int64_t b) { return self.strides()[a] > self.strides()[b]; });
  const Tensor rows = at::contiguous(at::permute(self, order));
  Tensor dense = out.is_contiguous() ? out : empty_tensor(out.sizes(), kUInt64);
  dispatch_types<RealTypes, bool, UnsignedTypes>(self.scalar_type(), "hash_tensor",
                                                 [&]<typename T>(TypeTag<T>) {
    hash_rows(static_cast<const T*>(rows.data_ptr()), out.numel(), self.numel() / out.numel(),
              static_cast<uint64_t*>(dense.data_ptr()));
  });
  if (!dense.is_same(out)) copy_to_output("hash_tensor", const_cast<Tensor&>(out), dense);
}

REGISTER_DISPATCH(hash_tensor_stub, &hash_tensor_kernel)

}  // namespace at::native
