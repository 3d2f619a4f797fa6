// Arguments of profiled calls, as Python values.

#include <torch/csrc/profiler/python_arguments.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/python_containers.h>

namespace torch::profiler {

namespace {

using namespace at::profiler;
using c10::ScalarType;

const char* type_name(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Float:
      return "float";
    case ScalarType::Double:
      return "double";
    case ScalarType::Half:
      return "c10::Half";
    case ScalarType::BFloat16:
      return "c10::BFloat16";
    case ScalarType::Long:
      return "long int";
    case ScalarType::Int:
      return "int";
    case ScalarType::Short:
      return "short int";
    case ScalarType::Char:
      return "signed char";
    case ScalarType::Byte:
      return "unsigned char";
    case ScalarType::Bool:
      return "bool";
    case ScalarType::ComplexFloat:
      return "c10::complex<float>";
    case ScalarType::ComplexDouble:
      return "c10::complex<double>";
    case ScalarType::Undefined:
      return "";
    default:
      return c10::dtypeName(dtype);
  }
}

PyObject* list_of(const std::vector<int64_t>& numbers) {
  return make_list(numbers.size(), [&](size_t i) {
    return PyLong_FromLongLong(numbers[i]);
  }).release();
}

PyObject* number_of(const Argument& a) {
  if (const bool* b = std::get_if<bool>(&a.number)) return PyBool_FromLong(*b);
  if (const int64_t* i = std::get_if<int64_t>(&a.number)) return PyLong_FromLongLong(*i);
  if (const double* d = std::get_if<double>(&a.number)) return PyFloat_FromDouble(*d);
  if (const auto* z = std::get_if<std::pair<double, double>>(&a.number))
    return PyComplex_FromDoubles(z->first, z->second);
  return Py_NewRef(Py_None);
}

// The shapes (or strides) of an argument.
PyObject* dims_of(const Argument& a, std::vector<int64_t> TensorInfo::* dims) {
  if (a.kind == Argument::OneTensor) return list_of(a.tensors[0].*dims);
  if (a.kind != Argument::Tensors) return check(PyList_New(0));
  return make_list(a.tensors.size(), [&](size_t i) {
    return list_of(a.tensors[i].*dims);
  }).release();
}

const char* type_of(const Argument& a) {
  switch (a.kind) {
    case Argument::OneTensor:
      return type_name(a.tensors[0].dtype);
    case Argument::Tensors:
      return "TensorList";
    case Argument::Number:
      return "Scalar";
    case Argument::Numbers:
      return "ScalarList";
    case Argument::Nothing:
      break;
  }
  return "";
}

}  // namespace

PyObject* arguments_of(const std::vector<Argument>& arguments) {
  auto each = [&](auto&& f) {
    return make_list(arguments.size(), [&](size_t i) { return f(arguments[i]); });
  };
  THPObjectPtr sizes = each([](const Argument& a) { return dims_of(a, &TensorInfo::sizes); });
  THPObjectPtr strides = each([](const Argument& a) { return dims_of(a, &TensorInfo::strides); });
  THPObjectPtr types = each([](const Argument& a) { return PyUnicode_FromString(type_of(a)); });
  THPObjectPtr numbers = each([](const Argument& a) {
    return a.kind == Argument::Numbers ? list_of(a.numbers) : number_of(a);
  });
  return check(Py_BuildValue("(OOOO)", sizes.get(), strides.get(), types.get(), numbers.get()));
}

}  // namespace torch::profiler
