// Resizes that copy, where the result has few elements.

#include <ATen/native/common/ElementBits.h>
#include <ATen/native/upsample/upsample.h>

namespace at::native {
namespace {

// The elements of an image along dimensions d and after it, for all channels.
template <typename T>
void copy_image(const Tensor& x, const Tensor& out, const std::vector<FewTaps>& dims, size_t d,
                const T* from, T* to) {
  const int64_t step = out.strides()[d + 2];
  if (d + 1 < dims.size()) {
    for (const int64_t place : dims[d].place) {
      copy_image(x, out, dims, d + 1, from + place, to);
      to += step;
    }
    return;
  }
  for (int64_t c = 0; c < x.sizes()[1]; ++c) {
    T* t = to + c * out.strides()[1];
    for (const int64_t place : dims[d].place) {
      *t = from[c * x.strides()[1] + place];
      t += step;
    }
  }
}

void copy_few(const Tensor& x, const Tensor& out, const std::vector<FewTaps>& dims) {
  by_size(x.itemsize(), [&]<typename T>(T) {
    for (int64_t n = 0; n < x.sizes()[0]; ++n)
      copy_image(x, out, dims, 0, static_cast<const T*>(x.data_ptr()) + n * x.strides()[0],
                 static_cast<T*>(out.data_ptr()) + n * out.strides()[0]);
  });
}

}  // namespace

REGISTER_ALL_CPU_DISPATCH(copy_few_stub, &copy_few)

}  // namespace at::native
