// Random fills on the CPU. Numbers are drawn in the order of the elements' memory.

#include <algorithm>
#include <cmath>
#include <cstring>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/native/common/Convert.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/random/random.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/bernoulli__native.h>
#include <ATen/ops/cauchy__native.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/exponential__native.h>
#include <ATen/ops/geometric__native.h>
#include <ATen/ops/log_normal__native.h>
#include <ATen/ops/normal__native.h>
#include <ATen/ops/random__native.h>
#include <ATen/ops/uniform__native.h>

namespace at::native {
namespace {

using OptionalGenerator = std::optional<Generator>;

// Writes fill(data, n) into a tensor in memory order. Dense tensors are filled in place; others
// through a buffer.
template <typename F>
void fill_in_order(const Tensor& self, const F& fill) {
  if (self.is_non_overlapping_and_dense()) {
    fill(self.data_ptr(), self.numel());
    return;
  }
  Tensor buffer = empty_tensor({self.numel()}, self.scalar_type());
  fill(buffer.data_ptr(), self.numel());
  const char* from = static_cast<const char*>(buffer.data_ptr());
  size_t item = self.itemsize();
  auto iter = TensorIteratorConfig("random").add_output(self).resize_outputs(false).build();
  iter.serial_for_each([&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
    for (int64_t j = 0; j < size1; ++j) {
      char* to = data[0] + j * strides[1];
      for (int64_t i = 0; i < size0; ++i, to += strides[0], from += item)
        std::memcpy(to, from, item);
    }
  }, 0, iter.numel());
}

// Numbers for half types are drawn in pieces of floats, which are converted together.
template <typename T, typename F>
void draw(T* out, int64_t n, const F& one) {
  if constexpr (is_reduced_float_v<T>) {
    constexpr int64_t kPiece = 1024;
    float piece[kPiece];
    for (int64_t i = 0; i < n; i += kPiece) {
      const int64_t count = std::min(kPiece, n - i);
      for (int64_t k = 0; k < count; ++k) piece[k] = static_cast<float>(one());
      convert_elements(kFloat, piece, CppTypeToScalarType<T>::value, out + i, count);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(one());
  }
}

// The same with one(gen) for each element, for any type in the list.
template <typename List, typename... More, typename F>
void fill_each(const Tensor& self, const char* op, const std::optional<Generator>& generator,
               const F& one) {
  if (self.numel() == 0) return;
  CPUGeneratorImpl* gen = cpu_generator_or_default(generator);
  std::lock_guard<std::mutex> lock(gen->mutex_);
  dispatch_types<List, More...>(self.scalar_type(), op, [&]<typename T>(TypeTag<T> tag) {
    fill_in_order(self, [&](void* data, int64_t n) {
      T* out = static_cast<T*>(data);
      for (int64_t i = 0; i < n; ++i) out[i] = one(*gen, tag);
    });
  });
}

template <typename F>
void fill_blocks(const Tensor& self, const std::optional<Generator>& generator, const F& fill) {
  if (self.numel() == 0) return;
  CPUGeneratorImpl* gen = cpu_generator_or_default(generator);
  std::lock_guard<std::mutex> lock(gen->mutex_);
  fill_in_order(self, [&](void* data, int64_t n) { fill(*gen, data, n); });
}

// Fills a complex tensor by `fill`, which fills a real tensor: real and imaginary parts alternate.
template <typename F>
void fill_complex(const Tensor& self, const F& fill) {
  Tensor parts = empty_tensor({2 * self.numel()}, toRealValueType(self.scalar_type()));
  fill(parts);
  fill_in_order(self, [&](void* data, int64_t n) {
    if (n > 0) std::memcpy(data, parts.data_ptr(), parts.nbytes());
  });
}

// base + a word modulo range; from 2^28 on it takes two words, else the bias would be visible.
void fill_range(const Tensor& self, uint64_t range, int64_t base,
                const std::optional<Generator>& generator) {
  const bool wide = range >= uint64_t(1) << 28, power = (range & (range - 1)) == 0;
  if (self.numel() == 0) return;
  CPUGeneratorImpl* gen = cpu_generator_or_default(generator);
  std::lock_guard<std::mutex> lock(gen->mutex_);
  dispatch_types<RealTypes, bool, UnsignedTypes>(self.scalar_type(), "random_",
                                                 [&]<typename T>(TypeTag<T>) {
    fill_in_order(self, [&](void* data, int64_t n) {
      T* out = static_cast<T*>(data);
      const auto moved = [base](uint64_t v) {
        return static_cast<int64_t>(v + static_cast<uint64_t>(base));
      };
      // Divisions of short words take less time, masks none.
      const auto narrow = static_cast<uint32_t>(range);
      if (wide) draw(out, n, [&] { return moved(gen->random64() % range); });
      else if (power) draw(out, n, [&] { return moved(gen->random() & (narrow - 1)); });
      else draw(out, n, [&] { return moved(gen->random() % narrow); });
    });
  });
}

}  // namespace

static void uniform_kernel(Tensor& self, double from, double to, OptionalGenerator generator) {
  if (self.is_complex())
    return fill_complex(self, [&](Tensor& parts) { uniform_kernel(parts, from, to, generator); });
  fill_blocks(self, generator, [&](CPUGeneratorImpl& gen, void* data, int64_t n) {
    uniform_fill_stub(kCPU, gen, self.scalar_type(), data, n, from, to);
  });
}

static void normal_kernel(Tensor& self, double mean, double std, OptionalGenerator generator) {
  if (self.numel() == 0) return;
  if (self.is_complex()) {
    // Each part has half of the variance and the full mean.
    return fill_complex(
        self, [&](Tensor& parts) { normal_kernel(parts, mean, std / M_SQRT2, generator); });
  }
  const ScalarType dtype = self.scalar_type();
  const int64_t n = self.numel();
  CPUGeneratorImpl* gen = cpu_generator_or_default(generator);
  std::lock_guard<std::mutex> lock(gen->mutex_);
  if (n >= 16 && self.is_contiguous())
    return normal_fill_stub(kCPU, *gen, dtype, self.data_ptr(), n, mean, std);
  dispatch_types<FloatingAndReduced>(dtype, "normal_", [&]<typename T>(TypeTag<T>) {
    fill_in_order(self, [&](void* data, int64_t count) {
      T* out = static_cast<T*>(data);
      for (int64_t i = 0; i < count; ++i)
        out[i] = static_cast<T>(gen->normal_double() * std + mean);
    });
  });
}

static void random_from_kernel(Tensor& self, int64_t from, std::optional<int64_t> to,
                               OptionalGenerator generator) {
  const IntegerRange range = integer_range(self.scalar_type(), from, to);
  if (range.size != 0) return fill_range(self, range.size, range.first, generator);
  // The full int64 range: the words unchanged.
  fill_each<TypeList<int64_t>, double>(self, "random_", generator,
                                       []<typename T>(CPUGeneratorImpl& gen, TypeTag<T>) {
    return static_cast<T>(static_cast<int64_t>(gen.random64()));
  });
}

static void random_to_kernel(Tensor& self, int64_t to, OptionalGenerator generator) {
  random_from_kernel(self, 0, to, generator);
}

static void random_kernel(Tensor& self, OptionalGenerator generator) {
  fill_each<RealTypes, bool, UnsignedTypes>(self, "random_", generator,
                                            []<typename T>(CPUGeneratorImpl& gen, TypeTag<T>) {
    if constexpr (std::is_same_v<T, bool>) {
      return static_cast<bool>(gen.random() & 1);
    } else if constexpr (std::is_same_v<T, double>) {
      return static_cast<double>(gen.random64() % ((uint64_t(1) << 53) + 1));
    } else if constexpr (!std::is_integral_v<T>) {
      return static_cast<T>(
          static_cast<float>(gen.random() % ((uint64_t(1) << std::numeric_limits<T>::digits) + 1)));
    } else if constexpr (sizeof(T) == 8) {
      return static_cast<T>(gen.random64() % (static_cast<uint64_t>(std::numeric_limits<T>::max()) +
                                              (std::is_signed_v<T> ? 1 : 0)));
    } else {
      return static_cast<T>(gen.random() %
                            (static_cast<uint64_t>(std::numeric_limits<T>::max()) + 1));
    }
  });
}

static void bernoulli_float_kernel(Tensor& self, double p, OptionalGenerator generator) {
  fill_blocks(self, generator, [&](CPUGeneratorImpl& gen, void* data, int64_t n) {
    bernoulli_fill_stub(kCPU, gen, self.scalar_type(), data, n, p);
  });
}

namespace {

void check_probability(double p) {
  TORCH_CHECK(p >= 0 && p <= 1, "Expected p_in >= 0 && p_in <= 1 to be true, but got p=", p);
}

// to[i] = whether a number drawn from [0, 1) in the type of p is less than p[i].
template <typename P, typename T>
void bernoulli_run(CPUGeneratorImpl& gen, const P* p, T* to, int64_t n) {
  using Flag = std::conditional_t<sizeof(P) == 8, int64_t, int32_t>;  // for GCC to vectorize
  constexpr int64_t kPiece = 1024;
  const T one = static_cast<T>(1.0f), zero = static_cast<T>(0.0f);
  P drawn[kPiece];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t count = std::min(kPiece, n - i);
    Flag invalid = 0;
    for (int64_t k = 0; k < count; ++k) invalid |= !(p[i + k] >= 0) | !(p[i + k] <= 1);
    for (int64_t k = 0; k < count && invalid; ++k) check_probability(p[i + k]);
    uniform_fill_stub(kCPU, gen, c10::CppTypeToScalarType<P>::value, drawn, count, 0, 1);
    for (int64_t k = 0; k < count; ++k) to[i + k] = drawn[k] < p[i + k] ? one : zero;
  }
}

// The order of numbers is that of memory, so operands with the same strides are one run.
template <typename P>
void bernoulli_by(CPUGeneratorImpl& gen, const Tensor& self, const Tensor& probabilities) {
  const bool is_run =
      self.is_non_overlapping_and_dense() && self.strides() == probabilities.strides();
  dispatch_types<RealTypes, bool>(self.scalar_type(), "bernoulli_", [&]<typename T>(TypeTag<T>) {
    if (is_run)
      return bernoulli_run(gen, static_cast<const P*>(probabilities.data_ptr()),
                           static_cast<T*>(self.data_ptr()), self.numel());
    auto iter = TensorIteratorConfig("bernoulli_")
                    .add_output(self)
                    .add_input(probabilities)
                    .check_all_same_dtype(false)
                    .build();
    iter.serial_for_each([&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
      for (int64_t j = 0; j < size1; ++j) {
        char* to = data[0] + j * strides[2];
        const char* from = data[1] + j * strides[3];
        for (int64_t i = 0; i < size0; ++i, to += strides[0], from += strides[1]) {
          const P probability = *reinterpret_cast<const P*>(from);
          check_probability(probability);
          bool hit;
          if constexpr (std::is_same_v<P, double>) hit = gen.uniform_double() < probability;
          else hit = gen.uniform_float() < probability;
          *reinterpret_cast<T*>(to) = static_cast<T>(hit ? 1.0f : 0.0f);
        }
      }
    }, 0, iter.numel());
  });
}

}  // namespace

static void bernoulli_tensor_kernel(Tensor& self, const Tensor& p, OptionalGenerator generator) {
  if (self.numel() == 0) return;
  CPUGeneratorImpl* gen = cpu_generator_or_default(generator);
  std::lock_guard<std::mutex> lock(gen->mutex_);
  // Probabilities stay in float or double: the type decides how many words an element
  // consumes.
  const bool is_double = p.scalar_type() == kDouble;
  const Tensor probabilities =
      is_double || p.scalar_type() == kFloat ? p : at::_to_copy(p, TensorOptions(kFloat));
  const Tensor expanded = at::expand(probabilities, self.sizes());
  if (is_double) bernoulli_by<double>(*gen, self, expanded);
  else bernoulli_by<float>(*gen, self, expanded);
}

static void exponential_kernel(Tensor& self, double lambd, OptionalGenerator generator) {
  fill_blocks(self, generator, [&](CPUGeneratorImpl& gen, void* data, int64_t n) {
    exponential_fill_stub(kCPU, gen, self.scalar_type(), data, n, lambd);
  });
}

static void geometric_kernel(Tensor& self, double p, OptionalGenerator generator) {
  fill_blocks(self, generator, [&](CPUGeneratorImpl& gen, void* data, int64_t n) {
    geometric_fill_stub(kCPU, gen, self.scalar_type(), data, n, p);
  });
}

static void log_normal_kernel(Tensor& self, double mean, double std, OptionalGenerator generator) {
  fill_each<FloatingAndReduced>(self, "log_normal_", generator,
                                [&]<typename T>(CPUGeneratorImpl& gen, TypeTag<T>) {
    return static_cast<T>(std::exp(gen.normal_double() * std + mean));
  });
}

static void cauchy_kernel(Tensor& self, double median, double sigma, OptionalGenerator generator) {
  fill_blocks(self, generator, [&](CPUGeneratorImpl& gen, void* data, int64_t n) {
    cauchy_fill_stub(kCPU, gen, self.scalar_type(), data, n, median, sigma);
  });
}

REGISTER_ALL_CPU_DISPATCH(uniform_stub, &uniform_kernel)
REGISTER_ALL_CPU_DISPATCH(normal_stub, &normal_kernel)
REGISTER_ALL_CPU_DISPATCH(random_from_stub, &random_from_kernel)
REGISTER_ALL_CPU_DISPATCH(random_to_stub, &random_to_kernel)
REGISTER_ALL_CPU_DISPATCH(random_stub, &random_kernel)
REGISTER_ALL_CPU_DISPATCH(bernoulli_float_stub, &bernoulli_float_kernel)
REGISTER_ALL_CPU_DISPATCH(bernoulli_tensor_stub, &bernoulli_tensor_kernel)
REGISTER_ALL_CPU_DISPATCH(exponential_stub, &exponential_kernel)
REGISTER_ALL_CPU_DISPATCH(geometric_stub, &geometric_kernel)
REGISTER_ALL_CPU_DISPATCH(log_normal_stub, &log_normal_kernel)
REGISTER_ALL_CPU_DISPATCH(cauchy_stub, &cauchy_kernel)

}  // namespace at::native
