// Values of any type that an operator takes: copying, comparison, conversion, printing.

#include <ATen/core/ivalue.h>

namespace at {

template <typename T>
struct IValue::Box : intrusive_ptr_target {
  explicit Box(T v) : value(std::move(v)) {}
  T value;
};

template <typename T>
void IValue::put(T v, Tag tag) {
  tag_ = tag;
  box_ = make_intrusive<Box<T>>(std::move(v));
}

template <typename T>
const T& IValue::get(Tag tag, const char* expected) const {
  if (tag_ != tag) fail(expected);
  return static_cast<const Box<T>*>(box_.get())->value;
}

IValue::IValue(Tensor t) { put(std::move(t), Tag::Tensor); }
IValue::IValue(std::string s) { put(std::move(s), Tag::String); }
IValue::IValue(Device d) { put(d, Tag::Device); }
IValue::IValue(Generator g) { put(std::move(g), Tag::Generator); }
IValue::IValue(Storage s) { put(std::move(s), Tag::Storage); }
IValue::IValue(std::vector<Tensor> v) { put(std::move(v), Tag::TensorList); }
IValue::IValue(std::vector<std::optional<Tensor>> v) { put(std::move(v), Tag::OptionalTensorList); }
IValue::IValue(std::vector<int64_t> v) { put(std::move(v), Tag::IntList); }
IValue::IValue(std::vector<double> v) { put(std::move(v), Tag::DoubleList); }
IValue::IValue(std::vector<bool> v) { put(std::move(v), Tag::BoolList); }
IValue::IValue(std::vector<Scalar> v) { put(std::move(v), Tag::ScalarList); }
IValue::IValue(const Scalar& s) {
  if (s.isFloatingPoint()) {
    tag_ = Tag::Double;
    num_.d = s.toDouble();
  } else if (s.isComplex()) {
    tag_ = Tag::ComplexDouble;
    auto z = s.toComplexDouble();
    num_.z[0] = z.real();
    num_.z[1] = z.imag();
  } else {
    tag_ = s.isBoolean() ? Tag::Bool : Tag::Int;
    num_.i = s.toLong();  // throws for a number beyond int64
  }
}

const char* IValue::tagName() const {
  static const char* const names[] = {
      "None",      "Tensor",  "float",    "complex",   "int",   "bool",    "str",    "Device",
      "Generator", "Storage", "Tensor[]", "Tensor?[]", "int[]", "float[]", "bool[]", "Scalar[]"};
  return names[static_cast<int>(tag_)];
}

void IValue::fail(const char* expected) const {
  TORCH_CHECK_TYPE(false, "expected a value of type ", expected, ", got ", tagName());
  __builtin_unreachable();
}

const Tensor& IValue::toTensor() const { return get<Tensor>(Tag::Tensor, "Tensor"); }
Tensor& IValue::toTensor() { return const_cast<Tensor&>(get<Tensor>(Tag::Tensor, "Tensor")); }
Device IValue::toDevice() const { return get<Device>(Tag::Device, "Device"); }
Generator IValue::toGenerator() const { return get<Generator>(Tag::Generator, "Generator"); }
Storage IValue::toStorage() const { return get<Storage>(Tag::Storage, "Storage"); }
const std::string& IValue::toStringRef() const { return get<std::string>(Tag::String, "str"); }
double IValue::toDouble() const {
  if (tag_ == Tag::Int) return static_cast<double>(num_.i);
  if (tag_ != Tag::Double) fail("float");
  return num_.d;
}
int64_t IValue::toInt() const {
  if (tag_ != Tag::Int && tag_ != Tag::Bool) fail("int");
  return num_.i;
}
bool IValue::toBool() const {
  if (tag_ != Tag::Bool && tag_ != Tag::Int) fail("bool");
  return num_.i != 0;
}
Scalar IValue::toScalar() const {
  switch (tag_) {
    case Tag::Double:
      return Scalar(num_.d);
    case Tag::Int:
      return Scalar(num_.i);
    case Tag::Bool:
      return Scalar(num_.i != 0);
    case Tag::ComplexDouble:
      return Scalar(c10::complex<double>(num_.z[0], num_.z[1]));
    default:
      fail("number");
  }
}

const std::vector<Tensor>& IValue::toTensorVector() const {
  return get<std::vector<Tensor>>(Tag::TensorList, "Tensor[]");
}
const std::vector<std::optional<Tensor>>& IValue::toOptionalTensorVector() const {
  return get<std::vector<std::optional<Tensor>>>(Tag::OptionalTensorList, "Tensor?[]");
}
const std::vector<int64_t>& IValue::toIntVector() const {
  return get<std::vector<int64_t>>(Tag::IntList, "int[]");
}
const std::vector<double>& IValue::toDoubleVector() const {
  return get<std::vector<double>>(Tag::DoubleList, "float[]");
}
const std::vector<bool>& IValue::toBoolVector() const {
  return get<std::vector<bool>>(Tag::BoolList, "bool[]");
}
const std::vector<Scalar>& IValue::toScalarVector() const {
  return get<std::vector<Scalar>>(Tag::ScalarList, "Scalar[]");
}

}  // namespace at
