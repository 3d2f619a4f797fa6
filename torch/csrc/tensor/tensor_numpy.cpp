// Tensors and NumPy arrays that share memory. NumPy is imported when the first array is seen.

#include <torch/csrc/tensor/tensor_new.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/safe_object.h>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/complex/lazy_bits.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/detach.h>

#include <sys/uio.h>
#include <unistd.h>
#include <cstdlib>
#include <cstring>

namespace torch {

using at::ScalarType;
using at::Tensor;

namespace {

struct NumpyType {
  ScalarType dtype;
  char kind;  // of NumPy's typestr: b, i, u, f, c
  int size;
};
constexpr NumpyType kTypes[] = {
    {at::kBool, 'b', 1},         {at::kByte, 'u', 1},          {at::kUInt16, 'u', 2},
    {at::kUInt32, 'u', 4},       {at::kUInt64, 'u', 8},        {at::kChar, 'i', 1},
    {at::kShort, 'i', 2},        {at::kInt, 'i', 4},           {at::kLong, 'i', 8},
    {at::kHalf, 'f', 2},         {at::kFloat, 'f', 4},         {at::kDouble, 'f', 8},
    {at::kComplexFloat, 'c', 8}, {at::kComplexDouble, 'c', 16}};

THPObjectPtr numpy_attribute(const char* name) {
  THPObjectPtr numpy(PyImport_ImportModule("numpy"));
  if (!numpy) {
    PyErr_Clear();
    TORCH_CHECK(false, "Numpy is not available");
  }
  return own(PyObject_GetAttrString(numpy.get(), name));
}

// numpy.ndarray, or null as long as nobody has imported NumPy: then no object is an array.
PyTypeObject* ndarray_type() {
  static PyTypeObject* type = nullptr;
  if (type) return type;
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* numpy = PyDict_GetItemString(modules, "numpy");
  PyObject* t = numpy ? PyObject_GetAttrString(numpy, "ndarray") : nullptr;
  if (!t) PyErr_Clear();
  return type = reinterpret_cast<PyTypeObject*>(t);
}

// numpy.dtype of kTypes[i].
PyObject* numpy_dtype(size_t i) {
  static PyObject* types[std::size(kTypes)];
  if (!types[i]) {
    char code[16];
    snprintf(code, sizeof code, "=%c%d", kTypes[i].kind, kTypes[i].size);
    THPObjectPtr dtype = numpy_attribute("dtype");
    types[i] = check(PyObject_CallFunction(dtype.get(), "s", code));
  }
  return types[i];
}

void release_owner(void* context) {
  SafePyObject owner(THPObjectPtr(static_cast<PyObject*>(context)));
}

// Whether the first and last byte of a range, and one in each page between (up to a bound), can be
// read. The kernel tells without a fault: a copy from our own address space fails where there is no
// memory.
bool memory_is_readable(const void* address, size_t nbytes) {
  if (nbytes == 0) return true;
  auto* p = static_cast<const char*>(address);
  auto can_read = [](const char* at) {
    char byte;
    iovec to{&byte, 1}, from{const_cast<char*>(at), 1};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
  };
  size_t step = std::max<size_t>(4096, nbytes / 4096);
  for (size_t i = 0; i < nbytes; i += step) {
    if (!can_read(p + i)) return false;
  }
  return can_read(p + nbytes - 1);
}

int64_t int_of(PyObject* o, const char* what) {
  TORCH_CHECK_TYPE(PyLong_Check(o), "__array_interface__: ", what, " must hold ints, got ",
                   Py_TYPE(o)->tp_name);
  return to_int64(o);
}

// What an array says of itself. Strides are in bytes.
struct ArrayDescription {
  ScalarType dtype;
  bool is_swapped, is_read_only;
  void* address;
  at::DimVector sizes;
  std::optional<at::DimVector> strides;  // contiguous without
};

// PyArrayInterface of the array interface protocol, version 3: what __array_struct__ points to.
struct ArrayStruct {
  int two;
  int nd;
  char typekind;
  int itemsize;
  int flags;
  Py_ssize_t *shape, *strides;
  void* data;
  PyObject* descr;

  static constexpr int kNotSwapped = 0x200, kWriteable = 0x400;
};

// Undefined for types that tensors do not have.
ScalarType type_of_array(char kind, int size) {
  for (const NumpyType& t : kTypes) {
    if (t.kind == kind && t.size == size) return t.dtype;
  }
  return ScalarType::Undefined;
}

// A tensor over the memory of an array, which it keeps.
Tensor share_memory(PyObject* array, const ArrayDescription& d) {
  const auto size = static_cast<int64_t>(c10::elementSize(d.dtype));
  TORCH_CHECK_VALUE(!d.is_swapped,
                    "from_numpy: the array's byte order is not this machine's native byte order; "
                    "convert it first: array.astype(array.dtype.newbyteorder('='))");
  const int64_t numel = c10::checked_numel(d.sizes, "from_numpy");
  at::DimVector steps;
  if (d.strides) {
    for (size_t i = 0; i < d.strides->size(); ++i) {
      const int64_t s = (*d.strides)[i];
      TORCH_CHECK_VALUE(s >= 0 || d.sizes[i] <= 1 || numel == 0,
                        "from_numpy: a stride of the given numpy array is negative, which tensors "
                        "cannot have; pass array.copy()");
      TORCH_CHECK_VALUE(s % size == 0,
                        "from_numpy: the given numpy array strides are not a multiple of the "
                        "element byte size; pass array.copy()");
      steps.push_back(s < 0 ? 0 : s / size);
    }
  } else {
    steps = c10::contiguous_strides(d.sizes);
  }
  const size_t nbytes =
      c10::checked_nbytes(d.sizes, steps, 0, static_cast<size_t>(size), "from_numpy");
  TORCH_CHECK_VALUE(d.address || nbytes == 0, "__array_interface__: the address is null for ",
                    nbytes, " bytes");
  const auto first = reinterpret_cast<uintptr_t>(d.address);
  TORCH_CHECK_VALUE(first + nbytes >= first, "__array_interface__: address and size overflow");
  if (!is_numpy_array(array)) {
    // Nobody vouches for an address that a plain dict gives. Ask the operating system whether it
    // can be read.
    TORCH_CHECK_VALUE(memory_is_readable(d.address, nbytes),
                      "__array_interface__: the memory it names cannot be read");
  }
  if (d.is_read_only) {
    TORCH_WARN_ONCE(
        "The given NumPy array is not writable, but the tensor that shares its memory is: do not "
        "write to it, or pass a copy of the array.");
  }
  at::Storage storage =
      at::Storage::from_blob(d.address, nbytes, Py_NewRef(array), release_owner, at::kCPU);
  auto impl = c10::make_intrusive<c10::TensorImpl>(std::move(storage), c10::DispatchKey::CPU,
                                                   d.dtype, at::kCPU);
  impl->set_sizes_and_strides(d.sizes, steps);
  return Tensor(std::move(impl));
}

}  // namespace

bool is_numpy_array(PyObject* o) {
  PyTypeObject* t = ndarray_type();
  return t && PyObject_TypeCheck(o, t);
}

// By the array interface protocol, version 3, in its form for Python. All of it is checked, since
// any object may offer it.
Tensor tensor_from_array_interface(PyObject* array) {
  THPObjectPtr face = own(PyObject_GetAttrString(array, "__array_interface__"));
  TORCH_CHECK_TYPE(PyDict_Check(face.get()), "__array_interface__ must be a dict, got ",
                   Py_TYPE(face.get())->tp_name);
  auto item = [&](const char* key) { return PyDict_GetItemString(face.get(), key); };
  PyObject *typestr = item("typestr"), *shape = item("shape"), *data = item("data"),
           *strides = item("strides");
  TORCH_CHECK_TYPE(typestr && PyUnicode_Check(typestr),
                   "__array_interface__: typestr must be a string");
  TORCH_CHECK_TYPE(shape && PyTuple_Check(shape), "__array_interface__: shape must be a tuple");
  Py_ssize_t length;
  const char* text = PyUnicode_AsUTF8AndSize(typestr, &length);
  TORCH_CHECK_VALUE(text && length >= 3, "__array_interface__: not a typestr: '", text ? text : "",
                    "'");
  ArrayDescription d;
  d.dtype = type_of_array(text[1], std::atoi(text + 2));
  TORCH_CHECK_TYPE(
      d.dtype != ScalarType::Undefined, "can't convert np.ndarray of type ", text,
      ". The only supported types are: float64, float32, float16, complex64, complex128, "
      "int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool.");
  d.is_swapped = text[0] == '>';
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); ++i) {
    d.sizes.push_back(int_of(PyTuple_GET_ITEM(shape, i), "shape"));
    TORCH_CHECK_VALUE(d.sizes.back() >= 0, "__array_interface__: a size must not be negative, got ",
                      d.sizes.back());
  }
  if (strides && strides != Py_None) {
    TORCH_CHECK_VALUE(
        PyTuple_Check(strides) && PyTuple_GET_SIZE(strides) == PyTuple_GET_SIZE(shape),
        "__array_interface__: strides must be as many as sizes");
    d.strides.emplace();
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(strides); ++i)
      d.strides->push_back(int_of(PyTuple_GET_ITEM(strides, i), "strides"));
  }
  TORCH_CHECK_NOT_IMPLEMENTED(data && PyTuple_Check(data) && PyTuple_GET_SIZE(data) == 2,
                              "__array_interface__: data must be (address, read_only)");
  d.address = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
  if (PyErr_Occurred()) throw python_error();
  d.is_read_only = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) > 0;
  return share_memory(array, d);
}

// By the protocol's form for C, which takes a tenth of the time.
Tensor tensor_from_numpy(PyObject* array) {
  static PyObject* const name = PyUnicode_InternFromString("__array_struct__");
  THPObjectPtr capsule = own(PyObject_GetAttr(array, name));
  const auto* a = PyCapsule_CheckExact(capsule.get())
                      ? static_cast<ArrayStruct*>(PyCapsule_GetPointer(capsule.get(), nullptr))
                      : nullptr;
  if (!a) PyErr_Clear();
  const ScalarType dtype =
      a && a->two == 2 ? type_of_array(a->typekind, a->itemsize) : ScalarType::Undefined;
  // That form has the words for types that tensors do not have.
  if (dtype == ScalarType::Undefined) return tensor_from_array_interface(array);
  const auto nd = static_cast<size_t>(a->nd);
  return share_memory(
      array, {dtype, !(a->flags & ArrayStruct::kNotSwapped), !(a->flags & ArrayStruct::kWriteable),
              a->data, at::DimVector(at::IntArrayRef(a->shape, nd)),
              at::DimVector(at::IntArrayRef(a->strides, nd))});
}

// An object whose __array_interface__ names a tensor's memory, and which keeps the tensor: what
// numpy.asarray reads.
PyObject* tensor_to_numpy(const Tensor& self, bool force) {
  TORCH_CHECK(!self.key_set().has(c10::Functionality::FuncTorchBatched),
              "vmap: numpy() of a tensor that stands for all examples of a batch, which has no "
              "memory of its own; compute with it instead");
  TORCH_CHECK(
      !self.key_set().has(c10::Functionality::Functionalize),
      "functionalization: numpy() of a tensor that holds another one and has no memory of its "
      "own; take torch._from_functional_tensor of it");
  TORCH_CHECK(!self.key_set().has(c10::Functionality::Python),
              "numpy(): not supported for tensors of classes with __torch_dispatch__");
  Tensor t = self;
  if (force) {
    t = at::detach(t);
    if (!t.is_cpu()) t = at::_to_copy(t, at::TensorOptions(t.scalar_type()).device(at::kCPU));
    t = at::native::without_lazy_bits(t);
  }
  TORCH_CHECK_TYPE(
      t.is_cpu(), "can't convert ", t.device(),
      " device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.");
  TORCH_CHECK(
      !(t.requires_grad() && c10::GradMode::is_enabled()),
      "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
  TORCH_CHECK(!t.is_conj(), "numpy(): the memory of a conjugate view holds other numbers than its ",
              "elements; use tensor.resolve_conj().numpy() instead");
  TORCH_CHECK(!t.is_neg(), "numpy(): the memory of a negated view holds other numbers than its ",
              "elements; use tensor.resolve_neg().numpy() instead");
  size_t k = 0;
  while (k < std::size(kTypes) && kTypes[k].dtype != t.scalar_type()) ++k;
  TORCH_CHECK_TYPE(k < std::size(kTypes), "Got unsupported ScalarType ",
                   at::toString(t.scalar_type()));
  PyObject* dtype = numpy_dtype(k);
  THPObjectPtr shape = own(wrap_int_tuple(t.sizes()));
  if (t.numel() == 0) {
    THPObjectPtr empty = numpy_attribute("empty");
    return check(PyObject_CallFunctionObjArgs(empty.get(), shape.get(), dtype, nullptr));
  }
  // ndarray(shape, dtype, buffer, offset, strides) over the storage's buffer; the storage object
  // keeps the memory.
  THPObjectPtr storage = own(wrap_storage(t.storage()));
  const int64_t size = kTypes[k].size;
  THPObjectPtr offset = own(PyLong_FromLongLong(t.storage_offset() * size));
  THPObjectPtr strides;
  if (!t.is_contiguous()) {
    at::DimVector bytes;
    for (int64_t s : t.strides()) bytes.push_back(s * size);
    strides = own(wrap_int_tuple(bytes));
  }
  PyObject* args[] = {shape.get(), dtype, storage.get(), offset.get(), strides.get()};
  return check(PyObject_Vectorcall(reinterpret_cast<PyObject*>(ndarray_type()), args,
                                   strides ? 5 : 4, nullptr));
}

}  // namespace torch
