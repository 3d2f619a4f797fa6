// New tensors of random numbers.

#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/MayRead.h>
#include <ATen/native/common/OutputChecks.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/random/random.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/item.h>
#include <ATen/ops/min.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/normal__ops.h>
#include <ATen/ops/normal_native.h>
#include <ATen/ops/rand_like_native.h>
#include <ATen/ops/rand_native.h>
#include <ATen/ops/randint_like_native.h>
#include <ATen/ops/randint_native.h>
#include <ATen/ops/randn_like_native.h>
#include <ATen/ops/randn_native.h>
#include <ATen/ops/random__ops.h>
#include <ATen/ops/randperm_native.h>
#include <ATen/ops/uniform__ops.h>

namespace at::native {

using Dtype = std::optional<ScalarType>;
using Where = std::optional<Device>;

static Tensor empty_result(IntArrayRef size, Dtype dtype, std::optional<Layout> layout,
                           Where device, std::optional<bool> pin) {
  return at::empty(size, dtype, layout, device, pin, std::nullopt);
}
static Tensor uniform(Tensor t, std::optional<Generator> g) {
  return _ops::uniform_::call(t, 0, 1, g);
}
static Tensor standard_normal(Tensor t, std::optional<Generator> g) {
  return _ops::normal_::call(t, 0, 1, g);
}

// The numbers that normal_ writes into a tensor of the shape of self.
Tensor& normal_like_out(const Tensor& self, double mean, double std,
                        std::optional<Generator> generator, Tensor& out) {
  Tensor result = at::empty_like(self);
  return copy_to_exact_output("normal", out, _ops::normal_::call(result, mean, std, generator));
}

Tensor rand(IntArrayRef size, Dtype dtype, std::optional<Layout> layout, Where device,
            std::optional<bool> pin) {
  return uniform(empty_result(size, dtype, layout, device, pin), std::nullopt);
}
Tensor rand(IntArrayRef size, std::optional<Generator> g, Dtype dtype, std::optional<Layout> layout,
            Where device, std::optional<bool> pin) {
  return uniform(empty_result(size, dtype, layout, device, pin), g);
}
Tensor& rand_out(IntArrayRef size, std::optional<Generator> g, Tensor& out) {
  resize_output(out, size, "rand");
  return _ops::uniform_::call(out, 0, 1, g);
}
Tensor& rand_out(IntArrayRef size, Tensor& out) { return rand_out(size, std::nullopt, out); }
Tensor randn(IntArrayRef size, Dtype dtype, std::optional<Layout> layout, Where device,
             std::optional<bool> pin) {
  return standard_normal(empty_result(size, dtype, layout, device, pin), std::nullopt);
}
Tensor randn(IntArrayRef size, std::optional<Generator> g, Dtype dtype,
             std::optional<Layout> layout, Where device, std::optional<bool> pin) {
  return standard_normal(empty_result(size, dtype, layout, device, pin), g);
}
Tensor& randn_out(IntArrayRef size, std::optional<Generator> g, Tensor& out) {
  resize_output(out, size, "randn");
  return _ops::normal_::call(out, 0, 1, g);
}
Tensor& randn_out(IntArrayRef size, Tensor& out) { return randn_out(size, std::nullopt, out); }

static Tensor integers(Tensor t, int64_t low, int64_t high, std::optional<Generator> g) {
  return _ops::random__from::call(t, low, high, g);
}

Tensor randint(int64_t high, IntArrayRef size, Dtype dtype, std::optional<Layout> layout,
               Where device, std::optional<bool> pin) {
  return integers(empty_result(size, dtype, layout, device, pin), 0, high, std::nullopt);
}
Tensor randint(int64_t high, IntArrayRef size, std::optional<Generator> g, Dtype dtype,
               std::optional<Layout> layout, Where device, std::optional<bool> pin) {
  return integers(empty_result(size, dtype, layout, device, pin), 0, high, g);
}
Tensor randint(int64_t low, int64_t high, IntArrayRef size, Dtype dtype,
               std::optional<Layout> layout, Where device, std::optional<bool> pin) {
  return integers(empty_result(size, dtype, layout, device, pin), low, high, std::nullopt);
}
Tensor randint(int64_t low, int64_t high, IntArrayRef size, std::optional<Generator> g, Dtype dtype,
               std::optional<Layout> layout, Where device, std::optional<bool> pin) {
  return integers(empty_result(size, dtype, layout, device, pin), low, high, g);
}
Tensor& randint_out(int64_t low, int64_t high, IntArrayRef size, std::optional<Generator> g,
                    Tensor& out) {
  resize_output(out, size, "randint");
  return _ops::random__from::call(out, low, high, g);
}
Tensor& randint_out(int64_t low, int64_t high, IntArrayRef size, Tensor& out) {
  return randint_out(low, high, size, std::nullopt, out);
}
Tensor& randint_out(int64_t high, IntArrayRef size, std::optional<Generator> g, Tensor& out) {
  return randint_out(0, high, size, g, out);
}
Tensor& randint_out(int64_t high, IntArrayRef size, Tensor& out) {
  return randint_out(0, high, size, std::nullopt, out);
}

Tensor rand_like(const Tensor& self, Dtype dtype, std::optional<Layout> layout, Where device,
                 std::optional<bool> pin, std::optional<MemoryFormat> format) {
  return uniform(at::empty_like(self, dtype, layout, device, pin, format), std::nullopt);
}
Tensor randn_like(const Tensor& self, Dtype dtype, std::optional<Layout> layout, Where device,
                  std::optional<bool> pin, std::optional<MemoryFormat> format) {
  return standard_normal(at::empty_like(self, dtype, layout, device, pin, format), std::nullopt);
}
Tensor randint_like(const Tensor& self, int64_t high, Dtype dtype, std::optional<Layout> layout,
                    Where device, std::optional<bool> pin, std::optional<MemoryFormat> format) {
  return integers(at::empty_like(self, dtype, layout, device, pin, format), 0, high, std::nullopt);
}
Tensor randint_like(const Tensor& self, int64_t low, int64_t high, Dtype dtype,
                    std::optional<Layout> layout, Where device, std::optional<bool> pin,
                    std::optional<MemoryFormat> format) {
  return integers(at::empty_like(self, dtype, layout, device, pin, format), low, high,
                  std::nullopt);
}

// --- permutations: Fisher and Yates, from the front ---------------------------------------------

static void check_permutation(int64_t n, ScalarType dtype) {
  TORCH_CHECK(n >= 0, "randperm: n must be non-negative, got ", n);
  dispatch_types<RealTypes>(dtype, "randperm", [&]<typename T>(TypeTag<T>) {
    constexpr int digits = std::numeric_limits<T>::digits;
    if constexpr (std::is_integral_v<T>) {
      TORCH_CHECK(digits >= 63 || n - 1 <= static_cast<int64_t>(std::numeric_limits<T>::max()),
                  "randperm: value cannot be converted to type ", toString(dtype),
                  " without overflow: n is ", n);
    } else {
      TORCH_CHECK(dtype == kBFloat16 || n <= (int64_t(1) << digits) + 1,
                  "n cannot be greater than ",
                  dtype == kHalf ? "2049"
                  : digits == 24 ? "2^24+1"
                                 : "2^53+1",
                  " for ", toString(dtype), " type.");
    }
  });
}

Tensor randperm(int64_t n, std::optional<Generator> g, Dtype dtype, std::optional<Layout> layout,
                Where device, std::optional<bool> pin) {
  check_permutation(n, dtype.value_or(kLong));
  Tensor result = empty_result({n}, dtype.value_or(kLong), layout, device, pin);
  fill_with(randperm_stub, result, g);
  return result;
}
Tensor randperm(int64_t n, Dtype dtype, std::optional<Layout> layout, Where device,
                std::optional<bool> pin) {
  return randperm(n, std::nullopt, dtype, layout, device, pin);
}
Tensor& randperm_out(int64_t n, std::optional<Generator> g, Tensor& out) {
  check_permutation(n, out.scalar_type());
  resize_output(out, {n}, "randperm");
  DenseResult result(out, out.scalar_type());
  fill_with(randperm_stub, result.tensor(), g);
  result.finish();
  return out;
}
Tensor& randperm_out(int64_t n, Tensor& out) { return randperm_out(n, std::nullopt, out); }

// --- normal with tensors as parameters: standard normals, scaled and shifted --------------------

Tensor normal(const Tensor& mean, double std, std::optional<Generator> g) {
  TORCH_CHECK(std >= 0.0, "normal expects std >= 0.0, but found std ", std);
  Tensor z = at::empty_like(mean, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                            MemoryFormat::Contiguous);
  _ops::normal_::call(z, 0, std, g);
  return at::add(z, mean);
}
static void check_deviation(const Tensor& std) {
  TORCH_CHECK(!std.is_complex(), "normal expects standard deviation to be non-complex");
  TORCH_CHECK(!may_read(std) || at::item(at::min(std)).toDouble() >= 0,
              "normal expects all elements of std >= 0.0");
}

Tensor normal(double mean, const Tensor& std, std::optional<Generator> g) {
  check_deviation(std);
  Tensor z = at::empty_like(std, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                            MemoryFormat::Contiguous);
  _ops::normal_::call(z, 0, 1, g);
  return at::add(at::mul(z, std), wrapped_scalar_tensor(mean));
}
Tensor normal(const Tensor& mean, const Tensor& std, std::optional<Generator> g) {
  check_deviation(std);
  DimVector sizes = infer_broadcast_sizes(mean.sizes(), std.sizes(), "normal");
  Tensor z = at::empty(sizes, mean.options());
  _ops::normal_::call(z, 0, 1, g);
  return at::add(at::mul(z, std), mean);
}
Tensor normal(double mean, double std, IntArrayRef size, std::optional<Generator> g, Dtype dtype,
              std::optional<Layout> layout, Where device, std::optional<bool> pin) {
  Tensor t = empty_result(size, dtype, layout, device, pin);
  return _ops::normal_::call(t, mean, std, g);
}

Tensor rand_like(const Tensor& self, std::optional<Generator> g, Dtype dtype,
                 std::optional<Layout> layout, Where device, std::optional<bool> pin,
                 std::optional<MemoryFormat> format) {
  return uniform(at::empty_like(self, dtype, layout, device, pin, format), g);
}
Tensor randn_like(const Tensor& self, std::optional<Generator> g, Dtype dtype,
                  std::optional<Layout> layout, Where device, std::optional<bool> pin,
                  std::optional<MemoryFormat> format) {
  return standard_normal(at::empty_like(self, dtype, layout, device, pin, format), g);
}
Tensor randint_like(const Tensor& self, int64_t high, std::optional<Generator> g, Dtype dtype,
                    std::optional<Layout> layout, Where device, std::optional<bool> pin,
                    std::optional<MemoryFormat> format) {
  return integers(at::empty_like(self, dtype, layout, device, pin, format), 0, high, g);
}
Tensor randint_like(const Tensor& self, int64_t low, int64_t high, std::optional<Generator> g,
                    Dtype dtype, std::optional<Layout> layout, Where device,
                    std::optional<bool> pin, std::optional<MemoryFormat> format) {
  return integers(at::empty_like(self, dtype, layout, device, pin, format), low, high, g);
}
Tensor randint_like(const Tensor& self, const Tensor& high, std::optional<Generator> g, Dtype dtype,
                    std::optional<Layout> layout, Where device, std::optional<bool> pin,
                    std::optional<MemoryFormat> format) {
  TORCH_CHECK(high.numel() == 1, "randint_like: high must be a scalar tensor, got shape ",
              high.sizes());
  return integers(at::empty_like(self, dtype, layout, device, pin, format), 0,
                  at::item(high).toLong(), g);
}
Tensor randint_like(const Tensor& self, const Tensor& high, Dtype dtype,
                    std::optional<Layout> layout, Where device, std::optional<bool> pin,
                    std::optional<MemoryFormat> format) {
  return randint_like(self, high, std::nullopt, dtype, layout, device, pin, format);
}

}  // namespace at::native
