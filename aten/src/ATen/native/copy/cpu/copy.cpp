// copy_ between CPU tensors, with conversion.

#include <cstring>

#include <ATen/native/common/Blocks.h>
#include <ATen/native/common/Convert.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/Elementwise.h>
#include <ATen/native/common/MemoryOverlap.h>
#include <ATen/native/common/ShortRuns.h>
#include <ATen/native/common/TransposeStub.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/native/copy/copy.h>
#include <ATen/ops/_copy_from_native.h>
#include <ATen/ops/_local_scalar_dense_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy__native.h>

namespace at::native {
namespace {

// The minimum number of bytes that makes another thread worthwhile.
constexpr int64_t kGrainBytes = 128 * 1024;

void copy_dense(const Tensor& self, const Tensor& src) {
  ScalarType from = src.scalar_type(), to = self.scalar_type();
  const char* s = static_cast<const char*>(src.data_ptr());
  char* d = static_cast<char*>(self.data_ptr());
  int64_t si = static_cast<int64_t>(src.itemsize()), di = static_cast<int64_t>(self.itemsize());
  if (s == d && from == to) return;
  parallel_for(0, self.numel(), kGrainBytes / di, [&](int64_t begin, int64_t end) {
    convert_elements(from, s + begin * si, to, d + begin * di, end - begin);
  });
}

// Copies rows with any strides, converting if the types differ.
struct StridedCopy {
  ScalarType from, to;
  int64_t si, di;

  void operator()(char** data, const int64_t* strides, int64_t n0, int64_t n1) const {
    char *d = data[0], *s = data[1];
    int64_t d0 = strides[0], s0 = strides[1], d1 = strides[2], s1 = strides[3];
    if (from == to) {
      if (d0 == di && s1 == si && s0 != 0 && n0 > 1 && n1 > 1) {
        const bool few = (n1 <= 3 && s0 == n1 * si) || (n0 <= 3 && d1 == n0 * di);
        if (few || (n0 > 3 && n1 > 3)) return transpose_copy_stub(kCPU, d, d1, s, s0, n0, n1, di);
      }
      if (d0 == di && (n1 == 1 || d1 == n0 * di)) return gather_elements(d, s, si, s0, s1, n0, n1);
      if (s0 == si && (n1 == 1 || s1 == n0 * si)) return scatter_elements(s, d, di, d0, d1, n0, n1);
      if (d0 == di && s0 == si && n0 > 1) return copy_runs({d, d1, s, s1, n1}, n0 * di);
      if (n0 < kFewColumns && n1 > n0) return by_columns(d, s, strides, n0, n1);
      for (int64_t j = 0; j < n1; ++j) row(d + j * d1, s + j * s1, d0, s0, n0);
      return;
    }
    constexpr int64_t kPiece = 256;
    alignas(64) char in[kPiece * 16], out[kPiece * 16];
    // Short rows are converted together.
    const int64_t rows = n0 < kPiece / 4 ? kPiece / n0 : 1;
    for (int64_t j = 0; j < n1; j += rows) {
      const int64_t m = std::min(rows, n1 - j);
      for (int64_t i = 0; i < n0; i += kPiece) {
        const int64_t n = std::min(kPiece, n0 - i);
        const char* from_here = s + j * s1 + i * s0;
        char* to_here = d + j * d1 + i * d0;
        if (s0 != si || (m > 1 && s1 != n0 * si)) {
          gather_elements(in, from_here, si, s0, s1, n, m);
          from_here = in;
        }
        if (d0 == di && (m == 1 || d1 == n0 * di)) {
          convert_elements(from, from_here, to, to_here, n * m);
        } else {
          convert_elements(from, from_here, to, out, n * m);
          scatter_elements(out, to_here, di, d0, d1, n, m);
        }
      }
    }
  }

  // Rows of a few elements: one element of many rows after the other, so that loops are long. What
  // some rows share of the cache is still there for their next element.
  static constexpr int64_t kFewColumns = 8;
  void by_columns(char* d, const char* s, const int64_t* strides, int64_t n0, int64_t n1) const {
    const int64_t d1 = strides[2], s1 = strides[3];
    constexpr int64_t kRows = 512;
    for (int64_t j = 0; j < n1; j += kRows) {
      for (int64_t i = 0; i < n0; ++i) {
        strided(di, d + j * d1 + i * strides[0], s + j * s1 + i * strides[1], d1, s1,
                std::min(kRows, n1 - j));
      }
    }
  }

  void row(char* d, const char* s, int64_t d0, int64_t s0, int64_t n) const {
    if (d0 == di) {
      gather_elements(d, s, si, s0, 0, n, 1);
    } else if (s0 == si) {
      scatter_elements(s, d, di, d0, 0, n, 1);
    } else {
      strided(di, d, s, d0, s0, n);
    }
  }
  static void strided(int64_t item, char* d, const char* s, int64_t d0, int64_t s0, int64_t n) {
    switch (item) {
      case 1:
        return elements<uint8_t>(d, s, d0, s0, n);
      case 2:
        return elements<uint16_t>(d, s, d0, s0, n);
      case 4:
        return elements<uint32_t>(d, s, d0, s0, n);
      case 8:
        return elements<uint64_t>(d, s, d0, s0, n);
      default:
        return elements<unsigned __int128>(d, s, d0, s0, n);
    }
  }
  template <typename T>
  static void elements(char* d, const char* s, int64_t d0, int64_t s0, int64_t n) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(d + i * d0, s + i * s0, sizeof(T));
  }
};

void copy_strided(const Tensor& self, const Tensor& src) {
  auto iter = TensorIteratorConfig("copy_")
                  .add_output(self)
                  .add_input(src)
                  .resize_outputs(false)
                  .check_all_same_dtype(false)
                  .build();
  StridedCopy loop{src.scalar_type(), self.scalar_type(), static_cast<int64_t>(src.itemsize()),
                   static_cast<int64_t>(self.itemsize())};
  // See Note [Blocks by table].
  if (const Blocks blocks(iter, 1024); loop.from == loop.to && blocks.fit()) {
    const std::vector<int32_t> places = blocks.places(1);
    return by_size(static_cast<size_t>(loop.di), [&](auto tag) {
      blocks.for_each(kGrainBytes / loop.di, [&](char* const* data, int64_t n) {
        gather_places(reinterpret_cast<decltype(tag)*>(data[0]), data[1], places.data(), n);
      });
    });
  }
  // An element of a strided copy takes as long whatever its size.
  iter.for_each(loop, std::min(kGrainBytes / loop.di, kGrainSize));
}

// x[:, 1:] = x[:, :-1]. Dense tensors that overlap are left to the iterator, which rejects them.
bool reads_what_it_writes(const Tensor& self, const Tensor& src) {
  const TensorImpl &to = *self.unsafeGetTensorImpl(), &from = *src.unsafeGetTensorImpl();
  bool dense = to.is_non_overlapping_and_dense() && from.is_non_overlapping_and_dense();
  bool same = self.storage_offset() == src.storage_offset() && self.strides() == src.strides() &&
              self.sizes() == src.sizes() && self.itemsize() == src.itemsize();
  return !dense && !same && shares_memory(to, from);
}

}  // namespace

static void copy_kernel(const Tensor& self, const Tensor& src) {
  if (self.sizes() == src.sizes() &&
      ((self.is_contiguous() && src.is_contiguous()) ||
       (self.strides() == src.strides() && self.is_non_overlapping_and_dense())) &&
      !self.is_alias_of(src)) {
    copy_dense(self, src);
  } else if (self.is_alias_of(src) && reads_what_it_writes(self, src)) {
    copy_strided(self, at::clone(src));
  } else {
    copy_strided(self, src);
  }
}

static Scalar local_scalar_dense_kernel(const Tensor& self) {
  TORCH_CHECK(self.numel() > 0,
              "_local_scalar_dense: expected a tensor with a value, got one of size ",
              self.sizes());
  return read_element(self.scalar_type(), self.data_ptr());
}

Tensor _copy_from(const Tensor& self, const Tensor& dst, bool) {
  TORCH_CHECK_NOT_IMPLEMENTED(dst.is_cpu() && self.is_cpu(), "copy_: no copy from device ",
                              self.device(), " to ", dst.device());
  Tensor to = dst;
  return at::native::copy_(to, self, false);
}

REGISTER_ALL_CPU_DISPATCH(copy_stub, &copy_kernel)
REGISTER_ALL_CPU_DISPATCH(local_scalar_dense_stub, &local_scalar_dense_kernel)

}  // namespace at::native
