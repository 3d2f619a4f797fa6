// Shapes, types and values of the arguments of a profiled call.

#include <ATen/core/profiler/Arguments.h>

#include <cstring>

#include <ATen/core/Tensor.h>

namespace at::profiler {

namespace {

enum Tag : int64_t { kNothing, kTensor, kTensors, kInts, kInt, kDouble, kBool, kComplex };

int64_t bits_of(double value) {
  int64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
double double_of(int64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

struct Writer {
  std::vector<int64_t>& words;

  void put(std::initializer_list<int64_t> values) {
    words.insert(words.end(), values.begin(), values.end());
  }
  // dtype, dimensions, sizes, strides
  void tensor(const Tensor& t) {
    if (!t.defined()) return put({static_cast<int64_t>(c10::ScalarType::Undefined), 0});
    put({static_cast<int64_t>(t.scalar_type()), t.dim()});
    auto append = [&](IntArrayRef list) { words.insert(words.end(), list.begin(), list.end()); };
    append(t.sizes());
    if (t.layout() == c10::kStrided) append(t.strides());
    else words.insert(words.end(), static_cast<size_t>(t.dim()), 0);
  }
  void optional(const std::optional<Tensor>& t) { tensor(t ? *t : Tensor()); }
  void scalar(const Scalar& s) {
    if (s.isBoolean()) put({kBool, s.toBool()});
    else if (s.isFloatingPoint()) put({kDouble, bits_of(s.toDouble())});
    else if (s.isComplex()) {
      c10::complex<double> z = s.toComplexDouble();
      put({kComplex, bits_of(z.real()), bits_of(z.imag())});
    } else put({kInt, s.toLong()});
  }
  void argument(const ObservedArgument& a);
};

template <typename T>
const T& as(const ObservedArgument& a) {
  return *static_cast<const T*>(a.value);
}

void Writer::argument(const ObservedArgument& a) {
  switch (a.kind) {
    case ObservedArgument::Tensor:
      put({kTensor});
      return tensor(as<Tensor>(a));
    case ObservedArgument::OptionalTensor:
      put({kTensor});
      return optional(as<std::optional<Tensor>>(a));
    case ObservedArgument::TensorList: {
      const auto& list = as<TensorList>(a);
      put({kTensors, static_cast<int64_t>(list.size())});
      for (const Tensor& t : list) tensor(t);
      return;
    }
    case ObservedArgument::OptionalTensorList: {
      const auto& list = as<OptionalTensorList>(a);
      put({kTensors, static_cast<int64_t>(list.size())});
      for (const auto& t : list) optional(t);
      return;
    }
    case ObservedArgument::IntList: {
      const auto& list = as<IntArrayRef>(a);
      put({kInts, static_cast<int64_t>(list.size())});
      words.insert(words.end(), list.begin(), list.end());
      return;
    }
    case ObservedArgument::Int:
      return put({kInt, as<int64_t>(a)});
    case ObservedArgument::Double:
      return put({kDouble, bits_of(as<double>(a))});
    case ObservedArgument::Bool:
      return put({kBool, as<bool>(a)});
    case ObservedArgument::Scalar:
      return scalar(as<Scalar>(a));
    case ObservedArgument::ScalarType:
      return put({kInt, static_cast<int64_t>(as<c10::ScalarType>(a))});
    case ObservedArgument::Other:
      return put({kNothing});
  }
}

struct Reader {
  const int64_t* at;

  int64_t next() { return *at++; }
  std::vector<int64_t> list(int64_t n) {
    at += n;
    return std::vector<int64_t>(at - n, at);
  }
  TensorInfo tensor() {
    TensorInfo info;
    info.dtype = static_cast<c10::ScalarType>(next());
    int64_t dim = next();
    info.sizes = list(dim);
    if (info.dtype != c10::ScalarType::Undefined) info.strides = list(dim);
    return info;
  }
  Argument argument() {
    Argument a;
    switch (next()) {
      case kTensor:
        a.kind = Argument::OneTensor;
        a.tensors.push_back(tensor());
        break;
      case kTensors:
        a.kind = Argument::Tensors;
        for (int64_t n = next(); n > 0; --n) a.tensors.push_back(tensor());
        break;
      case kInts: {
        a.kind = Argument::Numbers;
        int64_t n = next();
        a.numbers = list(n);
        break;
      }
      case kInt:
        a.kind = Argument::Number;
        a.number = next();
        break;
      case kDouble:
        a.kind = Argument::Number;
        a.number = double_of(next());
        break;
      case kBool:
        a.kind = Argument::Number;
        a.number = next() != 0;
        break;
      case kComplex: {
        a.kind = Argument::Number;
        double real = double_of(next());
        a.number = std::pair<double, double>(real, double_of(next()));
        break;
      }
      default:
        break;
    }
    return a;
  }
};

}  // namespace

void write_arguments(std::vector<int64_t>& words, const ObservedArgument* arguments, int count) {
  Writer writer{words};
  writer.put({count});
  for (int i = 0; i < count; ++i) writer.argument(arguments[i]);
}

std::vector<Argument> read_arguments(const std::vector<int64_t>& words, size_t begin) {
  Reader reader{words.data() + begin};
  std::vector<Argument> arguments(static_cast<size_t>(reader.next()));
  for (Argument& a : arguments) a = reader.argument();
  return arguments;
}

}  // namespace at::profiler
