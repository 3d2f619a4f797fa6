// Tensor::print, for debuggers: `call tensor.print()`. It reads memory itself: an operator called
// from a debugger could meet the very breakpoint that stopped the program.

#include <ATen/core/Tensor.h>

#include <cstdio>
#include <string>

#include <c10/util/StringUtil.h>

namespace at {

namespace {

constexpr int64_t kAllShown = 1000, kEdge = 3;

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", v);
  return text;
}

template <typename T>
std::string element(const T& v) {
  if constexpr (std::is_same_v<T, bool>) return v ? "True" : "False";
  else if constexpr (std::is_integral_v<T>) return std::to_string(v);
  else return number(static_cast<double>(v));
}
template <typename T>
std::string element(const complex<T>& v) {
  double imaginary = static_cast<double>(v.imag());
  return str(number(static_cast<double>(v.real())), imaginary < 0 ? "" : "+", number(imaginary),
             "j");
}

std::string element_at(const char* data, ScalarType dtype) {
  switch (dtype) {
#define ELEMENT(cpp, name) \
  case ScalarType::name:   \
    return element(*reinterpret_cast<const cpp*>(data));
    C10_FORALL_SCALAR_TYPES(ELEMENT)
#undef ELEMENT
    default:  // bytes that nothing computes with
      return dtype == ScalarType::Bits16 ? element(*reinterpret_cast<const uint16_t*>(data))
                                         : element(*reinterpret_cast<const uint8_t*>(data));
  }
}

struct Printer {
  const TensorImpl& t;
  bool all;
  std::string out;

  void block(int64_t d, const char* data) {
    if (d == t.dim()) {
      out += element_at(data, t.dtype());
      return;
    }
    int64_t n = t.sizes()[d], step = t.strides()[d] * static_cast<int64_t>(t.itemsize());
    out += "[";
    for (int64_t i = 0; i < n; ++i) {
      if (i) out += d + 1 == t.dim() ? ", " : ",\n" + std::string(static_cast<size_t>(d) + 1, ' ');
      if (!all && n > 2 * kEdge && i == kEdge) {
        out += "...";
        i = n - kEdge - 1;
        continue;
      }
      block(d + 1, data + i * step);
    }
    out += "]";
  }
};

}  // namespace

std::string Tensor::toString() const {
  if (!defined()) return "UndefinedType";
  return str(c10::toString((key_set() & backend_keyset).highestPriorityTypeId()),
             c10::toString(scalar_type()), "Type");
}

void Tensor::print() const {
  std::string text = "undefined tensor";
  if (defined()) {
    text = str(dtypeName(scalar_type()), sizes(), " on ", device(),
               requires_grad() ? ", requires grad" : "");
    if (is_cpu() && impl_->has_storage()) {
      Printer printer{*impl_, numel() <= kAllShown, ""};
      printer.block(0, static_cast<const char*>(impl_->data()));
      text += "\n" + printer.out;
    }
  }
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

}  // namespace at
