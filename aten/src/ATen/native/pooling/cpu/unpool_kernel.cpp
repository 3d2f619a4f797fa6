// max_unpool: moves values to the indices that max pooling took them from.

#include <ATen/Parallel.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/pooling/PoolShape.h>

namespace at::native {

static void max_unpool_kernel(const PoolShape& s, const Tensor& values, const Tensor& indices,
                              const Tensor& out) {
  const int64_t plane = s.out_numel(), out_plane = s.in_numel();
  if (plane == 0) return;
  const int64_t* indices_data = static_cast<const int64_t*>(indices.data_ptr());
  by_size(values.itemsize(), [&](auto like) {
    using T = decltype(like);
    const T* values_data = static_cast<const T*>(values.data_ptr());
    T* out_data = static_cast<T*>(out.data_ptr());
    const int64_t grain = std::max<int64_t>(1, kGrainSize / plane);
    parallel_for(0, values.numel() / plane, grain, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const T* from = values_data + p * plane;
        const int64_t* at = indices_data + p * plane;
        T* to = out_data + p * out_plane;
        for (int64_t i = 0; i < plane; ++i) {
          TORCH_CHECK(static_cast<uint64_t>(at[i]) < static_cast<uint64_t>(out_plane),
                      "Found an invalid max index: ", at[i], " (output volumes are of size ",
                      out_plane, ")");
          to[at[i]] = from[i];
        }
      }
    });
  });
}

REGISTER_DISPATCH(max_unpool_stub, &max_unpool_kernel)

}  // namespace at::native
