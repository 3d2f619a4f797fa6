// Checks of random fills of existing tensors.

#include <cmath>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/random/random.h>
#include <ATen/ops/bernoulli__native.h>
#include <ATen/ops/bernoulli__ops.h>
#include <ATen/ops/bernoulli_native.h>
#include <ATen/ops/cauchy__native.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/exponential__native.h>
#include <ATen/ops/geometric__native.h>
#include <ATen/ops/log_normal__native.h>
#include <ATen/ops/normal__native.h>
#include <ATen/ops/random__native.h>
#include <ATen/ops/uniform__native.h>

namespace at {
namespace {

double largest(ScalarType t) {
  double value = 0;
  dispatch_types<FloatingAndReduced>(t, "uniform_", [&]<typename T>(TypeTag<T>) {
    value = static_cast<double>(std::numeric_limits<T>::max());
  });
  return value;
}

// The largest n such that the type represents all integers up to n.
void type_bounds(ScalarType t, int64_t& low, int64_t& high) {
  dispatch_types<RealTypes, bool, UnsignedTypes>(t, "random_", [&]<typename T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) {
      low = static_cast<int64_t>(std::numeric_limits<T>::lowest());
      high = sizeof(T) == 8 ? INT64_MAX : static_cast<int64_t>(std::numeric_limits<T>::max());
    } else {
      high = int64_t(1) << std::numeric_limits<T>::digits;
      low = -high;
    }
  });
}

// Narrows [from, to) to numbers that a floating type rounds to within it: 2^27 - 1 would become
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

void check_bounds(ScalarType dtype, int64_t from, int64_t to) {
  if (dtype == kHalf) {
    constexpr int64_t kMaxHalf = 65504;
    TORCH_CHECK(from >= -kMaxHalf && from <= kMaxHalf, "from is out of bounds for Half");
    TORCH_CHECK(to - 1 >= -kMaxHalf && to - 1 <= kMaxHalf, "to - 1 is out of bounds for Half");
  }
  int64_t low = 0, high = 0;
  type_bounds(dtype, low, high);
  if (isFloatingType(dtype)) {
    // Beyond this the type cannot represent every integer; PyTorch warns and rounds.
    if (from < low || from > high)
      TORCH_WARN("from is out of bounds [", low, ", ", high,
                 "]: numbers will be rounded to those of ", dtypeName(dtype));
    return;
  }
  TORCH_CHECK(from >= low && from <= high, "from is out of bounds for ", dtypeName(dtype));
  TORCH_CHECK(to - 1 >= low && to - 1 <= high, "to - 1 is out of bounds for ", dtypeName(dtype));
}

}  // namespace

namespace native {

IntegerRange integer_range(ScalarType dtype, int64_t from, std::optional<int64_t> end) {
  if (!end) {
    int64_t low = 0, high = 0;
    type_bounds(dtype, low, high);
    return {from, static_cast<uint64_t>(high) - static_cast<uint64_t>(from) + 1};
  }
  int64_t to = *end;
  if (isFloatingType(dtype)) {
    dispatch_types<FloatingAndReduced>(
        dtype, "random_", [&]<typename T>(TypeTag<T>) { narrow_to_numbers<T>(from, to); });
    TORCH_CHECK(from < to,
                "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, "
                "but got from=",
                from, " >= to=", to);
  }
  return {from, static_cast<uint64_t>(to) - static_cast<uint64_t>(from)};
}

}  // namespace native

namespace meta {

using OptionalGenerator = std::optional<Generator>;

void uniform_(Tensor& self, double from, double to, OptionalGenerator) {
  if (self.is_complex()) return;
  double largest_value = largest(self.scalar_type());
  TORCH_CHECK(from >= -largest_value && from <= largest_value && to >= -largest_value &&
                  to <= largest_value,
              "uniform_: from and to must be within the range of ", dtypeName(self.scalar_type()),
              ", got from=", from, ", to=", to);
  TORCH_CHECK(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from,
              " > to=", to);
  TORCH_CHECK(to - from <= largest_value, "uniform_ expects to-from <= std::numeric_limits<",
              toString(self.scalar_type()), ">::max(), but found to=", to, " and from=", from);
}

void normal_(Tensor&, double, double std, OptionalGenerator) {
  TORCH_CHECK(std >= 0.0, "normal expects std >= 0.0, but found std ", std);
}

void random__from(Tensor& self, int64_t from, std::optional<int64_t> to, OptionalGenerator) {
  const ScalarType dtype = self.scalar_type();
  if (to) {
    TORCH_CHECK(from < *to, "random_ expects 'from' to be less than 'to', but got from=", from,
                " >= to=", *to);
    check_bounds(dtype, from, *to);
  } else {
    int64_t low = 0, high = 0;
    type_bounds(dtype, low, high);
    TORCH_CHECK(from >= low && from <= high, "from is out of bounds for ", dtypeName(dtype));
  }
  native::integer_range(dtype, from, to);
}
void random__to(Tensor& self, int64_t to, OptionalGenerator generator) {
  random__from(self, 0, to, generator);
}

void bernoulli__float(Tensor&, double p, OptionalGenerator) {
  TORCH_CHECK(0 <= p && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
}
void bernoulli__Tensor(Tensor&, const Tensor& p, OptionalGenerator) {
  TORCH_CHECK(isFloatingType(p.scalar_type()),
              "bernoulli_: expected probabilities tensor to have floating type, got ",
              toString(p.scalar_type()));
}

void exponential_(Tensor&, double lambd, OptionalGenerator) {
  TORCH_CHECK(lambd > 0.0, "exponential_ expects lambda > 0.0, but found lambda=", lambd);
}
void geometric_(Tensor&, double p, OptionalGenerator) {
  TORCH_CHECK(0 < p && p < 1, "geometric_ expects p to be in (0, 1), but got p=", p);
}
void log_normal_(Tensor&, double, double std, OptionalGenerator) {
  TORCH_CHECK(std > 0.0, "log_normal_ expects std > 0.0, but found std=", std);
}
void cauchy_(Tensor& self, double, double sigma, OptionalGenerator) {
  TORCH_CHECK(self.is_floating_point(),
              "cauchy_: the distribution is continuous, so dtype must be a floating point, not ",
              dtypeName(self.scalar_type()));
  TORCH_CHECK(sigma > 0.0, "cauchy_ expects sigma > 0.0, but found sigma=", sigma);
}

}  // namespace meta

namespace native {

Tensor bernoulli(const Tensor& self, const Tensor& p, std::optional<Generator> generator) {
  Tensor result = at::empty_like(self);
  return _ops::bernoulli__Tensor::call(result, p, generator);
}
Tensor bernoulli(const Tensor& self, std::optional<Generator> generator) {
  TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point(), "\"bernoulli\" not implemented for '",
                              toString(self.scalar_type()), "'");
  Tensor result = at::empty_like(self, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                                 MemoryFormat::Contiguous);
  return at::_ops::bernoulli__Tensor::call(result, self, generator);
}

Tensor bernoulli(const Tensor& self, double p, std::optional<Generator> generator) {
  Tensor result = at::empty_like(self, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                                 MemoryFormat::Contiguous);
  return at::_ops::bernoulli__float::call(result, p, generator);
}

}  // namespace native
}  // namespace at
