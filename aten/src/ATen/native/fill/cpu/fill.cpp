// fill_ and zero_ on the CPU: writes the element's bytes over the tensor.

#include <cstring>

#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/native/fill/fill.h>
#include <ATen/ops/fill__native.h>
#include <ATen/ops/zero__native.h>

namespace at::native {
namespace {

// What one core fills in about the time that waking a second one takes.
constexpr int64_t kBytesOfThread = 512 << 10;

void fill_bytes(const Tensor& self, const void* value) {
  size_t item = self.itemsize();
  bool zero = true;
  for (size_t k = 0; k < item; ++k) zero &= static_cast<const char*>(value)[k] == 0;
  if (self.is_non_overlapping_and_dense()) {
    char* data = static_cast<char*>(self.data_ptr());
    parallel_for(0, self.numel(), kBytesOfThread / static_cast<int64_t>(item),
                 [&](int64_t begin, int64_t end) {
      if (zero) {
        std::memset(data + begin * item, 0, (end - begin) * item);
      } else {
        fill_pattern_stub(kCPU, data + begin * item, value, item, end - begin);
      }
    });
    return;
  }
  // Elements that share memory all get the same value: no need to reject them.
  auto iter = TensorIteratorConfig("fill_")
                  .add_output(self)
                  .resize_outputs(false)
                  .set_check_mem_overlap(false)
                  .build();
  iter.for_each([&](char** data, const int64_t* strides, int64_t n0, int64_t n1) {
    const int64_t sizes[2] = {n0, n1};
    fill_strided_stub(kCPU, data[0], strides, sizes, value, item);
  });
}

}  // namespace

static void fill_scalar_kernel(Tensor& self, const Scalar& value) {
  alignas(16) char bytes[16] = {};
  // Of types that only store bytes, 0 is the number that every byte of zeros stands for.
  const bool zero_bytes = isStorageType(self.scalar_type()) && value.equal(0);
  if (!zero_bytes)
    dispatch_types<AllTypes>(self.scalar_type(), "fill_", [&]<typename T>(TypeTag<T>) {
      T v = checked_value<T>(value);
      std::memcpy(bytes, &v, sizeof(T));
    });
  if (self.numel() != 0) fill_bytes(self, bytes);
}

static void fill_tensor_kernel(Tensor& self, const Tensor& value) {
  TORCH_CHECK(value.is_cpu(), "fill_: expected the value on the CPU, got it on ", value.device());
  alignas(16) char bytes[16] = {};
  convert_element(value.scalar_type(), value.data_ptr(), self.scalar_type(), bytes);
  if (self.numel() != 0) fill_bytes(self, bytes);
}

static void zero_kernel(Tensor& self) {
  alignas(16) const char zero[16] = {};
  if (self.numel() != 0) fill_bytes(self, zero);
}

REGISTER_ALL_CPU_DISPATCH(fill_scalar_stub, &fill_scalar_kernel)
REGISTER_ALL_CPU_DISPATCH(fill_tensor_stub, &fill_tensor_kernel)
REGISTER_ALL_CPU_DISPATCH(zero_stub, &zero_kernel)

}  // namespace at::native
