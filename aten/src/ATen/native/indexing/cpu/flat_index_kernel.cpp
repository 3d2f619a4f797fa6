// Indices that count from the end where they are negative, and elements by their places in a whole
// tensor.

#include <ATen/Parallel.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/indexing/index_plan.h>
#include <ATen/native/indexing/index_rows.h>

namespace at::native {
namespace {

const int64_t* indices(const Tensor& t) { return static_cast<const int64_t*>(t.data_ptr()); }

// Calls fail(index) for one outside of [-size, size). Neither this nor what follows has branches:
// signs of indices cannot be predicted.
template <typename F>
void check_run(const int64_t* at, int64_t n, int64_t size, const F& fail) {
  const auto is_outside = [size](int64_t k) { return (k < -size) | (k >= size); };
  int64_t outside = 0;
  for (int64_t k = 0; k < n; ++k) outside |= is_outside(at[k]);
  for (int64_t k = 0; outside && k < n; ++k) {
    if (is_outside(at[k])) fail(at[k]);
  }
}
int64_t wrapped(int64_t k, int64_t size) { return k + (k >> 63 & size); }

[[noreturn]] void fail_dimension(int64_t k, int64_t dim, int64_t size) {
  TORCH_CHECK_INDEX(false, "index ", k, " is out of bounds for dimension ", dim, " with size ",
                    size);
  __builtin_unreachable();
}
[[noreturn]] void fail_place(const char* op, int64_t k, int64_t size) {
  TORCH_CHECK_INDEX(false, op, "(): out of range: tried to access index ", k, " on a tensor of ",
                    size, " elements.");
  __builtin_unreachable();
}

constexpr int64_t kRun = 1024;
// f(first, count) for runs of indices, which stay in the nearest cache.
template <typename F>
void each_run(int64_t n, const F& f) {
  parallel_for(0, n, kGrainSize, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; k += kRun) f(k, std::min(kRun, end - k));
  });
}

}  // namespace

static void wrap_indices_kernel(const Tensor& index, int64_t size, std::optional<int64_t> dim,
                                const char* op) {
  const auto fail = [&](int64_t k) {
    TORCH_CHECK_INDEX(!dim, op, "(): index ", k, " is out of bounds for dimension ", *dim,
                      " with size ", size);
    fail_place(op, k, size);
  };
  each_run(index.numel(), [&](int64_t first, int64_t n) {
    int64_t* at = static_cast<int64_t*>(index.data_ptr()) + first;
    check_run(at, n, size, fail);
    for (int64_t k = 0; k < n; ++k) at[k] = wrapped(at[k], size);
  });
}

static void take_elements_kernel(const Tensor& result, const Tensor& self, const Tensor& index,
                                 bool of_dimension) {
  const int64_t size = self.numel();
  const auto fail = [=](int64_t k) {
    if (of_dimension) fail_dimension(k, 0, size);
    fail_place("take", k, size);
  };
  by_size(self.itemsize(), [&]<typename T>(T) {
    each_run(index.numel(), [&](int64_t first, int64_t n) {
      const int64_t* at = indices(index) + first;
      check_run(at, n, size, fail);
      const T* from = static_cast<const T*>(self.data_ptr());
      T* to = static_cast<T*>(result.data_ptr()) + first;
      for (int64_t k = 0; k < n; ++k) to[k] = from[wrapped(at[k], size)];
    });
  });
}

static void add_index_offsets_kernel(const Tensor& result, const Tensor& index, const IndexedDim& d,
                                     bool first_dim) {
  const int64_t dim = d.dim, size = d.size, stride = d.byte_stride;
  const auto fail = [=](int64_t k) { fail_dimension(k, dim, size); };
  each_run(index.numel(), [&](int64_t first, int64_t n) {
    const int64_t* at = indices(index) + first;
    int64_t* offsets = static_cast<int64_t*>(result.data_ptr()) + first;
    check_run(at, n, size, fail);
    if (first_dim) {
      for (int64_t k = 0; k < n; ++k) offsets[k] = wrapped(at[k], size) * stride;
    } else {
      for (int64_t k = 0; k < n; ++k) offsets[k] += wrapped(at[k], size) * stride;
    }
  });
}

REGISTER_DISPATCH(add_index_offsets_stub, &add_index_offsets_kernel)
REGISTER_DISPATCH(wrap_indices_stub, &wrap_indices_kernel)
REGISTER_DISPATCH(take_elements_stub, &take_elements_kernel)

}  // namespace at::native
