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

PyTypeObject* ndarray_type() {
  // Only once NumPy is loaded can there be an array.
  static PyTypeObject* type = nullptr;
  if (type) return type;
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* numpy = PyDict_GetItemString(modules, "numpy");
  PyObject* t = numpy ? PyObject_GetAttrString(numpy, "ndarray") : nullptr;
  if (!t) PyErr_Clear();
  return type = reinterpret_cast<PyTypeObject*>(t);
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

}  // namespace

bool is_numpy_array(PyObject* o) {
  PyTypeObject* t = ndarray_type();
  return t && PyObject_TypeCheck(o, t);
}

// Everything comes from the array interface protocol, version 3, whoever provides it; all of it is
// checked, since it may come from anywhere.
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
  int size = std::atoi(text + 2);
  ScalarType dtype = ScalarType::Undefined;
  for (const NumpyType& t : kTypes) {
    if (t.kind == text[1] && t.size == size) dtype = t.dtype;
  }
  TORCH_CHECK_TYPE(
      dtype != ScalarType::Undefined, "can't convert np.ndarray of type ", text,
      ". The only supported types are: float64, float32, float16, complex64, complex128, "
      "int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool.");
  TORCH_CHECK_VALUE(text[0] != '>',
                    "from_numpy: the array's byte order is not this machine's native byte order; "
                    "convert it first: array.astype(array.dtype.newbyteorder('='))");
  at::DimVector sizes, steps;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); ++i) {
    sizes.push_back(int_of(PyTuple_GET_ITEM(shape, i), "shape"));
    TORCH_CHECK_VALUE(sizes.back() >= 0, "__array_interface__: a size must not be negative, got ",
                      sizes.back());
  }
  int64_t numel = c10::checked_numel(sizes, "from_numpy");
  if (!strides || strides == Py_None) {
    steps = c10::contiguous_strides(sizes);
  } else {
    TORCH_CHECK_VALUE(
        PyTuple_Check(strides) && PyTuple_GET_SIZE(strides) == PyTuple_GET_SIZE(shape),
        "__array_interface__: strides must be as many as sizes");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(strides); ++i) {
      int64_t s = int_of(PyTuple_GET_ITEM(strides, i), "strides");
      TORCH_CHECK_VALUE(s >= 0 || sizes[static_cast<size_t>(i)] <= 1 || numel == 0,
                        "from_numpy: a stride of the given numpy array is negative, which tensors "
                        "cannot have; pass array.copy()");
      TORCH_CHECK_VALUE(s % size == 0,
                        "from_numpy: the given numpy array strides are not a multiple of the "
                        "element byte size; pass array.copy()");
      steps.push_back(s < 0 ? 0 : s / size);
    }
  }
  size_t nbytes = c10::checked_nbytes(sizes, steps, 0, static_cast<size_t>(size), "from_numpy");
  void* address = nullptr;
  bool read_only = false;
  if (data && PyTuple_Check(data) && PyTuple_GET_SIZE(data) == 2) {
    address = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
    if (PyErr_Occurred()) throw python_error();
    read_only = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) > 0;
  } else {
    TORCH_CHECK_NOT_IMPLEMENTED(false, "__array_interface__: data must be (address, read_only)");
  }
  TORCH_CHECK_VALUE(address || nbytes == 0, "__array_interface__: the address is null for ", nbytes,
                    " bytes");
  TORCH_CHECK_VALUE(
      reinterpret_cast<uintptr_t>(address) + nbytes >= reinterpret_cast<uintptr_t>(address),
      "__array_interface__: address and size overflow");
  if (!is_numpy_array(array)) {
    // Nobody vouches for an address that a plain dict gives. Ask the operating system whether it
    // can be read.
    TORCH_CHECK_VALUE(memory_is_readable(address, nbytes),
                      "__array_interface__: the memory it names cannot be read");
  }
  if (read_only) {
    TORCH_WARN_ONCE(
        "The given NumPy array is not writable, but the tensor that shares its memory is: do not "
        "write to it, or pass a copy of the array.");
  }
  at::Storage storage =
      at::Storage::from_blob(address, nbytes, Py_NewRef(array), release_owner, at::kCPU);
  auto impl = c10::make_intrusive<c10::TensorImpl>(std::move(storage), c10::DispatchKey::CPU, dtype,
                                                   at::kCPU);
  impl->set_sizes_and_strides(sizes, steps);
  return Tensor(std::move(impl));
}

Tensor tensor_from_numpy(PyObject* array) { return tensor_from_array_interface(array); }

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
  const NumpyType* type = nullptr;
  for (const NumpyType& k : kTypes) {
    if (k.dtype == t.scalar_type()) type = &k;
  }
  TORCH_CHECK_TYPE(type, "Got unsupported ScalarType ", at::toString(t.scalar_type()));
  // ndarray(shape, dtype, buffer, offset, strides) over the storage's buffer; the storage object
  // keeps the memory.
  char code[16];
  snprintf(code, sizeof code, "%s%c%d", type->size == 1 ? "|" : "<", type->kind, type->size);
  THPObjectPtr ndarray = numpy_attribute("ndarray");
  THPObjectPtr storage = own(wrap_storage(t.storage()));
  THPObjectPtr shape = own(wrap_int_tuple(t.sizes()));
  at::DimVector bytes;
  for (int64_t s : t.strides()) bytes.push_back(s * type->size);
  THPObjectPtr strides = own(wrap_int_tuple(bytes));
  if (t.numel() == 0) {
    THPObjectPtr empty = numpy_attribute("empty");
    return check(PyObject_CallFunction(empty.get(), "Os", shape.get(), code));
  }
  return check(PyObject_CallFunction(ndarray.get(), "OsOLO", shape.get(), code, storage.get(),
                                     static_cast<long long>(t.storage_offset() * type->size),
                                     strides.get()));
}

}  // namespace torch
