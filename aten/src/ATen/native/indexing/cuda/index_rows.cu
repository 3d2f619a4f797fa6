// Rows along one dimension on CUDA devices: index_select, index_copy_, index_add_, index_fill_,
// take and put_. A thread moves one element, or 16 bytes of a row.

#include <ATen/OpMathType.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/indexing/index_rows.h>
#include <c10/cuda/CUDAGuard.h>
#include <ATen/native/common/cuda/Atomics.cuh>
#include <ATen/native/common/cuda/Loops.cuh>
#include <ATen/native/common/cuda/OrderedWrites.cuh>

namespace at::native {
namespace {

struct CheckIndex {
  const int64_t* index;
  int64_t size;
  __device__ void operator()(int64_t i) const {
    C10_DEVICE_ASSERT(index[i] >= 0 && index[i] < size && "index out of bounds");
  }
};
struct WrapIndex {
  int64_t* index;
  int64_t size;
  __device__ void operator()(int64_t i) const {
    C10_DEVICE_ASSERT(index[i] >= -size && index[i] < size && "index out of bounds");
    if (index[i] < 0) index[i] += size;
  }
};

// Element i of [outer, m, inner] and its counterpart in [outer, size, inner].
struct Rows {
  const int64_t* index;
  int64_t m, size, inner;
  __device__ int64_t indexed(int64_t i) const {
    const int64_t row = i / inner, k = index[row % m];
    C10_DEVICE_ASSERT(k >= 0 && k < size && "index out of bounds");
    return (row / m * size + k) * inner + i % inner;
  }
};

template <typename T>
struct Select {
  Rows rows;
  T* to;
  const T* from;
  __device__ void operator()(int64_t i) const { to[i] = from[rows.indexed(i)]; }
};
template <typename T>
struct Copy {
  Rows rows;
  T* to;
  const T* from;
  bool one_row;
  __device__ void operator()(int64_t i) const {
    to[rows.indexed(i)] = from[one_row ? i % rows.inner : i];
  }
};
template <typename T>
struct Add {
  Rows rows;
  T* to;
  const T* from;
  opmath_type<T> alpha;
  __device__ void operator()(int64_t i) const {
    using M = opmath_type<T>;
    atomic_add(to + rows.indexed(i), static_cast<T>(alpha * static_cast<M>(from[i])));
  }
};

struct Places {
  Rows rows;
  __device__ int64_t operator()(int64_t i) const { return rows.indexed(i); }
};

// Elements of a dense source, of which one row may stand for all, times a factor.
template <typename T>
struct RowValues {
  const T* from;
  int64_t inner;
  bool one_row;
  __device__ T operator()(int64_t i) const { return from[one_row ? i % inner : i]; }
};
template <typename T>
struct Multiples {
  const T* from;
  opmath_type<T> alpha;
  __device__ T operator()(int64_t i) const {
    return static_cast<T>(alpha * static_cast<opmath_type<T>>(from[i]));
  }
};

const int64_t* indices(const Tensor& t) { return static_cast<const int64_t*>(t.data_ptr()); }

// f(TypeTag of a word, words of a row): rows of bytes are moved in the widest words that fit.
template <typename F>
void dispatch_words(const RowBlocks& b, const Tensor& x, const Tensor& y, const F& f) {
  const int64_t bytes = b.inner * static_cast<int64_t>(x.itemsize());
  size_t word = 16;
  while (word > 1 && (bytes | static_cast<int64_t>(reinterpret_cast<uintptr_t>(x.data_ptr())) |
                      static_cast<int64_t>(reinterpret_cast<uintptr_t>(y.data_ptr()))) %
                             static_cast<int64_t>(word) !=
                         0)
    word /= 2;
  gpu_dispatch_bits(
      word, [&]<typename T>(TypeTag<T> tag) { f(tag, bytes / static_cast<int64_t>(word)); });
}

}  // namespace

static void check_indices_cuda(const Tensor& index, int64_t size, int64_t, const char*, bool) {
  gpu_for_each(index, index.numel(), CheckIndex{indices(index), size});
}

static void wrap_indices_cuda(const Tensor& index, int64_t size, std::optional<int64_t>,
                              const char*) {
  gpu_for_each(index, index.numel(), WrapIndex{static_cast<int64_t*>(index.data_ptr()), size});
}

static void select_rows_cuda(const Tensor& result, const Tensor& self, const Tensor& index,
                             const RowBlocks& b) {
  const int64_t m = index.numel();
  if (result.numel() == 0) return;
  dispatch_words(b, result, self, [&]<typename T>(TypeTag<T>, int64_t row) {
    gpu_for_each(self, b.outer * m * row,
                 Select<T>{{indices(index), m, b.size, row},
                           static_cast<T*>(result.data_ptr()),
                           static_cast<const T*>(self.data_ptr())});
  });
}

static void copy_rows_cuda(const Tensor& self, const Tensor& source, const Tensor& index,
                           const RowBlocks& b, bool one_row) {
  const int64_t m = index.numel();
  if (self.numel() == 0) return;
  dispatch_words(b, self, source, [&]<typename T>(TypeTag<T>, int64_t row) {
    const int64_t n = b.outer * m * row;
    const Rows rows{indices(index), m, b.size, row};
    const T* from = static_cast<const T*>(source.data_ptr());
    if (globalContext().deterministicAlgorithms())
      return write_in_order<T>(self, n, Places{rows}, RowValues<T>{from, row, one_row},
                               ordered::Replace<T>());
    gpu_for_each(self, n, Copy<T>{rows, static_cast<T*>(self.data_ptr()), from, one_row});
  });
}

static void add_rows_cuda(const Tensor& self, const Tensor& source, const Tensor& index,
                          const RowBlocks& b, const Scalar& alpha) {
  const int64_t m = index.numel();
  if (self.numel() == 0) return;
  dispatch_types<NumberTypes, bool>(self.scalar_type(), "index_add_", [&]<typename T>(TypeTag<T>) {
    const int64_t n = b.outer * m * b.inner;
    const Rows rows{indices(index), m, b.size, b.inner};
    const T* from = static_cast<const T*>(source.data_ptr());
    const auto factor = alpha.cast<opmath_type<T>>();
    if (globalContext().deterministicAlgorithms())
      return write_in_order<T>(self, n, Places{rows}, Multiples<T>{from, factor},
                               ordered::AddTo<T>());
    gpu_for_each(self, n, Add<T>{rows, static_cast<T*>(self.data_ptr()), from, factor});
  });
}

REGISTER_CUDA_DISPATCH(check_indices_stub, &check_indices_cuda)
REGISTER_CUDA_DISPATCH(wrap_indices_stub, &wrap_indices_cuda)
REGISTER_CUDA_DISPATCH(select_rows_stub, &select_rows_cuda)
REGISTER_CUDA_DISPATCH(copy_rows_stub, &copy_rows_cuda)
REGISTER_CUDA_DISPATCH(add_rows_stub, &add_rows_cuda)

}  // namespace at::native
