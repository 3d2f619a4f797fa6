#pragma once
// Matrix products of warps (nvcuda::wmma), for the emulated device. The first lane of a warp holds
// whole matrices and computes; the others take part in the waiting.

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <cuda_runtime.h>

using __half = c10::Half;
using __nv_bfloat16 = c10::BFloat16;

namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

// 16 x 16 elements by rows. A lane of a GPU has a share of them, in an order that is not specified.
template <typename Use, int m, int n, int k, typename T, typename Layout = void>
struct fragment {
  static_assert(m == 16 && n == 16 && k == 16, "the emulated device has products of this shape");
  static constexpr int num_elements = 256;
  T x[num_elements] = {};
};

template <typename F, typename T>
void torch_emulated_load(F& fragment, const T* from, unsigned leading, bool by_rows) {
  __syncwarp();
  if (::torch_emulated_cuda::lane() != 0) return;
  for (unsigned i = 0; i < 16; ++i) {
    for (unsigned j = 0; j < 16; ++j)
      fragment.x[i * 16 + j] = from[by_rows ? i * leading + j : j * leading + i];
  }
}
template <typename Use, typename T, typename Layout>
void load_matrix_sync(fragment<Use, 16, 16, 16, T, Layout>& f, const T* from, unsigned leading) {
  torch_emulated_load(f, from, leading, std::is_same_v<Layout, row_major>);
}
template <typename T>
void load_matrix_sync(fragment<accumulator, 16, 16, 16, T>& f, const T* from, unsigned leading,
                      layout_t layout) {
  torch_emulated_load(f, from, leading, layout == mem_row_major);
}

template <typename T>
void store_matrix_sync(T* to, const fragment<accumulator, 16, 16, 16, T>& f, unsigned leading,
                       layout_t layout) {
  __syncwarp();
  if (::torch_emulated_cuda::lane() != 0) return;
  for (unsigned i = 0; i < 16; ++i) {
    for (unsigned j = 0; j < 16; ++j)
      to[layout == mem_row_major ? i * leading + j : j * leading + i] = f.x[i * 16 + j];
  }
}

template <typename Use, typename T, typename Layout>
void fill_fragment(fragment<Use, 16, 16, 16, T, Layout>& f, T value) {
  for (T& x : f.x) x = value;
}

// d = a b + c
template <typename T, typename LayoutA, typename LayoutB>
void mma_sync(fragment<accumulator, 16, 16, 16, float>& d,
              const fragment<matrix_a, 16, 16, 16, T, LayoutA>& a,
              const fragment<matrix_b, 16, 16, 16, T, LayoutB>& b,
              const fragment<accumulator, 16, 16, 16, float>& c) {
  if (::torch_emulated_cuda::lane() != 0) return;
  for (unsigned i = 0; i < 16; ++i) {
    float sums[16];
    for (unsigned j = 0; j < 16; ++j) sums[j] = c.x[i * 16 + j];
    for (unsigned k = 0; k < 16; ++k) {
      for (unsigned j = 0; j < 16; ++j)
        sums[j] += static_cast<float>(a.x[i * 16 + k]) * static_cast<float>(b.x[k * 16 + j]);
    }
    for (unsigned j = 0; j < 16; ++j) d.x[i * 16 + j] = sums[j];
  }
}

}  // namespace nvcuda::wmma
