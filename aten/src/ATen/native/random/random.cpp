// Random fills of existing tensors.

#include <cmath>
#include <cstring>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/random/random.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/bernoulli__native.h>
#include <ATen/ops/bernoulli__ops.h>
#include <ATen/ops/bernoulli_native.h>
#include <ATen/ops/cauchy__native.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/exponential__native.h>
#include <ATen/ops/geometric__native.h>
#include <ATen/ops/log_normal__native.h>
#include <ATen/ops/normal__native.h>
#include <ATen/ops/random__native.h>
#include <ATen/ops/uniform__native.h>

namespace at::native {
namespace {

// Writes fill(data, n) into a tensor in the order of a walk through its memory. Dense tensors are
// filled in place; others through a buffer.
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

// The same with one(gen) for each element, of any type that the list names.
template <typename List, typename... More, typename F>
void fill_each(const Tensor& self, const char* op, const std::optional<Generator>& generator,
               const F& one) {
  if (self.numel() == 0 || self.is_meta()) return;
  CPUGeneratorImpl* gen = cpu_generator_or_default(generator);
  std::lock_guard<std::mutex> lock(gen->mutex_);
  dispatch_types<List, More...>(self.scalar_type(), op, [&](auto tag) {
    using T = typename decltype(tag)::type;
    fill_in_order(self, [&](void* data, int64_t n) {
      T* out = static_cast<T*>(data);
      for (int64_t i = 0; i < n; ++i) out[i] = one(*gen, tag);
    });
  });
}

template <typename F>
void fill_blocks(const Tensor& self, const std::optional<Generator>& generator, const F& fill) {
  if (self.numel() == 0 || self.is_meta()) return;
  CPUGeneratorImpl* gen = cpu_generator_or_default(generator);
  std::lock_guard<std::mutex> lock(gen->mutex_);
  fill_in_order(self, [&](void* data, int64_t n) { fill(*gen, data, n); });
}

double largest(ScalarType t) {
  double value = 0;
  dispatch_types<FloatingAndReduced>(t, "uniform_", [&](auto tag) {
    value = static_cast<double>(std::numeric_limits<typename decltype(tag)::type>::max());
  });
  return value;
}

}  // namespace

Tensor& uniform_(Tensor& self, double from, double to, std::optional<Generator> generator) {
  if (self.is_complex()) {
    if (self.is_meta()) return self;
    // Real and imaginary parts in turn.
    Tensor parts = empty_tensor({2 * self.numel()}, toRealValueType(self.scalar_type()));
    uniform_(parts, from, to, generator);
    fill_in_order(self, [&](void* data, int64_t n) {
      if (n > 0) std::memcpy(data, parts.data_ptr(), parts.nbytes());
    });
    return self;
  }
  double most = largest(self.scalar_type());
  TORCH_CHECK(from >= -most && from <= most && to >= -most && to <= most,
              "uniform_: from and to must be within the range of ", dtypeName(self.scalar_type()),
              ", got from=", from, ", to=", to);
  TORCH_CHECK(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from,
              " > to=", to);
  TORCH_CHECK(to - from <= most, "uniform_ expects to-from <= std::numeric_limits<",
              toString(self.scalar_type()), ">::max(), but found to=", to, " and from=", from);
  fill_blocks(self, generator, [&](CPUGeneratorImpl& gen, void* data, int64_t n) {
    uniform_fill_stub(kCPU, gen, self.scalar_type(), data, n, from, to);
  });
  return self;
}

Tensor& normal_(Tensor& self, double mean, double std, std::optional<Generator> generator) {
  TORCH_CHECK(std >= 0.0, "normal expects std >= 0.0, but found std ", std);
  if (self.numel() == 0 || self.is_meta()) return self;
  CPUGeneratorImpl* gen = cpu_generator_or_default(generator);
  ScalarType dtype = self.scalar_type();
  int64_t n = self.numel();
  if (self.is_complex()) {
    // Real and imaginary parts in turn, each with half of the variance and all of the mean.
    Tensor parts = empty_tensor({2 * n}, toRealValueType(dtype));
    normal_(parts, mean, std / M_SQRT2, generator);
    fill_in_order(self, [&](void* data, int64_t n) {
      if (n > 0) std::memcpy(data, parts.data_ptr(), parts.nbytes());
    });
    return self;
  }
  std::lock_guard<std::mutex> lock(gen->mutex_);
  if (n >= 16 && self.is_contiguous()) {
    normal_fill_stub(kCPU, *gen, dtype, self.data_ptr(), n, mean, std);
    return self;
  }
  dispatch_types<FloatingAndReduced>(dtype, "normal_", [&](auto tag) {
    using T = typename decltype(tag)::type;
    fill_in_order(self, [&](void* data, int64_t count) {
      T* out = static_cast<T*>(data);
      for (int64_t i = 0; i < count; ++i)
        out[i] = static_cast<T>(gen->normal_double() * std + mean);
    });
  });
  return self;
}

// --- integers -----------------------------------------------------------------------------------

namespace {

// base + a word modulo range; from 2^28 on two words make one, else the skew would show.
void fill_range(const Tensor& self, uint64_t range, int64_t base,
                const std::optional<Generator>& generator) {
  bool wide = range >= uint64_t(1) << 28;
  fill_each<RealTypes, bool, UnsignedTypes>(self, "random_", generator,
                                            [&](CPUGeneratorImpl& gen, auto tag) {
    using T = typename decltype(tag)::type;
    uint64_t word = wide ? gen.random64() : gen.random();
    auto v = static_cast<int64_t>(word % range + static_cast<uint64_t>(base));
    if constexpr (std::is_arithmetic_v<T>) {
      return static_cast<T>(v);
    } else {
      return static_cast<T>(static_cast<float>(v));
    }
  });
}

// The largest integer up to which a type holds all of them.
void type_bounds(ScalarType t, int64_t& low, int64_t& high) {
  dispatch_types<RealTypes, bool, UnsignedTypes>(t, "random_", [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      low = static_cast<int64_t>(std::numeric_limits<T>::lowest());
      high = sizeof(T) == 8 ? INT64_MAX : static_cast<int64_t>(std::numeric_limits<T>::max());
    } else {
      high = int64_t(1) << std::numeric_limits<T>::digits;
      low = -high;
    }
  });
}

// [from, to) narrowed to numbers that a floating type rounds to within it: 2^27 - 1 would become
// 2^27 in float.
template <typename T>
void narrow_to_numbers(int64_t& from, int64_t& to) {
  constexpr int digits = std::numeric_limits<T>::digits;
  constexpr double kEnd = 9223372036854775808.0;
  auto as_number = [](int64_t v) {
    return static_cast<double>(
        static_cast<T>(static_cast<std::conditional_t<sizeof(T) == 8, double, float>>(v)));
  };
  auto step = [](int64_t v) {
    uint64_t size = v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
    int n = size == 0 ? 0 : 63 - __builtin_clzll(size);
    return int64_t(1) << std::max(0, n - digits + 1);
  };
  double above = as_number(from + 1), below = as_number(to - 1);
  if (above >= -kEnd && above < kEnd && static_cast<int64_t>(above) < from)
    from = static_cast<int64_t>(above) + step(from + 1);
  if (below >= -kEnd && below < kEnd && static_cast<int64_t>(below) >= to)
    to = static_cast<int64_t>(below) - step(to - 1);
}

void check_bounds(const Tensor& self, int64_t from, int64_t to) {
  if (self.scalar_type() == kHalf) {
    constexpr int64_t kMost = 65504;
    TORCH_CHECK(from >= -kMost && from <= kMost, "from is out of bounds for Half");
    TORCH_CHECK(to - 1 >= -kMost && to - 1 <= kMost, "to - 1 is out of bounds for Half");
  }
  int64_t low = 0, high = 0;
  type_bounds(self.scalar_type(), low, high);
  if (isFloatingType(self.scalar_type())) {
    // Beyond this not every integer has a number of the type; PyTorch warns, and rounds.
    if (from < low || from > high)
      TORCH_WARN("from is out of bounds [", low, ", ", high,
                 "]: numbers will be rounded to those of ", dtypeName(self.scalar_type()));
    return;
  }
  TORCH_CHECK(from >= low && from <= high, "from is out of bounds for ",
              dtypeName(self.scalar_type()));
  TORCH_CHECK(to - 1 >= low && to - 1 <= high, "to - 1 is out of bounds for ",
              dtypeName(self.scalar_type()));
}

}  // namespace

Tensor& random_(Tensor& self, int64_t from, std::optional<int64_t> to_opt,
                std::optional<Generator> generator) {
  if (to_opt) {
    int64_t to = *to_opt;
    TORCH_CHECK(from < to, "random_ expects 'from' to be less than 'to', but got from=", from,
                " >= to=", to);
    check_bounds(self, from, to);
    if (self.is_floating_point()) {
      dispatch_types<FloatingAndReduced>(self.scalar_type(), "random_", [&](auto tag) {
        narrow_to_numbers<typename decltype(tag)::type>(from, to);
      });
      TORCH_CHECK(from < to,
                  "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, "
                  "but got from=",
                  from, " >= to=", to);
    }
    fill_range(self, static_cast<uint64_t>(to) - static_cast<uint64_t>(from), from, generator);
    return self;
  }
  int64_t low = 0, high = 0;
  type_bounds(self.scalar_type(), low, high);
  TORCH_CHECK(from >= low && from <= high, "from is out of bounds for ",
              dtypeName(self.scalar_type()));
  uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(from) + 1;
  if (range == 0) {
    // All of int64: the words as they are.
    fill_each<TypeList<int64_t>, double>(self, "random_", generator,
                                         [](CPUGeneratorImpl& gen, auto tag) {
      return static_cast<typename decltype(tag)::type>(static_cast<int64_t>(gen.random64()));
    });
    return self;
  }
  fill_range(self, range, from, generator);
  return self;
}

Tensor& random_(Tensor& self, int64_t to, std::optional<Generator> generator) {
  return random_(self, 0, to, generator);
}

Tensor& random_(Tensor& self, std::optional<Generator> generator) {
  fill_each<RealTypes, bool, UnsignedTypes>(self, "random_", generator,
                                            [](CPUGeneratorImpl& gen, auto tag) {
    using T = typename decltype(tag)::type;
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
  return self;
}

// --- bernoulli ----------------------------------------------------------------------------------

Tensor& bernoulli_(Tensor& self, double p, std::optional<Generator> generator) {
  TORCH_CHECK(0 <= p && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
  if (self.numel() == 0 || self.is_meta()) return self;
  fill_blocks(self, generator, [&](CPUGeneratorImpl& gen, void* data, int64_t n) {
    bernoulli_fill_stub(kCPU, gen, self.scalar_type(), data, n, p);
  });
  return self;
}

Tensor& bernoulli_(Tensor& self, const Tensor& p, std::optional<Generator> generator) {
  TORCH_CHECK(isFloatingType(p.scalar_type()),
              "bernoulli_: expected probabilities tensor to have floating type, got ",
              toString(p.scalar_type()));
  if (self.numel() == 0 || self.is_meta()) return self;
  CPUGeneratorImpl* gen = cpu_generator_or_default(generator);
  std::lock_guard<std::mutex> lock(gen->mutex_);
  bool wide = p.scalar_type() == kDouble;
  // Probabilities in float or double, as wide as they came: that decides how many words an element
  // takes.
  Tensor probabilities = p.scalar_type() == kDouble || p.scalar_type() == kFloat
                             ? p
                             : at::_to_copy(p, TensorOptions(kFloat));
  Tensor expanded = at::expand(probabilities, self.sizes());
  dispatch_types<RealTypes, bool>(self.scalar_type(), "bernoulli_", [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto iter = TensorIteratorConfig("bernoulli_")
                    .add_output(self)
                    .add_input(expanded)
                    .check_all_same_dtype(false)
                    .build();
    iter.serial_for_each([&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
      for (int64_t j = 0; j < size1; ++j) {
        char* to = data[0] + j * strides[2];
        const char* from = data[1] + j * strides[3];
        for (int64_t i = 0; i < size0; ++i, to += strides[0], from += strides[1]) {
          double prob =
              wide ? *reinterpret_cast<const double*>(from) : *reinterpret_cast<const float*>(from);
          TORCH_CHECK(prob >= 0 && prob <= 1,
                      "Expected p_in >= 0 && p_in <= 1 to be true, but got p=", prob);
          bool hit =
              wide ? gen->uniform_double() < prob : gen->uniform_float() < static_cast<float>(prob);
          *reinterpret_cast<T*>(to) = static_cast<T>(hit ? 1.0f : 0.0f);
        }
      }
    }, 0, iter.numel());
  });
  return self;
}

Tensor bernoulli(const Tensor& self, std::optional<Generator> generator) {
  TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point(), "\"bernoulli\" not implemented for '",
                              toString(self.scalar_type()), "'");
  Tensor result =
      at::empty_like(self, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt);
  return at::_ops::bernoulli__Tensor::call(result, self, generator);
}

Tensor bernoulli(const Tensor& self, double p, std::optional<Generator> generator) {
  Tensor result =
      at::empty_like(self, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt);
  return at::_ops::bernoulli__float::call(result, p, generator);
}

// --- other distributions ------------------------------------------------------------------------

Tensor& exponential_(Tensor& self, double lambd, std::optional<Generator> generator) {
  TORCH_CHECK(lambd > 0.0, "exponential_ expects lambda > 0.0, but found lambda=", lambd);
  fill_each<FloatingAndReduced>(self, "exponential_", generator,
                                [&](CPUGeneratorImpl& gen, auto tag) {
    return static_cast<typename decltype(tag)::type>(-1.0 / lambd *
                                                     std::log1p(-gen.uniform_double()));
  });
  return self;
}

Tensor& geometric_(Tensor& self, double p, std::optional<Generator> generator) {
  TORCH_CHECK(0 < p && p < 1, "geometric_ expects p to be in (0, 1), but got p=", p);
  fill_each<RealTypes>(self, "geometric_", generator, [&](CPUGeneratorImpl& gen, auto tag) {
    using T = typename decltype(tag)::type;
    double v = std::ceil(std::log(gen.uniform_double()) / std::log1p(-p));
    if constexpr (std::is_arithmetic_v<T>) {
      return static_cast<T>(v);
    } else {
      return static_cast<T>(static_cast<float>(v));
    }
  });
  return self;
}

Tensor& log_normal_(Tensor& self, double mean, double std, std::optional<Generator> generator) {
  TORCH_CHECK(std > 0.0, "log_normal_ expects std > 0.0, but found std=", std);
  fill_each<FloatingAndReduced>(self, "log_normal_", generator,
                                [&](CPUGeneratorImpl& gen, auto tag) {
    return static_cast<typename decltype(tag)::type>(std::exp(gen.normal_double() * std + mean));
  });
  return self;
}

Tensor& cauchy_(Tensor& self, double median, double sigma, std::optional<Generator> generator) {
  TORCH_CHECK(self.is_floating_point(),
              "cauchy_: the distribution is continuous, so dtype must be a floating point, not ",
              dtypeName(self.scalar_type()));
  TORCH_CHECK(sigma > 0.0, "cauchy_ expects sigma > 0.0, but found sigma=", sigma);
  fill_each<FloatingAndReduced>(self, "cauchy_", generator, [&](CPUGeneratorImpl& gen, auto tag) {
    return static_cast<typename decltype(tag)::type>(
        median + sigma * std::tan(M_PI * (gen.uniform_double() - 0.5)));
  });
  return self;
}

}  // namespace at::native
