#pragma once
// IValue: one argument or result of any schema type, for calls whose types are known only at run
// time. Calls between kernels never box; boxing is for torch.ops, Python kernels, fallbacks and
// traces.

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace at {

class IValue {
 public:
  enum class Tag : uint8_t {
    None,
    Tensor,
    Double,
    ComplexDouble,
    Int,
    Bool,
    String,
    Device,
    Generator,
    Storage,
    TensorList,
    OptionalTensorList,
    IntList,
    DoubleList,
    BoolList,
    ScalarList
  };

  IValue() = default;
  IValue(Tensor t);
  IValue(double v) : tag_(Tag::Double) { num_.d = v; }
  IValue(int64_t v) : tag_(Tag::Int) { num_.i = v; }
  IValue(int v) : IValue(int64_t(v)) {}
  IValue(bool v) : tag_(Tag::Bool) { num_.i = v; }
  IValue(const Scalar& s);
  IValue(std::string s);
  IValue(const char* s) : IValue(std::string(s)) {}
  IValue(Device d);
  IValue(Generator g);
  IValue(Storage s);
  IValue(ScalarType t) : IValue(static_cast<int64_t>(t)) {}
  IValue(Layout t) : IValue(static_cast<int64_t>(t)) {}
  IValue(MemoryFormat t) : IValue(static_cast<int64_t>(t)) {}
  IValue(std::vector<Tensor> v);
  IValue(std::vector<std::optional<Tensor>> v);
  IValue(std::vector<int64_t> v);
  IValue(std::vector<double> v);
  IValue(std::vector<bool> v);
  IValue(std::vector<Scalar> v);

  Tag tag() const { return tag_; }
  bool isNone() const { return tag_ == Tag::None; }
  bool isTensor() const { return tag_ == Tag::Tensor; }
  bool isInt() const { return tag_ == Tag::Int; }
  bool isDouble() const { return tag_ == Tag::Double; }
  bool isBool() const { return tag_ == Tag::Bool; }
  bool isString() const { return tag_ == Tag::String; }
  const char* tagName() const;

  // Each throws TypeError when the value is of another kind.
  const Tensor& toTensor() const;
  Tensor& toTensor();
  double toDouble() const;
  int64_t toInt() const;
  bool toBool() const;
  Scalar toScalar() const;
  Device toDevice() const;
  Generator toGenerator() const;
  Storage toStorage() const;
  const std::string& toStringRef() const;
  const std::vector<Tensor>& toTensorVector() const;
  const std::vector<std::optional<Tensor>>& toOptionalTensorVector() const;
  const std::vector<int64_t>& toIntVector() const;
  const std::vector<double>& toDoubleVector() const;
  const std::vector<bool>& toBoolVector() const;
  const std::vector<Scalar>& toScalarVector() const;

 private:
  template <typename T>
  struct Box;
  template <typename T>
  void put(T v, Tag tag);
  template <typename T>
  const T& get(Tag tag, const char* expected) const;
  [[noreturn]] void fail(const char* expected) const;

  Tag tag_ = Tag::None;
  union {
    double d;
    int64_t i;
    double z[2];
  } num_ = {};
  intrusive_ptr<intrusive_ptr_target> box_;
};

struct IValueStack : std::vector<IValue> {
  using std::vector<IValue>::vector;
};

}  // namespace at
