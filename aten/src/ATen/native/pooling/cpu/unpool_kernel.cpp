// max_unpool: moves values to the indices that max pooling took them from.

#include <cstring>

#include <ATen/native/pooling/PoolShape.h>

namespace at::native {

static void max_unpool_kernel(const PoolShape& s, const Tensor& values, const Tensor& indices,
                              const Tensor& out) {
  const size_t item = values.itemsize();
  const char* from = static_cast<const char*>(values.data_ptr());
  const int64_t* at = static_cast<const int64_t*>(indices.data_ptr());
  char* to = static_cast<char*>(out.data_ptr());
  const int64_t plane = s.out_numel(), out_plane = s.in_numel();
  for (int64_t i = 0; i < values.numel(); ++i) {
    TORCH_CHECK(at[i] >= 0 && at[i] < out_plane, "Found an invalid max index: ", at[i],
                " (output volumes are of size ", out_plane, ")");
    std::memcpy(to + (i / plane * out_plane + at[i]) * item, from + i * item, item);
  }
}

REGISTER_DISPATCH(max_unpool_stub, &max_unpool_kernel)

}  // namespace at::native
