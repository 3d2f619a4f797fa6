// DLPack's functions that other libraries call from C, found by Tensor.__dlpack_c_exchange_api__:
// they make no capsule, and wait for no stream.

#include <torch/csrc/DLPack.h>

#include <ATen/native/common/StructuredOutputs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/gil.h>
#include <torch/csrc/python_types.h>

namespace torch::dlpack {
namespace {

using SetError = void (*)(void* context, const char* kind, const char* message);

// The table of the standard, in its order.
struct ExchangeApi {
  struct {
    uint32_t major, minor;
  } version;
  ExchangeApi* older;
  int (*allocate)(DLTensor* like, DLManagedTensorVersioned** made, void* context, SetError);
  int (*from_object)(void* object, DLManagedTensorVersioned** made);
  int (*to_object)(DLManagedTensorVersioned* tensor, void** made);
  int (*look_at_object)(void* object, DLTensor* seen);
  int (*current_stream)(int32_t device_type, int32_t device_id, void** stream);
};

// Runs with Python's lock, and leaves an error of Python.
template <typename F>
int run(F f) {
  gil_scoped_acquire gil;
  return guarded_int([&] {
    f();
    return 0;
  });
}

const at::Tensor& tensor_of(void* object) {
  auto* o = static_cast<PyObject*>(object);
  TORCH_CHECK_TYPE(THPVariable_Check(o), "__dlpack_c_exchange_api__: expected a Tensor, got ",
                   Py_TYPE(o)->tp_name);
  return THPVariable_Unpack(o);
}

// A tensor with the shape, type and device of another library's.
int allocate(DLTensor* like, DLManagedTensorVersioned** made, void* context, SetError set_error) {
  gil_scoped_acquire gil;
  const int result = run([&] {
    const at::DimVector sizes(like->shape, like->shape + like->ndim);
    *made = export_tensor(at::empty_tensor(sizes, from_dl(like->dtype), from_dl(like->device)));
  });
  if (result == 0) return 0;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  THPObjectPtr kind(type), error(value), stack(trace);
  THPObjectPtr text(error ? PyObject_Str(error.get()) : nullptr);
  const char* message = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  const char* name = kind ? reinterpret_cast<PyTypeObject*>(kind.get())->tp_name : "RuntimeError";
  set_error(context, name, message ? message : "unknown error");
  PyErr_Clear();
  return -1;
}

int from_object(void* object, DLManagedTensorVersioned** made) {
  return run([&] { *made = export_tensor(tensor_of(object)); });
}

int to_object(DLManagedTensorVersioned* tensor, void** made) {
  return run([&] { *made = THPVariable_Wrap(import_tensor(tensor)); });
}

// Without a reference: the shape and the strides are the tensor's own.
int look_at_object(void* object, DLTensor* seen) {
  return run([&] {
    const at::Tensor& t = tensor_of(object);
    TORCH_CHECK(!t.is_conj() && !t.is_neg(),
                "__dlpack_c_exchange_api__: the memory of a conjugate or negated view holds other "
                "numbers than its elements");
    *seen = {t.data_ptr(),
             to_dl(t.device()),
             static_cast<int32_t>(t.dim()),
             to_dl(t.scalar_type()),
             const_cast<int64_t*>(t.sizes().data()),
             const_cast<int64_t*>(t.strides().data()),
             0};
  });
}

int current_stream(int32_t device_type, int32_t device_id, void** stream) {
  *stream = nullptr;
  return run([&] {
    const at::Device device = from_dl(DLDevice{device_type, device_id});
    if (!device.is_cuda()) return;
    THPObjectPtr module = own(PyImport_ImportModule("torch.cuda"));
    THPObjectPtr current = own(PyObject_CallMethod(module.get(), "current_stream", "i", device_id));
    THPObjectPtr handle = own(PyObject_GetAttrString(current.get(), "cuda_stream"));
    *stream = PyLong_AsVoidPtr(handle.get());
    if (PyErr_Occurred()) throw python_error();
  });
}

ExchangeApi g_api = {{1, 3},    nullptr,        allocate,      from_object,
                     to_object, look_at_object, current_stream};

}  // namespace

PyObject* exchange_api() { return PyCapsule_New(&g_api, "dlpack_exchange_api", nullptr); }

}  // namespace torch::dlpack
