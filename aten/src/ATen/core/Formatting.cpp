// Prints tensors, scalars and their types to C++ streams.

#include <ATen/core/Formatting.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <ostream>
#include <sstream>

#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/select.h>
#include <c10/core/GradMode.h>

namespace c10 {

namespace {
// The names of C++ types, as PyTorch prints a dtype here.
const char* cpp_name(ScalarType t) {
  switch (t) {
    case kByte:
      return "unsigned char";
    case kChar:
      return "signed char";
    case kShort:
      return "short int";
    case kInt:
      return "int";
    case kLong:
      return "long int";
    case kFloat:
      return "float";
    case kDouble:
      return "double";
    case kBool:
      return "bool";
    case kHalf:
      return "c10::Half";
    case kBFloat16:
      return "c10::BFloat16";
    case kComplexFloat:
      return "c10::complex<float>";
    case kComplexDouble:
      return "c10::complex<double>";
    default:
      return toString(t);
  }
}
const char* word(bool on) { return on ? "true" : "false"; }
}  // namespace

std::ostream& operator<<(std::ostream& out, ScalarType dtype) { return out << toString(dtype); }
std::ostream& operator<<(std::ostream& out, Device device) { return out << device.str(); }
std::ostream& operator<<(std::ostream& out, DeviceType type) { return out << to_string(type); }
std::ostream& operator<<(std::ostream& out, Layout layout) {
  static const char* const names[] = {"Strided",   "Sparse",    "SparseCsr", "Mkldnn",
                                      "SparseCsc", "SparseBsr", "SparseBsc", "Jagged"};
  return out << names[static_cast<int>(layout)];
}
std::ostream& operator<<(std::ostream& out, MemoryFormat format) { return out << toString(format); }
std::ostream& operator<<(std::ostream& out, DispatchKey key) { return out << toString(key); }
std::ostream& operator<<(std::ostream& out, DispatchKeySet keys) { return out << toString(keys); }
std::ostream& operator<<(std::ostream& out, Half v) { return out << static_cast<float>(v); }
std::ostream& operator<<(std::ostream& out, BFloat16 v) { return out << static_cast<float>(v); }

std::ostream& operator<<(std::ostream& out, const Scalar& number) {
  if (number.isFloatingPoint()) return out << number.toDouble();
  if (number.isBoolean()) return out << word(number.toBool());
  return out << number.str();
}

std::ostream& operator<<(std::ostream& out, const TensorOptions& o) {
  auto default_suffix = [](bool is) { return is ? "" : " (default)"; };
  out << "TensorOptions(dtype=" << cpp_name(o.dtype()) << default_suffix(o.dtype_opt().has_value())
      << ", device=" << o.device() << default_suffix(o.device_opt().has_value())
      << ", layout=" << o.layout() << default_suffix(o.layout_opt().has_value())
      << ", requires_grad=" << word(o.requires_grad()) << default_suffix(o.requires_grad())
      << ", pinned_memory=" << word(o.pinned_memory())
      << default_suffix(o.pinned_memory_opt().has_value()) << ", memory_format=";
  if (o.memory_format_opt()) return out << *o.memory_format_opt() << ")";
  return out << "(nullopt))";
}

}  // namespace c10

namespace at {

namespace {

// The number format shared by one block.
struct Format {
  double scale = 1;
  int width = 0, digits = 0;
  bool scientific = false;
};

Format format_for(const double* values, int64_t n) {
  bool integers = true;
  double min = std::numeric_limits<double>::infinity(), max = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(values[i])) continue;
    integers = integers && values[i] == std::trunc(values[i]);
    min = std::min(min, std::fabs(values[i]));
    max = std::max(max, std::fabs(values[i]));
  }
  auto exponent = [](double v) {
    return v == 0 || !std::isfinite(v) ? 1 : static_cast<int>(std::floor(std::log10(v))) + 1;
  };
  int low = exponent(min), high = exponent(max);
  Format f;
  if (integers) {
    f.scientific = high > 9;
    f.width = f.scientific ? 11 : high + 1;
    f.digits = f.scientific ? 4 : 0;
  } else if (high - low > 4) {
    f = {1, std::abs(high) > 99 || std::abs(low) > 99 ? 12 : 11, 4, true};
  } else if (high > 5 || high < 0) {
    f = {std::pow(10.0, high - 1), 7, 4, false};
  } else {
    f = {1, high == 0 ? 7 : high + 6, 4, false};
  }
  return f;
}

struct Writer {
  std::ostream& out;
  int64_t line_size;

  void number(double v, const Format& f, int width) {
    out << (f.scientific ? std::scientific : std::fixed) << std::setprecision(f.digits)
        << std::setw(width) << v / f.scale;
  }
  void scale(const Format& f) {
    if (f.scale != 1) out << std::defaultfloat << std::setprecision(6) << f.scale << " *\n";
  }
  void vector(const double* v, int64_t n, const Format& f) {
    scale(f);
    for (int64_t i = 0; i < n; ++i) {
      number(v[i], f, f.width);
      out << "\n";
    }
  }
  // Rows after the first are indented by `indent`.
  void matrix(const double* v, int64_t rows, int64_t columns, int indent) {
    Format f = format_for(v, rows * columns);
    int64_t at_once = std::max<int64_t>((line_size - indent) / (f.width + 1), 1);
    for (int64_t first = 0; first < columns; first += at_once) {
      int64_t last = std::min(first + at_once, columns);
      if (at_once < columns) {
        if (first) out << "\n";
        out << "Columns " << first + 1 << " to " << last;
        out << std::string(static_cast<size_t>(indent), ' ');
      }
      if (f.scale != 1) {
        scale(f);
        out << std::string(static_cast<size_t>(indent), ' ');
      }
      for (int64_t r = 0; r < rows; ++r) {
        if (r) out << std::string(static_cast<size_t>(indent), ' ');
        for (int64_t c = first; c < last; ++c) {
          if (c > first) out << " ";
          number(v[r * columns + c], f, f.width);
        }
        out << "\n";
      }
    }
  }
  // Prints matrices; the first of the other dimensions varies fastest.
  void blocks(const double* v, IntArrayRef sizes) {
    size_t outer = sizes.size() - 2;
    int64_t rows = sizes[outer], columns = sizes[outer + 1];
    DimVector position(outer, 0);
    for (bool first = true;; first = false) {
      if (!first) out << "\n";
      int64_t block = 0;
      out << "(";
      for (size_t d = 0; d < outer; ++d) {
        block = block * sizes[d] + position[d];
        out << position[d] + 1 << ",";
      }
      out << ".,.) = \n";
      matrix(v + block * rows * columns, rows, columns, 1);
      size_t d = 0;
      while (d < outer && ++position[d] == sizes[d]) position[d++] = 0;
      if (d == outer) return;
    }
  }
};

}  // namespace

std::ostream& print(std::ostream& out, const Tensor& tensor, int64_t line_size) {
  if (!tensor.defined()) return out << "[ Tensor (undefined) ]";
  AutoGradMode without(false);
  std::ostringstream text;
  if (tensor.numel() > 0 && !tensor.is_meta()) {
    bool complex = tensor.is_complex();
    Tensor wide = at::contiguous(
        at::_to_copy(at::detach(tensor), TensorOptions(complex ? kComplexDouble : kDouble)));
    const auto* v = static_cast<const double*>(wide.data_ptr());
    std::vector<double> real;
    if (complex) {  // this format has no room for imaginary parts
      for (int64_t i = 0; i < tensor.numel(); ++i) real.push_back(v[2 * i]);
      v = real.data();
    }
    Writer writer{text, line_size};
    if (tensor.dim() == 0) {
      text << std::setprecision(tensor.scalar_type() == kLong ? 19 : 17) << v[0] << "\n";
    } else if (tensor.dim() == 1) {
      writer.vector(v, tensor.numel(), format_for(v, tensor.numel()));
    } else if (tensor.dim() == 2) {
      writer.matrix(v, tensor.sizes()[0], tensor.sizes()[1], 0);
    } else {
      writer.blocks(v, tensor.sizes());
    }
  }
  text << "[ " << tensor.toString() << "{";
  for (int64_t d = 0; d < tensor.dim(); ++d) text << (d ? "," : "") << tensor.sizes()[d];
  return out << text.str() << "} ]";
}

std::string to_string(const Tensor& tensor) {
  std::ostringstream text;
  print(text, tensor);
  return text.str();
}

}  // namespace at
