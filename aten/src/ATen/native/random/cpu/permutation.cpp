// randperm and multinomial on the CPU: indices drawn one after the other.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/random/random.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/multinomial_native.h>

namespace at::native {

// Fisher and Yates, from the front.
static void randperm_kernel(const Tensor& result, const std::optional<Generator>& g) {
  const int64_t n = result.numel();
  CPUGeneratorImpl* gen = cpu_generator_or_default(g);
  std::lock_guard<std::mutex> lock(gen->mutex_);
  dispatch_types<RealTypes>(result.scalar_type(), "randperm", [&]<typename T>(TypeTag<T>) {
    T* p = static_cast<T*>(result.data_ptr());
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_arithmetic_v<T>) {
        p[i] = static_cast<T>(i);
      } else {
        p[i] = static_cast<T>(static_cast<float>(i));
      }
    }
    // 32 bits leave no visible bias while n is small compared with 2^32.
    bool narrow = n < static_cast<int64_t>(UINT32_MAX / 20);
    for (int64_t i = 0; i < n - 1; ++i) {
      int64_t z = narrow ? gen->random() % static_cast<uint64_t>(n - i)
                         : static_cast<int64_t>(gen->random64() % static_cast<uint64_t>(n - i));
      std::swap(p[i], p[i + z]);
    }
  });
}

REGISTER_ALL_CPU_DISPATCH(randperm_stub, &randperm_kernel)

// The indices of the k largest of n scores, the largest first; the first of equal ones.
static void largest(const double* score, int64_t n, int64_t k, int64_t* index) {
  if (k == 1) {
    *index = std::max_element(score, score + n) - score;
    return;
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const auto before = [score](int64_t a, int64_t b) {
    return score[a] != score[b] ? score[a] > score[b] : a < b;
  };
  // A heap of few is left alone by most; many are put apart before they are sorted.
  if (k < n / 16) {
    std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
  } else {
    if (k < n) std::nth_element(order.begin(), order.begin() + k, order.end(), before);
    std::sort(order.begin(), order.begin() + k, before);
  }
  std::copy_n(order.begin(), k, index);
}

// Without replacement: the categories with the largest p / q, where q is exponentially distributed
// (Efraimidis and Spirakis 2006).
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
  if (!replacement || num_samples == 1) {
    // All rows are drawn first, in the order of the memory of a tensor like the input.
    const Tensor like = at::empty_like(self);
    const int64_t across = like.strides().back(), down = self.dim() == 2 ? like.strides()[0] : 0;
    const int64_t n = rows * categories;
    const auto sample = [&]<typename T>(TypeTag<T>) {
      Scratch<T> keys(n);
      exponential_fill_stub(kCPU, *gen, CppTypeToScalarType<T>::value, keys.get(), n, 1.0);
      for (int64_t r = 0; r < rows; ++r) {
        double* w = weights + r * categories;
        TORCH_CHECK(std::accumulate(w, w + categories, 0.0) > 0,
                    "invalid multinomial distribution (sum of probabilities <= 0)");
        const T* key = keys.get() + r * down;
        for (int64_t i = 0; i < categories; ++i) w[i] /= key[i * across];
        largest(w, categories, num_samples, out + r * num_samples);
      }
    };
    if (self.scalar_type() == kDouble) sample(TypeTag<double>());
    else sample(TypeTag<float>());
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
