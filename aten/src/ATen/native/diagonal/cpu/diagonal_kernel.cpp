// Traces, triangles, and the indices of their elements.

#include <algorithm>
#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/Wrapping.h>
#include <ATen/native/diagonal/diagonal.h>
#include <ATen/ops/trace_native.h>

namespace at::native {

static void trace_kernel(const Tensor& self, const Tensor& result) {
  int64_t n = std::min(self.sizes()[0], self.sizes()[1]),
          step = n > 1 ? self.strides()[0] + self.strides()[1] : 0;
  dispatch_types<NumberTypes>(self.scalar_type(), "trace", [&]<typename T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(self.data_ptr());
    if constexpr (std::is_integral<T>::value) {
      int64_t sum = 0;
      for (int64_t k = 0; k < n; ++k) sum = wrapping_sum(sum, static_cast<int64_t>(from[k * step]));
      *static_cast<int64_t*>(result.data_ptr()) = sum;
    } else if constexpr (std::is_same<T, c10::complex<float>>::value ||
                         std::is_same<T, c10::complex<double>>::value) {
      T sum(0, 0);
      for (int64_t k = 0; k < n; ++k) sum += from[k * step];
      *static_cast<T*>(result.data_ptr()) = sum;
    } else {
      double sum = 0;
      for (int64_t k = 0; k < n; ++k) sum += static_cast<double>(from[k * step]);
      *static_cast<T*>(result.data_ptr()) = static_cast<T>(sum);
    }
  });
}

// Clears elements [from, to) of a row. A call of memset takes longer than a few stores, which may
// overlap.
static void clear_part(char* row, int64_t from, int64_t to, int64_t item) {
  char* p = row + from * item;
  const int64_t bytes = (to - from) * item;
  const auto clear = [&]<size_t size>(std::integral_constant<size_t, size>) {
    std::memset(p, 0, size);
    std::memset(p + bytes - size, 0, size);
  };
  if (bytes > 32) std::memset(p, 0, bytes);
  else if (bytes >= 16) clear(std::integral_constant<size_t, 16>());
  else if (bytes >= 8) clear(std::integral_constant<size_t, 8>());
  else if (bytes >= 4) clear(std::integral_constant<size_t, 4>());
  else if (bytes >= 2) clear(std::integral_constant<size_t, 2>());
  else if (bytes == 1) *p = 0;
}

static void keep_triangle_kernel(const Tensor& self, int64_t diagonal, bool lower) {
  char* data = static_cast<char*>(self.data_ptr());
  const int64_t rows = self.size(-2), columns = self.size(-1),
                item = static_cast<int64_t>(self.itemsize());
  // The first column above the diagonal (lower), or the first one that is kept (upper), is
  // r + offset in row r.
  const int64_t offset = std::clamp<int64_t>(diagonal, -rows - 1, columns + 1) + (lower ? 1 : 0);
  const int64_t first_cut = std::clamp<int64_t>(1 - offset, 0, rows),
                after_cut = std::clamp<int64_t>(columns - offset, first_cut, rows);
  parallel_for(0, self.numel() / columns, std::max<int64_t>(1, kGrainSize / columns),
               [&](int64_t begin, int64_t end) {
    while (begin < end) {
      char* const matrix = data + begin / rows * rows * columns * item;
      const int64_t first = begin % rows, last = std::min(rows, first + end - begin);
      // Rows that are cleared as a whole are neighbours.
      const int64_t whole_from = std::max(first, lower ? 0 : after_cut),
                    whole_to = std::min(last, lower ? first_cut : rows);
      if (whole_from < whole_to) {
        std::memset(matrix + whole_from * columns * item, 0,
                    static_cast<size_t>((whole_to - whole_from) * columns * item));
      }
      for (int64_t r = std::max(first, first_cut); r < std::min(last, after_cut); ++r) {
        char* row = matrix + r * columns * item;
        if (lower) clear_part(row, r + offset, columns, item);
        else clear_part(row, 0, r + offset, item);
      }
      begin += last - first;
    }
  });
}

static void triangle_indices_kernel(const Tensor& result, const TriangleRows& t) {
  dispatch_types<TypeList<int32_t, int64_t>>(result.scalar_type(), "triangle_indices",
                                             [&]<typename T>(TypeTag<T>) {
    T* rows = static_cast<T*>(result.data_ptr());
    T* columns = rows + result.numel() / 2;
    for (int64_t i = t.first_row; i < t.last_row; ++i) {
      const int64_t edge = i + t.offset;
      const int64_t from = t.lower ? 0 : std::clamp<int64_t>(edge, 0, t.num_columns),
                    to = t.lower ? std::clamp<int64_t>(edge + 1, 0, t.num_columns) : t.num_columns;
      for (int64_t j = from; j < to; ++j) {
        *rows++ = static_cast<T>(i);
        *columns++ = static_cast<T>(j);
      }
    }
  });
}

REGISTER_DISPATCH(trace_stub, &trace_kernel)
REGISTER_DISPATCH(keep_triangle_stub, &keep_triangle_kernel)
REGISTER_DISPATCH(triangle_indices_stub, &triangle_indices_kernel)

}  // namespace at::native
