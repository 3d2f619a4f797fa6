// Reorders elements along dimensions, as bytes.

#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/flip/flip.h>

namespace at::native {
namespace {

int64_t num_bytes(const Tensor& t) { return t.numel() * static_cast<int64_t>(t.itemsize()); }

}  // namespace

static void roll_rows_kernel(const Tensor& out, const Tensor& in, int64_t size, int64_t row,
                             int64_t shift) {
  const int64_t block = size * row, head = shift * row;
  const char* s = static_cast<const char*>(in.data_ptr());
  char* t = static_cast<char*>(out.data_ptr());
  parallel_for(0, num_bytes(in) / block, std::max<int64_t>(1, 131072 / block),
               [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      std::memcpy(t + o * block, s + (o + 1) * block - head, head);
      std::memcpy(t + o * block + head, s + o * block, block - head);
    }
  });
}

static void reverse_rows_kernel(const Tensor& out, const Tensor& in, int64_t size, int64_t row) {
  const int64_t outer = num_bytes(in) / (size * row);
  const char* src = static_cast<const char*>(in.data_ptr());
  char* dst = static_cast<char*>(out.data_ptr());
  const int64_t grain = std::max<int64_t>(1, 131072 / std::max<int64_t>(row, 8));
  auto walk = [&](const auto& copy) {
    parallel_for(0, outer * size, grain, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        int64_t o = begin / size, k = begin % size, n = std::min(end - begin, size - k);
        // Positions k to k + n of this block come from those that end at size - k.
        copy(dst + begin * row, src + (o * size + size - k) * row, n);
        begin += n;
      }
    });
  };
  auto elements = [&](auto tag) {
    // A row can be several elements, so it need not be aligned.
    struct __attribute__((packed, may_alias)) T {
      decltype(tag) value;
    };
    walk([](char* to, const char* from_end, int64_t n) {
      T* t = reinterpret_cast<T*>(to);
      const T* f = reinterpret_cast<const T*>(from_end);
      for (int64_t i = 0; i < n; ++i) t[i] = f[-1 - i];
    });
  };
  if (row == 1 || row == 2 || row == 4 || row == 8 || row == 16) return by_size(row, elements);
  walk([row](char* to, const char* from_end, int64_t n) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * row, from_end - (i + 1) * row, row);
  });
}

REGISTER_DISPATCH(roll_rows_stub, &roll_rows_kernel)
REGISTER_DISPATCH(reverse_rows_stub, &reverse_rows_kernel)

}  // namespace at::native
