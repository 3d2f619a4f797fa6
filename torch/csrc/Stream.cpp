// torch.Stream and torch.Event: queues of work on a device, of whichever backend is loaded.

#include <torch/csrc/Module.h>

#include <memory>
#include <new>

#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/impl/BackendLibrary.h>
#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/gil.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/type_object.h>

namespace torch {
namespace {

using c10::Device;
using c10::Event;
using c10::Stream;
using c10::impl::getDeviceGuardImpl;

struct THPStream {
  PyObject_HEAD Stream value;
  std::unique_ptr<c10::StreamGuard> entered;  // by `with stream:`
};
struct THPEvent {
  PyObject_HEAD std::unique_ptr<Event> value;
};

extern PyTypeObject StreamType, EventType;

Stream& stream_of(PyObject* o) { return reinterpret_cast<THPStream*>(o)->value; }
Event& event_of(PyObject* o) { return *reinterpret_cast<THPEvent*>(o)->value; }

const Stream& to_stream(PyObject* o, const char* function) {
  TORCH_CHECK_TYPE(PyObject_TypeCheck(o, &StreamType), function,
                   "(): expected a torch.Stream, got ", Py_TYPE(o)->tp_name);
  return stream_of(o);
}
Event& to_event(PyObject* o, const char* function) {
  TORCH_CHECK_TYPE(PyObject_TypeCheck(o, &EventType), function, "(): expected a torch.Event, got ",
                   Py_TYPE(o)->tp_name);
  return event_of(o);
}

// Whether there is a device of the type: a program may have brought PrivateUse1.
bool is_there(at::DeviceType type) {
  return c10::impl::hasDeviceGuardImpl(type) && getDeviceGuardImpl(type)->deviceCount() > 0;
}

// The device that is meant: that of the accelerator, if there is one, where none is given; with
// the current index.
Device device_or_default(PyObject* given) {
  if (given && given != Py_None) {
    Device device = to_device(given);
    return device.has_index() ? device : getDeviceGuardImpl(device.type())->getDevice();
  }
  for (auto type : {at::DeviceType::PrivateUse1, at::kCUDA})
    if (is_there(type)) return getDeviceGuardImpl(type)->getDevice();
  return getDeviceGuardImpl(at::kCPU)->getDevice();
}

PyObject* make_stream(PyTypeObject* type, Stream value) {
  PyObject* o = check(type->tp_alloc(type, 0));
  auto* s = reinterpret_cast<THPStream*>(o);
  new (&s->value) Stream(value);
  new (&s->entered) std::unique_ptr<c10::StreamGuard>();
  return o;
}

PyObject* stream_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"device",       "priority",    "stream_id",
                                  "device_index", "device_type", nullptr};
    PyObject* device = nullptr;
    int priority = 0;
    long long id = -1, index = 0, kind = -1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$iLLL:Stream", const_cast<char**>(names),
                                     &device, &priority, &id, &index, &kind))
      return nullptr;
    if (kind >= 0 && kind < static_cast<int>(at::DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES))
      return make_stream(type, Stream(Stream::UNSAFE,
                                      Device(static_cast<at::DeviceType>(kind),
                                             static_cast<at::DeviceIndex>(index)),
                                      id));
    Device d = device_or_default(device);
    return make_stream(type, getDeviceGuardImpl(d.type())->getNewStream(d, priority));
  });
}
void stream_dealloc(PyObject* o) {
  auto* s = reinterpret_cast<THPStream*>(o);
  s->entered.~unique_ptr();
  s->value.~Stream();
  Py_TYPE(o)->tp_free(o);
}

PyObject* stream_query(PyObject* o, PyObject*) {
  return guarded([&] { return PyBool_FromLong(stream_of(o).query()); });
}
PyObject* stream_synchronize(PyObject* o, PyObject*) {
  return guarded([&]() -> PyObject* {
    {
      gil_scoped_release released;
      stream_of(o).synchronize();
    }
    Py_RETURN_NONE;
  });
}
PyObject* stream_wait_event(PyObject* o, PyObject* event) {
  return guarded([&]() -> PyObject* {
    to_event(event, "wait_event").block(stream_of(o));
    Py_RETURN_NONE;
  });
}
PyObject* stream_wait_stream(PyObject* o, PyObject* other) {
  return guarded([&]() -> PyObject* {
    const Stream& first = to_stream(other, "wait_stream");
    Event done(first.device_type());
    done.record(first);
    done.block(stream_of(o));
    Py_RETURN_NONE;
  });
}
PyObject* make_event(PyTypeObject* type, Event value) {
  PyObject* o = check(type->tp_alloc(type, 0));
  new (&reinterpret_cast<THPEvent*>(o)->value) std::unique_ptr<Event>(new Event(std::move(value)));
  return o;
}
PyObject* stream_record_event(PyObject* o, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* event = nullptr;
    if (!PyArg_ParseTuple(args, "|O:record_event", &event)) return nullptr;
    if (!event || event == Py_None) {
      Event made(stream_of(o).device_type());
      made.record(stream_of(o));
      return make_event(&EventType, std::move(made));
    }
    to_event(event, "record_event").record(stream_of(o));
    Py_INCREF(event);
    return event;
  });
}
PyObject* stream_enter(PyObject* o, PyObject*) {
  return guarded([&] {
    reinterpret_cast<THPStream*>(o)->entered = std::make_unique<c10::StreamGuard>(stream_of(o));
    Py_INCREF(o);
    return o;
  });
}
PyObject* stream_exit(PyObject* o, PyObject*) {
  reinterpret_cast<THPStream*>(o)->entered.reset();
  Py_RETURN_NONE;
}
PyObject* stream_compare(PyObject* a, PyObject* b, int op) {
  if (!PyObject_TypeCheck(b, &StreamType) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((stream_of(a) == stream_of(b)) == (op == Py_EQ));
}
Py_hash_t stream_hash(PyObject* o) {
  const Stream& s = stream_of(o);
  return static_cast<Py_hash_t>(s.id()) * 1000003 ^
         (static_cast<Py_hash_t>(s.device_type()) << 8 | static_cast<uint8_t>(s.device_index()));
}
PyObject* stream_repr(PyObject* o) {
  return guarded([&] {
    const Stream& s = stream_of(o);
    return PyUnicode_FromFormat("torch.Stream device_type=%s, device_index=%d, stream_id=%lld",
                                at::DeviceTypeName(s.device_type()),
                                static_cast<int>(s.device_index()), static_cast<long long>(s.id()));
  });
}
PyObject* stream_device(PyObject* o, void*) {
  return guarded([&] { return wrap_device(stream_of(o).device()); });
}
PyObject* stream_id(PyObject* o, void*) { return PyLong_FromLongLong(stream_of(o).id()); }
PyObject* stream_index(PyObject* o, void*) { return PyLong_FromLong(stream_of(o).device_index()); }
PyObject* stream_kind(PyObject* o, void*) {
  return PyLong_FromLong(static_cast<long>(stream_of(o).device_type()));
}

PyMethodDef stream_methods[] = {
    {"query", stream_query, METH_NOARGS, docs::Stream_query},
    {"synchronize", stream_synchronize, METH_NOARGS, docs::Stream_synchronize},
    {"wait_event", stream_wait_event, METH_O, docs::Stream_wait_event},
    {"wait_stream", stream_wait_stream, METH_O, docs::Stream_wait_stream},
    {"record_event", stream_record_event, METH_VARARGS, docs::Stream_record_event},
    {"__enter__", stream_enter, METH_NOARGS, nullptr},
    {"__exit__", stream_exit, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef stream_properties[] = {
    {"device", stream_device, nullptr, docs::Stream_device, nullptr},
    {"stream_id", stream_id, nullptr, docs::Stream_stream_id, nullptr},
    {"device_index", stream_index, nullptr, docs::Stream_device_index, nullptr},
    {"device_type", stream_kind, nullptr, docs::Stream_device_type, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject StreamType = [] {
  PyTypeObject t = type_object<THPStream>("torch.Stream", docs::Stream, Py_TPFLAGS_BASETYPE);
  t.tp_new = stream_new;
  t.tp_dealloc = stream_dealloc;
  t.tp_methods = stream_methods;
  t.tp_getset = stream_properties;
  t.tp_richcompare = stream_compare;
  t.tp_hash = stream_hash;
  t.tp_repr = stream_repr;
  return t;
}();

// --- events -------------------------------------------------------------------------------------

PyObject* event_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"device", "enable_timing", "blocking", "interprocess", nullptr};
    PyObject* device = nullptr;
    int timing = 0, blocking = 0, interprocess = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$ppp:Event", const_cast<char**>(names),
                                     &device, &timing, &blocking, &interprocess))
      return nullptr;
    TORCH_CHECK_NOT_IMPLEMENTED(!interprocess,
                                "Event(): only events of torch.cuda.Event are shared by processes");
    Device d = device_or_default(device);
    return make_event(type, Event(d.type(), timing ? c10::EventFlag::BACKEND_DEFAULT
                                                   : c10::EventFlag::PYTORCH_DEFAULT));
  });
}
void event_dealloc(PyObject* o) {
  reinterpret_cast<THPEvent*>(o)->value.~unique_ptr();
  Py_TYPE(o)->tp_free(o);
}
Stream stream_or_current(PyObject* stream, Event& event, const char* function) {
  if (stream && stream != Py_None) return to_stream(stream, function);
  const auto* impl = getDeviceGuardImpl(event.device_type());
  return impl->getStream(impl->getDevice());
}
PyObject* event_record(PyObject* o, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* stream = nullptr;
    if (!PyArg_ParseTuple(args, "|O:record", &stream)) return nullptr;
    event_of(o).record(stream_or_current(stream, event_of(o), "record"));
    Py_RETURN_NONE;
  });
}
PyObject* event_wait(PyObject* o, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* stream = nullptr;
    if (!PyArg_ParseTuple(args, "|O:wait", &stream)) return nullptr;
    event_of(o).block(stream_or_current(stream, event_of(o), "wait"));
    Py_RETURN_NONE;
  });
}
PyObject* event_query(PyObject* o, PyObject*) {
  return guarded([&] { return PyBool_FromLong(event_of(o).query()); });
}
PyObject* event_synchronize(PyObject* o, PyObject*) {
  return guarded([&]() -> PyObject* {
    {
      gil_scoped_release released;
      event_of(o).synchronize();
    }
    Py_RETURN_NONE;
  });
}
PyObject* event_elapsed_time(PyObject* o, PyObject* end) {
  return guarded(
      [&] { return PyFloat_FromDouble(event_of(o).elapsedTime(to_event(end, "elapsed_time"))); });
}
PyObject* event_device(PyObject* o, void*) {
  return guarded([&] { return wrap_device(event_of(o).device()); });
}
// _adopt(address, device index): takes over an event that the backend's own module has made.
PyObject* event_adopt(PyObject* o, PyObject* args) {
  return guarded([&]() -> PyObject* {
    unsigned long long address = 0;
    int index = 0;
    if (!PyArg_ParseTuple(args, "Ki:_adopt", &address, &index)) return nullptr;
    event_of(o).adopt(reinterpret_cast<void*>(address), static_cast<at::DeviceIndex>(index));
    Py_RETURN_NONE;
  });
}
PyObject* event_id(PyObject* o, void*) { return PyLong_FromVoidPtr(event_of(o).eventId()); }
PyObject* event_repr(PyObject* o) {
  return guarded([&] {
    return PyUnicode_FromFormat("torch.Event device_type=%s, device_index=%d, event_id=%p",
                                at::DeviceTypeName(event_of(o).device_type()),
                                static_cast<int>(event_of(o).device_index()),
                                event_of(o).eventId());
  });
}

PyMethodDef event_methods[] = {
    {"record", event_record, METH_VARARGS, docs::Event_record},
    {"wait", event_wait, METH_VARARGS, docs::Event_wait},
    {"query", event_query, METH_NOARGS, docs::Event_query},
    {"synchronize", event_synchronize, METH_NOARGS, docs::Event_synchronize},
    {"elapsed_time", event_elapsed_time, METH_O, docs::Event_elapsed_time},
    {"_adopt", event_adopt, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef event_properties[] = {{"device", event_device, nullptr, docs::Event_device, nullptr},
                                  {"event_id", event_id, nullptr, docs::Event_event_id, nullptr},
                                  {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject EventType = [] {
  PyTypeObject t = type_object<THPEvent>("torch.Event", docs::Event, Py_TPFLAGS_BASETYPE);
  t.tp_new = event_new;
  t.tp_dealloc = event_dealloc;
  t.tp_methods = event_methods;
  t.tp_getset = event_properties;
  t.tp_repr = event_repr;
  return t;
}();

// --- devices ------------------------------------------------------------------------------------

PyObject* current_stream(PyObject*, PyObject* device) {
  return guarded([&] {
    Device d = device_or_default(device);
    return make_stream(&StreamType, getDeviceGuardImpl(d.type())->getStream(d));
  });
}
PyObject* set_stream(PyObject*, PyObject* stream) {
  return guarded([&]() -> PyObject* {
    const Stream& s = to_stream(stream, "_accelerator_set_stream");
    const auto* impl = getDeviceGuardImpl(s.device_type());
    impl->setDevice(s.device());
    impl->exchangeStream(s);
    Py_RETURN_NONE;
  });
}
PyObject* current_device(PyObject*, PyObject* type) {
  return guarded([&] {
    return PyLong_FromLong(getDeviceGuardImpl(to_device(type).type())->getDevice().index());
  });
}
PyObject* set_device(PyObject*, PyObject* device) {
  return guarded([&]() -> PyObject* {
    Device d = device_or_default(device);
    getDeviceGuardImpl(d.type())->setDevice(d);
    Py_RETURN_NONE;
  });
}
PyObject* device_count(PyObject*, PyObject* type) {
  return guarded([&] {
    at::DeviceType t = to_device(type).type();
    return PyLong_FromLong(c10::impl::hasDeviceGuardImpl(t) ? getDeviceGuardImpl(t)->deviceCount()
                                                            : 0);
  });
}
PyObject* synchronize_device(PyObject*, PyObject* device) {
  return guarded([&]() -> PyObject* {
    Device d = device_or_default(device);
    {
      gil_scoped_release released;
      getDeviceGuardImpl(d.type())->synchronizeDevice(d.index());
    }
    Py_RETURN_NONE;
  });
}
PyObject* rename_privateuse1(PyObject*, PyObject* name) {
  return guarded([&]() -> PyObject* {
    const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
    TORCH_CHECK_TYPE(text, "rename_privateuse1_backend(): expected a str, got ",
                     Py_TYPE(name)->tp_name);
    c10::register_privateuse1_backend(text);
    Py_RETURN_NONE;
  });
}
PyObject* privateuse1_name(PyObject*, PyObject*) {
  return guarded([] { return PyUnicode_FromString(c10::get_privateuse1_backend().c_str()); });
}

// The extension module behind torch.cuda: "_cuda", "_cuda_emulated", or "" in a build without.
PyObject* cuda_extension(PyObject*, PyObject*) {
  std::string library = c10::impl::backend_library(at::DeviceType::CUDA);
  bool is_emulated = library.find("_emulated") != std::string::npos;
  return PyUnicode_FromString(library.empty() ? "" : is_emulated ? "_cuda_emulated" : "_cuda");
}

PyMethodDef functions[] = {
    {"_cuda_extension", cuda_extension, METH_NOARGS, nullptr},
    {"_accelerator_current_stream", current_stream, METH_O, nullptr},
    {"_accelerator_set_stream", set_stream, METH_O, nullptr},
    {"_accelerator_current_device", current_device, METH_O, nullptr},
    {"_accelerator_set_device", set_device, METH_O, nullptr},
    {"_accelerator_device_count", device_count, METH_O, nullptr},
    {"_accelerator_synchronize", synchronize_device, METH_O, nullptr},
    {"_rename_privateuse1_backend", rename_privateuse1, METH_O, nullptr},
    {"_get_privateuse1_backend_name", privateuse1_name, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_streams(PyObject* module) {
  return add_type(module, StreamType) && add_type(module, EventType) &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace torch
