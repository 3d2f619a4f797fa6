// Helpers of the tests: tensors from values, and comparison of elements.

#include <ATen/test/support/tensors.h>

#include <cmath>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>

namespace torch_test {

using namespace at;
using Elements = JoinT<RealTypes, bool, UnsignedTypes, ComplexTypes>;

Tensor tensor(std::initializer_list<double> values, IntArrayRef sizes, ScalarType dtype) {
  Tensor t = empty_tensor(sizes, dtype);
  TORCH_CHECK(static_cast<size_t>(t.numel()) == values.size(), "a tensor of sizes ", sizes,
              " has not ", values.size(), " elements");
  dispatch_types<Elements>(dtype, "tensor", [&]<typename T>(TypeTag<T>) {
    T* to = t.mutable_data_ptr<T>();
    for (double value : values) *to++ = Scalar(value).cast<T>();
  });
  return t;
}

Tensor tensor(std::initializer_list<double> values, ScalarType dtype) {
  return tensor(values, {static_cast<int64_t>(values.size())}, dtype);
}

Tensor number(double value, ScalarType dtype) { return tensor({value}, IntArrayRef(), dtype); }

std::vector<double> values(const Tensor& t) {
  std::vector<double> all;
  dispatch_types<Elements>(t.scalar_type(), "values", [&]<typename T>(TypeTag<T>) {
    const T* from = t.const_data_ptr<T>();
    for (int64_t i = 0; i < t.numel(); ++i) {
      int64_t at = 0, rest = i;
      for (int64_t d = t.dim(); d-- > 0;) {
        at += rest % t.sizes()[d] * t.strides()[d];
        rest /= t.sizes()[d];
      }
      if constexpr (c10::is_complex_v<T>) {
        all.push_back(static_cast<double>(from[at].real()));
        all.push_back(static_cast<double>(from[at].imag()));
      } else {
        all.push_back(static_cast<double>(from[at]));
      }
    }
  });
  return all;
}

::testing::AssertionResult near(const Tensor& t, const std::vector<double>& expected,
                                double tolerance) {
  const std::vector<double> got = values(t);
  auto fits = [&](double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b)) ||
           std::fabs(a - b) <= tolerance * (1 + std::fabs(b));
  };
  bool good = got.size() == expected.size();
  for (size_t i = 0; good && i < got.size(); ++i) good = fits(got[i], expected[i]);
  if (good) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "got " << str(got) << " of sizes " << str(t.sizes()) << ", expected " << str(expected);
}

::testing::AssertionResult near(const Tensor& t, const Tensor& expected, double tolerance) {
  auto sizes = has_sizes(t, expected.sizes());
  return sizes ? near(t, values(expected), tolerance) : sizes;
}

::testing::AssertionResult has(const Tensor& t, std::initializer_list<double> expected) {
  return near(t, expected, 0);
}

static ::testing::AssertionResult compare(const char* what, IntArrayRef got, IntArrayRef expected) {
  if (got == expected) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << what << " " << str(got) << ", expected " << str(expected);
}
::testing::AssertionResult has_sizes(const Tensor& t, IntArrayRef sizes) {
  return compare("sizes", t.sizes(), sizes);
}
::testing::AssertionResult has_strides(const Tensor& t, IntArrayRef strides) {
  return compare("strides", t.strides(), strides);
}

}  // namespace torch_test
