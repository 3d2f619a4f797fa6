// New tensors of random numbers.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/add.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/item.h>
#include <ATen/ops/min.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/multinomial_native.h>
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

static Tensor fresh(IntArrayRef size, Dtype dtype, std::optional<Layout> layout, Where device,
                    std::optional<bool> pin) {
  return at::empty(size, dtype, layout, device, pin, std::nullopt);
}
static Tensor uniform(Tensor t, std::optional<Generator> g) {
  return _ops::uniform_::call(t, 0, 1, g);
}
static Tensor standard_normal(Tensor t, std::optional<Generator> g) {
  return _ops::normal_::call(t, 0, 1, g);
}

Tensor rand(IntArrayRef size, Dtype dtype, std::optional<Layout> layout, Where device,
            std::optional<bool> pin) {
  return uniform(fresh(size, dtype, layout, device, pin), std::nullopt);
}
Tensor rand(IntArrayRef size, std::optional<Generator> g, Dtype dtype, std::optional<Layout> layout,
            Where device, std::optional<bool> pin) {
  return uniform(fresh(size, dtype, layout, device, pin), g);
}
Tensor& rand_out(IntArrayRef size, std::optional<Generator> g, Tensor& out) {
  resize_output(out, size, "rand");
  return _ops::uniform_::call(out, 0, 1, g);
}
Tensor& rand_out(IntArrayRef size, Tensor& out) { return rand_out(size, std::nullopt, out); }
Tensor randn(IntArrayRef size, Dtype dtype, std::optional<Layout> layout, Where device,
             std::optional<bool> pin) {
  return standard_normal(fresh(size, dtype, layout, device, pin), std::nullopt);
}
Tensor randn(IntArrayRef size, std::optional<Generator> g, Dtype dtype,
             std::optional<Layout> layout, Where device, std::optional<bool> pin) {
  return standard_normal(fresh(size, dtype, layout, device, pin), g);
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
  return integers(fresh(size, dtype, layout, device, pin), 0, high, std::nullopt);
}
Tensor randint(int64_t high, IntArrayRef size, std::optional<Generator> g, Dtype dtype,
               std::optional<Layout> layout, Where device, std::optional<bool> pin) {
  return integers(fresh(size, dtype, layout, device, pin), 0, high, g);
}
Tensor randint(int64_t low, int64_t high, IntArrayRef size, Dtype dtype,
               std::optional<Layout> layout, Where device, std::optional<bool> pin) {
  return integers(fresh(size, dtype, layout, device, pin), low, high, std::nullopt);
}
Tensor randint(int64_t low, int64_t high, IntArrayRef size, std::optional<Generator> g, Dtype dtype,
               std::optional<Layout> layout, Where device, std::optional<bool> pin) {
  return integers(fresh(size, dtype, layout, device, pin), low, high, g);
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

static void fill_permutation(const Tensor& result, int64_t n, const std::optional<Generator>& g) {
  CPUGeneratorImpl* gen = cpu_generator_or_default(g);
  std::lock_guard<std::mutex> lock(gen->mutex_);
  dispatch_types<RealTypes>(result.scalar_type(), "randperm", [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* p = static_cast<T*>(result.data_ptr());
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_arithmetic_v<T>) {
        p[i] = static_cast<T>(i);
      } else {
        p[i] = static_cast<T>(static_cast<float>(i));
      }
    }
    // 32 bits leave no visible skew while n is small beside 2^32.
    bool narrow = n < static_cast<int64_t>(UINT32_MAX / 20);
    for (int64_t i = 0; i < n - 1; ++i) {
      int64_t z = narrow ? gen->random() % static_cast<uint64_t>(n - i)
                         : static_cast<int64_t>(gen->random64() % static_cast<uint64_t>(n - i));
      std::swap(p[i], p[i + z]);
    }
  });
}

static void check_permutation(int64_t n, ScalarType dtype) {
  TORCH_CHECK(n >= 0, "randperm: n must be non-negative, got ", n);
  dispatch_types<RealTypes>(dtype, "randperm", [&](auto tag) {
    using T = typename decltype(tag)::type;
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
  Tensor result = fresh({n}, dtype.value_or(kLong), layout, device, pin);
  if (!result.is_meta() && n > 0) fill_permutation(result, n, g);
  return result;
}
Tensor randperm(int64_t n, Dtype dtype, std::optional<Layout> layout, Where device,
                std::optional<bool> pin) {
  return randperm(n, std::nullopt, dtype, layout, device, pin);
}
Tensor& randperm_out(int64_t n, std::optional<Generator> g, Tensor& out) {
  check_permutation(n, out.scalar_type());
  resize_output(out, {n}, "randperm");
  if (out.is_meta() || n == 0) return out;
  Tensor result = out.is_contiguous() ? out : empty_tensor({n}, out.scalar_type());
  fill_permutation(result, n, g);
  if (!result.is_same(out)) _ops::copy_::call(out, result, false);
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
  if (std.is_meta() || std.numel() == 0) return;
  TORCH_CHECK(at::item(at::min(std)).toDouble() >= 0, "normal expects all elements of std >= 0.0");
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
  Tensor t = fresh(size, dtype, layout, device, pin);
  return _ops::normal_::call(t, mean, std, g);
}

// --- multinomial --------------------------------------------------------------------------------

Tensor multinomial(const Tensor& self, int64_t num_samples, bool replacement,
                   std::optional<Generator> g) {
  TORCH_CHECK(self.dim() == 1 || self.dim() == 2, "multinomial: prob_dist must be 1 or 2 dim, got ",
              self.dim());
  TORCH_CHECK(isFloatingType(self.scalar_type()),
              "multinomial only supports floating-point dtypes for input, got: ",
              toString(self.scalar_type()));
  TORCH_CHECK(num_samples > 0, "multinomial: cannot sample n_sample <= 0 samples, got ",
              num_samples);
  int64_t categories = self.sizes()[self.dim() - 1], rows = self.dim() == 2 ? self.sizes()[0] : 1;
  TORCH_CHECK(
      replacement || num_samples <= categories,
      "multinomial: cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  Tensor p = at::_to_copy(self, std::optional<ScalarType>(kDouble), std::nullopt, std::nullopt,
                          std::nullopt, false, MemoryFormat::Contiguous);
  DimVector sizes;
  if (self.dim() == 2) sizes.push_back(rows);
  sizes.push_back(num_samples);
  Tensor result = empty_tensor(sizes, kLong);
  CPUGeneratorImpl* gen = cpu_generator_or_default(g);
  std::lock_guard<std::mutex> lock(gen->mutex_);
  auto* out = static_cast<int64_t*>(result.data_ptr());
  auto* weights = static_cast<double*>(p.data_ptr());
  for (int64_t i = 0; i < rows * categories; ++i) {
    TORCH_CHECK(weights[i] >= 0 && std::isfinite(weights[i]),
                "probability tensor contains either `inf`, `nan` or element < 0");
  }
  bool single = self.scalar_type() != kDouble;
  if (!replacement || num_samples == 1) {
    // The categories with the smallest q / p, q exponential: all rows draw first (Efraimidis and
    // Spirakis 2006).
    std::vector<double> keys(static_cast<size_t>(rows * categories));
    for (double& k : keys) {
      double q = -std::log1p(-gen->uniform_double());
      k = single ? static_cast<float>(q) : q;
    }
    std::vector<int64_t> order(static_cast<size_t>(categories));
    for (int64_t r = 0; r < rows; ++r) {
      const double* w = weights + r * categories;
      double sum = std::accumulate(w, w + categories, 0.0);
      TORCH_CHECK(sum > 0, "invalid multinomial distribution (sum of probabilities <= 0)");
      auto score = [&](int64_t i) { return w[i] / keys[static_cast<size_t>(r * categories + i)]; };
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + num_samples, order.end(),
                        [&](int64_t a, int64_t b) {
        double sa = score(a), sb = score(b);
        return sa != sb ? sa > sb : a < b;
      });
      std::copy_n(order.begin(), num_samples, out + r * num_samples);
    }
    return result;
  }
  for (int64_t r = 0; r < rows; ++r) {
    double* w = weights + r * categories;
    double sum = 0;
    for (int64_t i = 0; i < categories; ++i) w[i] = sum += w[i];
    TORCH_CHECK(sum > 0, "invalid multinomial distribution (sum of probabilities <= 0)");
    for (int64_t i = 0; i < categories; ++i) w[i] /= sum;
    for (int64_t k = 0; k < num_samples; ++k) {
      double u = gen->uniform_double();
      out[r * num_samples + k] =
          std::min<int64_t>(std::lower_bound(w, w + categories, u) - w, categories - 1);
    }
  }
  return result;
}

}  // namespace at::native
