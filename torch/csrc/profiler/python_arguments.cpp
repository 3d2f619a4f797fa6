#include <torch/csrc/profiler/python_arguments.h>

#include <torch/csrc/Exceptions.h>

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
  PyObject* list = check(PyList_New(static_cast<Py_ssize_t>(numbers.size())));
  for (size_t i = 0; i < numbers.size(); ++i)
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), check(PyLong_FromLongLong(numbers[i])));
  return list;
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
  PyObject* list = check(PyList_New(static_cast<Py_ssize_t>(a.tensors.size())));
  for (size_t i = 0; i < a.tensors.size(); ++i)
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), list_of(a.tensors[i].*dims));
  return list;
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
  auto n = static_cast<Py_ssize_t>(arguments.size());
  PyObject* lists[4];
  for (PyObject*& list : lists) list = check(PyList_New(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    const Argument& a = arguments[static_cast<size_t>(i)];
    PyList_SET_ITEM(lists[0], i, dims_of(a, &TensorInfo::sizes));
    PyList_SET_ITEM(lists[1], i, dims_of(a, &TensorInfo::strides));
    PyList_SET_ITEM(lists[2], i, check(PyUnicode_FromString(type_of(a))));
    PyList_SET_ITEM(lists[3], i,
                    check(a.kind == Argument::Numbers ? list_of(a.numbers) : number_of(a)));
  }
  return check(Py_BuildValue("(NNNN)", lists[0], lists[1], lists[2], lists[3]));
}

}  // namespace torch::profiler
