// torch.UntypedStorage: the bytes under tensors.

#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/item.h>
#include <ATen/ops/select.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/PinnedMemory.h>
#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/SharedMemory.h>
#include <torch/csrc/gil.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/type_object.h>

#include <cstring>
#include <optional>

namespace torch {

static const at::Storage& value_of(PyObject* o) { return reinterpret_cast<THPStorage*>(o)->value; }

PyObject* wrap_storage(at::Storage s) {
  auto* o = reinterpret_cast<THPStorage*>(check(THPStorageType.tp_alloc(&THPStorageType, 0)));
  new (&o->value) at::Storage(std::move(s));
  return reinterpret_cast<PyObject*>(o);
}

// The bytes as a tensor: operators read and write them on any device.
static at::Tensor as_tensor(const at::Storage& s) {
  auto impl = c10::make_intrusive<c10::TensorImpl>(s, c10::computeDispatchKey(s.device().type()),
                                                   at::kByte, s.device());
  impl->set_sizes_contiguous(static_cast<int64_t>(s.nbytes()));
  return at::Tensor(std::move(impl));
}

static PyObject* storage_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"size", "device", nullptr};
    PyObject *size = nullptr, *device = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$O:UntypedStorage", const_cast<char**>(names),
                                     &size, &device))
      return nullptr;
    at::Device d = device && device != Py_None ? to_device(device) : at::Device(at::kCPU);
    at::Storage s;
    if (size && PySequence_Check(size)) {
      // Bytes, given one by one.
      Py_ssize_t n = PySequence_Size(size);
      s = at::Storage::allocate(static_cast<size_t>(n), c10::GetAllocator(at::kCPU));
      for (Py_ssize_t i = 0; i < n; ++i) {
        THPObjectPtr item = own(PySequence_GetItem(size, i));
        static_cast<uint8_t*>(s.data())[i] = static_cast<uint8_t>(to_int64(item.get()));
      }
      if (!d.is_cpu()) s = at::_to_copy(as_tensor(s), at::TensorOptions(d)).storage();
    } else {
      int64_t n = size ? to_int64(size) : 0;
      TORCH_CHECK(n >= 0, "UntypedStorage(): size must not be negative, got ", n);
      if (d.is_meta()) {
        s = at::Storage(c10::make_intrusive<c10::StorageImpl>(
            static_cast<size_t>(n), c10::DataPtr(nullptr, d), nullptr, true));
      } else {
        std::optional<c10::DeviceGuard> guard;
        if (d.has_index() && !d.is_cpu()) guard.emplace(d);
        s = at::Storage::allocate(static_cast<size_t>(n), c10::GetAllocator(d.type()));
      }
    }
    auto* o = reinterpret_cast<THPStorage*>(check(type->tp_alloc(type, 0)));
    new (&o->value) at::Storage(std::move(s));
    return reinterpret_cast<PyObject*>(o);
  });
}

static void storage_dealloc(PyObject* o) {
  reinterpret_cast<THPStorage*>(o)->value.~Storage();
  Py_TYPE(o)->tp_free(o);
}

static PyObject* nbytes(PyObject* o, PyObject*) { return PyLong_FromSize_t(value_of(o).nbytes()); }
static Py_ssize_t length(PyObject* o) { return static_cast<Py_ssize_t>(value_of(o).nbytes()); }
static PyObject* data_ptr(PyObject* o, PyObject*) { return PyLong_FromVoidPtr(value_of(o).data()); }
static PyObject* resizable(PyObject* o, PyObject*) {
  return PyBool_FromLong(value_of(o).unsafeGetStorageImpl()->resizable());
}
static PyObject* resize_(PyObject* o, PyObject* size) {
  return guarded([&] {
    int64_t n = to_int64(size);
    TORCH_CHECK(n >= 0, "UntypedStorage.resize_(): size must not be negative, got ", n);
    value_of(o).unsafeGetStorageImpl()->resize(static_cast<size_t>(n));
    Py_INCREF(o);
    return o;
  });
}
static PyObject* copy_(PyObject* o, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"source", "non_blocking", nullptr};
    PyObject* source;
    int non_blocking = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|p:copy_", const_cast<char**>(names), &source,
                                     &non_blocking))
      return nullptr;
    TORCH_CHECK_TYPE(THPStorage_Check(source), "copy_(): source must be an UntypedStorage, not ",
                     Py_TYPE(source)->tp_name);
    const at::Storage &to = value_of(o), &from = value_of(source);
    TORCH_CHECK(to.nbytes() == from.nbytes(), "copy_(): sizes differ: ", to.nbytes(), " and ",
                from.nbytes(), " bytes");
    if (!to.device().is_cpu() || !from.device().is_cpu()) {
      at::Tensor target = as_tensor(to);
      at::copy_(target, as_tensor(from), non_blocking == 1);
    } else if (to.nbytes()) {
      std::memmove(to.data(), from.data(), to.nbytes());
    }
    Py_INCREF(o);
    return o;
  });
}
// One byte; throws for a storage that has none, on the meta device.
static at::Tensor byte_of(PyObject* o, Py_ssize_t i) {
  const at::Storage& s = value_of(o);
  TORCH_CHECK_NOT_IMPLEMENTED(s.data() || !s.nbytes(), "UntypedStorage: the bytes of a storage on ",
                              s.device(), " cannot be read or written; it has a size only");
  return at::select(as_tensor(s), 0, i);
}
static PyObject* get_item(PyObject* o, Py_ssize_t i) {
  if (i < 0 || i >= length(o)) {
    PyErr_Format(PyExc_IndexError, "index %zd out of range for storage of size %zd", i, length(o));
    return nullptr;
  }
  return guarded([&] {
    const at::Storage& s = value_of(o);
    return PyLong_FromLong(s.device().is_cpu() ? static_cast<const uint8_t*>(s.data())[i]
                                               : at::item(byte_of(o, i)).to<uint8_t>());
  });
}
static int set_item(PyObject* o, Py_ssize_t i, PyObject* v) {
  return guarded_int([&] {
    TORCH_CHECK_TYPE(v, "a storage's bytes cannot be deleted");
    TORCH_CHECK_INDEX(i >= 0 && i < length(o), "index ", i, " out of range for storage of size ",
                      length(o));
    const at::Storage& s = value_of(o);
    const auto byte = static_cast<uint8_t>(to_int64(v));
    if (s.device().is_cpu()) {
      static_cast<uint8_t*>(s.data())[i] = byte;
    } else {
      at::Tensor one = byte_of(o, i);
      at::fill_(one, byte);
    }
    return 0;
  });
}
// storage[i], and storage[a:b] as a storage of the same bytes.
static PyObject* subscript(PyObject* o, PyObject* index) {
  return guarded([&]() -> PyObject* {
    if (PySlice_Check(index)) {
      Py_ssize_t start, stop, step;
      if (PySlice_Unpack(index, &start, &stop, &step) < 0) throw python_error();
      Py_ssize_t n = PySlice_AdjustIndices(length(o), &start, &stop, step);
      TORCH_CHECK_VALUE(step == 1, "UntypedStorage: a slice must have step 1, got ", step);
      auto* keep = new at::Storage(value_of(o));
      keep->unsafeGetStorageImpl()->set_resizable(false);  // the slice points into its bytes
      return wrap_storage(at::Storage::from_blob(
          keep->data() ? static_cast<char*>(keep->data()) + start : nullptr, static_cast<size_t>(n),
          keep, [](void* c) { delete static_cast<at::Storage*>(c); }, keep->device()));
    }
    int64_t i = to_int64(index);
    return check(get_item(o, i < 0 ? i + length(o) : i));
  });
}
static PyObject* clone(PyObject* o, PyObject*) {
  return guarded([&] {
    const at::Storage& s = value_of(o);
    if (!s.device().is_cpu()) return wrap_storage(at::clone(as_tensor(s)).storage());
    at::Storage copy = at::Storage::allocate(s.nbytes(), c10::GetAllocator(at::kCPU));
    if (s.nbytes()) std::memcpy(copy.data(), s.data(), s.nbytes());
    return wrap_storage(std::move(copy));
  });
}
// The bytes on another device, copied by the kernels of the two.
static PyObject* to_device_of(PyObject* o, at::Device device, bool non_blocking = false) {
  const at::Storage& s = value_of(o);
  if (s.device() == device || (s.device().type() == device.type() && !device.has_index())) {
    Py_INCREF(o);
    return o;
  }
  return wrap_storage(
      at::_to_copy(as_tensor(s), at::TensorOptions(device), non_blocking).storage());
}
static PyObject* cpu(PyObject* o, PyObject*) {
  return guarded([&] { return to_device_of(o, at::kCPU); });
}
static PyObject* to(PyObject* o, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"device", "non_blocking", nullptr};
    PyObject* device;
    int non_blocking = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|p:to", const_cast<char**>(names), &device,
                                     &non_blocking))
      return nullptr;
    return to_device_of(o, to_device(device), non_blocking == 1);
  });
}
// cuda(device=None, non_blocking=False): without a number, the current GPU.
static PyObject* cuda(PyObject* o, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"device", "non_blocking", nullptr};
    PyObject* given = Py_None;
    int non_blocking = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Op:cuda", const_cast<char**>(names), &given,
                                     &non_blocking))
      return nullptr;
    at::Device device(at::kCUDA);
    if (given != Py_None)
      device = PyLong_Check(given)
                   ? at::Device(at::kCUDA, static_cast<at::DeviceIndex>(to_int64(given)))
                   : to_device(given);
    TORCH_CHECK(device.is_cuda(), "UntypedStorage.cuda(): device: expected one of CUDA, got ",
                device);
    if (!device.has_index()) device = c10::impl::getDeviceGuardImpl(at::kCUDA)->getDevice();
    return to_device_of(o, device, non_blocking == 1);
  });
}
static PyObject* tolist(PyObject* o, PyObject*) {
  return guarded([&] {
    THPObjectPtr here;
    if (value_of(o).device().is_cuda()) here = own(to_device_of(o, at::kCPU));
    return PySequence_List(here ? here.get() : o);
  });
}
static PyObject* fill_(PyObject* o, PyObject* v) {
  return guarded([&] {
    const at::Storage& s = value_of(o);
    auto byte = static_cast<uint8_t>(to_int64(v));
    if (!s.device().is_cpu()) {
      at::Tensor bytes = as_tensor(s);
      at::fill_(bytes, byte);
    } else if (s.nbytes()) {
      std::memset(s.data(), byte, s.nbytes());
    }
    Py_INCREF(o);
    return o;
  });
}
static PyObject* is_pinned(PyObject* self, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* device = Py_None;
    if (!PyArg_ParseTuple(args, "|O:is_pinned", &device)) return nullptr;
    const auto& storage = value_of(self);
    return PyBool_FromLong(storage.device().is_cpu() &&
                           c10::impl::is_pinned(storage.data(), optional_device_type(device)));
  });
}

static PyObject* pin_memory(PyObject* self, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* device = Py_None;
    if (!PyArg_ParseTuple(args, "|O:pin_memory", &device)) return nullptr;
    const at::Storage& storage = value_of(self);
    TORCH_CHECK_TYPE(storage.device().is_cpu(), "pin_memory(): cannot pin a storage on ",
                     storage.device(), "; only those on the CPU");
    const auto type = optional_device_type(device);
    const auto* pinned = c10::impl::pinned_memory(type);
    TORCH_CHECK(pinned, "pin_memory(): there is no accelerator that memory could be pinned for");
    if (c10::impl::is_pinned(storage.data(), type)) return Py_NewRef(self);
    at::Storage copy = at::Storage::allocate(storage.nbytes(), pinned->allocator());
    if (storage.nbytes()) std::memcpy(copy.data(), storage.data(), storage.nbytes());
    return wrap_storage(std::move(copy));
  });
}

static PyObject* is_shared(PyObject* o, PyObject*) {
  return PyBool_FromLong(value_of(o).device().is_cuda() || is_shared_storage(value_of(o)));
}
static PyObject* share_memory_(PyObject* o, PyObject*) {
  return guarded([&] {
    if (!value_of(o).device().is_cuda()) share_storage(value_of(o));
    Py_INCREF(o);
    return o;
  });
}
// (file descriptor, number of bytes); the descriptor stays the storage's.
static PyObject* share_fd(PyObject* o, PyObject*) {
  return guarded([&] {
    int fd = share_storage(value_of(o));
    return Py_BuildValue("in", fd, static_cast<Py_ssize_t>(value_of(o).nbytes()));
  });
}
static PyObject* copy_to_fd(PyObject* o, PyObject*) {
  return guarded([&] { return PyLong_FromLong(copy_to_descriptor(value_of(o))); });
}
static PyObject* new_shared(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"size", "device", nullptr};
    PyObject *size, *device = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O:_new_shared", const_cast<char**>(names),
                                     &size, &device))
      return nullptr;
    int64_t n = to_int64(size);
    TORCH_CHECK(n >= 0, "_new_shared(): size must not be negative, got ", n);
    TORCH_CHECK(!device || device == Py_None || to_device(device).is_cpu(),
                "_new_shared(): only storages on the CPU");
    return wrap_storage(new_shared_storage(static_cast<size_t>(n)));
  });
}
static PyObject* new_shared_fd(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"fd", "size", "keep_descriptor", nullptr};
    int fd, keep = 1;
    Py_ssize_t size;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "in|p:_new_shared_fd_cpu",
                                     const_cast<char**>(names), &fd, &size, &keep))
      return nullptr;
    TORCH_CHECK(size >= 0, "_new_shared_fd_cpu(): size must not be negative, got ", size);
    return wrap_storage(storage_from_descriptor(fd, static_cast<size_t>(size), keep));
  });
}

// Storages on GPUs are shared by a module that is loaded with the backend.
static PyObject* call_ipc(const char* name, PyObject* args) {
  return guarded([&]() -> PyObject* {
    THPObjectPtr module = own(PyImport_ImportModule("torch.cuda._ipc"));
    THPObjectPtr function = own(PyObject_GetAttrString(module.get(), name));
    return PyObject_CallObject(function.get(), args);
  });
}
static PyObject* share_cuda(PyObject* o, PyObject*) {
  THPObjectPtr args(PyTuple_Pack(1, o));
  return args ? call_ipc("share_storage", args.get()) : nullptr;
}
static PyObject* new_shared_cuda(PyObject*, PyObject* args) {
  return call_ipc("new_shared_storage", args);
}
static PyObject* release_ipc_counter(PyObject*, PyObject* args) {
  return call_ipc("release_counter", args);
}

// Copying and pickling are written in Python: the first call loads torch.storage, which puts its
// methods in the place of these two.
static PyObject* call_python_method(PyObject* o, const char* name, PyObject* arg) {
  THPObjectPtr module(PyImport_ImportModule("torch.storage"));
  if (!module) return nullptr;
  return arg ? PyObject_CallMethod(o, name, "O", arg) : PyObject_CallMethod(o, name, nullptr);
}
static PyObject* deepcopy(PyObject* o, PyObject* memo) {
  return call_python_method(o, "__deepcopy__", memo);
}
static PyObject* reduce(PyObject* o, PyObject*) {
  return call_python_method(o, "__reduce__", nullptr);
}

static PyObject* get_device(PyObject* o, void*) {
  return guarded([&] { return wrap_device(value_of(o).device()); });
}
static PyObject* get_cdata(PyObject* o, void*) {
  return PyLong_FromVoidPtr(value_of(o).unsafeGetStorageImpl());
}
static PyObject* get_is_cuda(PyObject* o, void*) {
  return PyBool_FromLong(value_of(o).device().is_cuda());
}
static Py_hash_t storage_hash(PyObject* o) {
  return _Py_HashPointer(value_of(o).unsafeGetStorageImpl());
}
static PyObject* storage_compare(PyObject* a, PyObject* b, int op) {
  if (!THPStorage_Check(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong(value_of(a).is_alias_of(value_of(b)) == (op == Py_EQ));
}

static int get_buffer(PyObject* o, Py_buffer* view, int flags) {
  const at::Storage& s = value_of(o);
  if (!s.device().is_cpu()) {
    PyErr_SetString(PyExc_BufferError, "only the bytes of a CPU storage can be seen as a buffer");
    return -1;
  }
  static char nothing;
  // The exporter is held by the view; resizing while a view is out would move the bytes, so it is
  // made fixed.
  s.unsafeGetStorageImpl()->set_resizable(false);
  return PyBuffer_FillInfo(view, o, s.nbytes() ? s.data() : &nothing,
                           static_cast<Py_ssize_t>(s.nbytes()), 0, flags);
}

static void release_buffer_owner(void* context) {
  gil_scoped_acquire gil;
  auto* view = static_cast<Py_buffer*>(context);
  PyBuffer_Release(view);
  delete view;
}

// UntypedStorage._from_buffer(obj): shares the bytes of an object with the buffer protocol.
static PyObject* from_buffer(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    auto* view = new Py_buffer;
    if (PyObject_GetBuffer(o, view, PyBUF_SIMPLE) < 0) {
      delete view;
      throw python_error();
    }
    return wrap_storage(at::Storage::from_blob(view->buf, static_cast<size_t>(view->len), view,
                                               release_buffer_owner, at::kCPU));
  });
}

static PyMethodDef storage_methods[] = {
    {"nbytes", nbytes, METH_NOARGS, docs::UntypedStorage_nbytes},
    {"size", nbytes, METH_NOARGS, docs::UntypedStorage_size},
    {"data_ptr", data_ptr, METH_NOARGS, docs::UntypedStorage_data_ptr},
    {"resizable", resizable, METH_NOARGS, docs::UntypedStorage_resizable},
    {"resize_", resize_, METH_O, docs::UntypedStorage_resize_},
    {"copy_", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(copy_)),
     METH_VARARGS | METH_KEYWORDS, docs::UntypedStorage_copy_},
    {"__deepcopy__", deepcopy, METH_O, nullptr},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"clone", clone, METH_NOARGS, docs::UntypedStorage_clone},
    {"cpu", cpu, METH_NOARGS, docs::UntypedStorage_cpu},
    {"cuda", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(cuda)),
     METH_VARARGS | METH_KEYWORDS, docs::UntypedStorage_cuda},
    {"to", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(to)), METH_VARARGS | METH_KEYWORDS,
     docs::UntypedStorage_to},
    {"tolist", tolist, METH_NOARGS, docs::UntypedStorage_tolist},
    {"fill_", fill_, METH_O, docs::UntypedStorage_fill_},
    {"is_shared", is_shared, METH_NOARGS, docs::UntypedStorage_is_shared},
    {"is_pinned", is_pinned, METH_VARARGS, docs::UntypedStorage_is_pinned},
    {"pin_memory", pin_memory, METH_VARARGS, docs::UntypedStorage_pin_memory},
    {"share_memory_", share_memory_, METH_NOARGS, docs::UntypedStorage_share_memory_},
    {"_share_fd_cpu_", share_fd, METH_NOARGS, nullptr},
    {"_copy_to_fd", copy_to_fd, METH_NOARGS, nullptr},
    {"_new_shared", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(new_shared)),
     METH_VARARGS | METH_KEYWORDS | METH_STATIC, "A storage of so many bytes in shared memory."},
    {"_new_shared_fd_cpu", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(new_shared_fd)),
     METH_VARARGS | METH_KEYWORDS | METH_STATIC, nullptr},
    {"_share_cuda_", share_cuda, METH_NOARGS,
     "What another process needs to open this storage of a GPU."},
    {"_new_shared_cuda", new_shared_cuda, METH_VARARGS | METH_STATIC,
     "The storage that _share_cuda_() described."},
    {"_release_ipc_counter_cuda", release_ipc_counter, METH_VARARGS | METH_STATIC,
     "Gives up what _share_cuda_() described without opening it."},
    {"_from_buffer", from_buffer, METH_O | METH_STATIC,
     "A storage that shares the bytes of a buffer."},
    {nullptr, nullptr, 0, nullptr}};
static PyGetSetDef storage_properties[] = {
    {"device", get_device, nullptr, docs::UntypedStorage_device, nullptr},
    {"_cdata", get_cdata, nullptr, nullptr, nullptr},
    {"is_cuda", get_is_cuda, nullptr, docs::UntypedStorage_is_cuda, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
static PySequenceMethods storage_sequence;
static PyMappingMethods storage_mapping;
static PyBufferProcs storage_buffer = {get_buffer, nullptr};

PyTypeObject THPStorageType = [] {
  PyTypeObject t = type_object<THPStorage>("torch.storage.UntypedStorage", docs::UntypedStorage,
                                           Py_TPFLAGS_BASETYPE);
  t.tp_new = storage_new;
  t.tp_dealloc = storage_dealloc;
  t.tp_hash = storage_hash;
  t.tp_richcompare = storage_compare;
  t.tp_methods = storage_methods;
  t.tp_getset = storage_properties;
  return t;
}();

bool init_storage(PyObject* module) {
  storage_sequence.sq_length = length;
  storage_sequence.sq_item = get_item;
  storage_sequence.sq_ass_item = set_item;
  storage_mapping.mp_length = length;
  storage_mapping.mp_subscript = subscript;
  THPStorageType.tp_as_mapping = &storage_mapping;
  THPStorageType.tp_as_sequence = &storage_sequence;
  THPStorageType.tp_as_buffer = &storage_buffer;
  if (!add_type(module, THPStorageType)) return false;
  // torch/storage.py adds methods.
  THPStorageType.tp_flags &= ~static_cast<unsigned long>(Py_TPFLAGS_IMMUTABLETYPE);
  return true;
}

}  // namespace torch
