// torch.Generator.

#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/type_object.h>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/GeneratorRegistry.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>

namespace torch {

static at::Generator& value_of(PyObject* o) { return reinterpret_cast<THPGenerator*>(o)->value; }

PyObject* wrap_generator(at::Generator g) {
  auto* o = reinterpret_cast<THPGenerator*>(check(THPGeneratorType.tp_alloc(&THPGeneratorType, 0)));
  new (&o->value) at::Generator(std::move(g));
  return reinterpret_cast<PyObject*>(o);
}

static at::Generator new_generator(at::Device device) {
  if (device.type() == at::DeviceType::PrivateUse1)
    return at::detail::getPrivateUse1Hooks().getNewGenerator(device.index());
  if (device.is_cpu()) return at::make_cpu_generator();
  return at::device_generators(device.type()).make(device.index());
}

static PyObject* generator_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"device", nullptr};
    PyObject* device = nullptr;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Generator", const_cast<char**>(names),
                                     &device))
      return nullptr;
    at::Device d = device && device != Py_None ? to_device(device) : at::Device(at::kCPU);
    at::Generator made = new_generator(d);
    auto* o = reinterpret_cast<THPGenerator*>(check(type->tp_alloc(type, 0)));
    new (&o->value) at::Generator(std::move(made));
    return reinterpret_cast<PyObject*>(o);
  });
}
static void generator_dealloc(PyObject* o) {
  value_of(o).~Generator();
  Py_TYPE(o)->tp_free(o);
}

// Seeds are 64 bits; a negative one stands for its two's complement.
static uint64_t to_seed(PyObject* o) {
  if (!PyLong_Check(o))
    TORCH_CHECK_TYPE(false, "manual_seed(): expected a long, but got ", Py_TYPE(o)->tp_name);
  uint64_t seed = PyLong_AsUnsignedLongLong(o);
  if (!PyErr_Occurred()) return seed;
  PyErr_Clear();
  int64_t negative = PyLong_AsLongLong(o);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    TORCH_CHECK_VALUE(false, "Overflow when unpacking long: a seed must be within [-2**63, 2**64)");
  }
  return static_cast<uint64_t>(negative);
}

static PyObject* manual_seed(PyObject* self, PyObject* seed) {
  return guarded([&] {
    std::lock_guard<std::mutex> lock(value_of(self).mutex());
    value_of(self).set_current_seed(to_seed(seed));
    Py_INCREF(self);
    return self;
  });
}
static PyObject* seed(PyObject* self, PyObject*) {
  return guarded([&] {
    std::lock_guard<std::mutex> lock(value_of(self).mutex());
    return PyLong_FromUnsignedLongLong(value_of(self).seed());
  });
}
static PyObject* initial_seed(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(value_of(self).current_seed());
}
static PyObject* get_state(PyObject* self, PyObject*) {
  return guarded([&] {
    std::lock_guard<std::mutex> lock(value_of(self).mutex());
    return THPVariable_Wrap(value_of(self).unsafeGetGeneratorImpl()->get_state());
  });
}
static PyObject* set_state(PyObject* self, PyObject* state) {
  return guarded([&] {
    TORCH_CHECK_TYPE(THPVariable_Check(state), "set_state(): expected a torch.ByteTensor, but got ",
                     Py_TYPE(state)->tp_name);
    std::lock_guard<std::mutex> lock(value_of(self).mutex());
    value_of(self).unsafeGetGeneratorImpl()->set_state(THPVariable_Unpack(state));
    Py_INCREF(self);
    return self;
  });
}
static PyObject* clone_state(PyObject* self, PyObject*) {
  return guarded([&] {
    return wrap_generator(at::Generator(value_of(self).unsafeGetGeneratorImpl()->clone()));
  });
}
static PyObject* get_offset(PyObject* self, PyObject*) {
  return guarded([&] {
    std::lock_guard<std::mutex> lock(value_of(self).mutex());
    return PyLong_FromUnsignedLongLong(value_of(self).unsafeGetGeneratorImpl()->get_offset());
  });
}
static PyObject* set_offset(PyObject* self, PyObject* offset) {
  return guarded([&] {
    std::lock_guard<std::mutex> lock(value_of(self).mutex());
    value_of(self).unsafeGetGeneratorImpl()->set_offset(to_seed(offset));
    Py_INCREF(self);
    return self;
  });
}
static const at::DeviceGenerators& registry_of(const at::Generator& g, const char* call) {
  TORCH_CHECK_NOT_IMPLEMENTED(!g.device().is_cpu(), call, ": no graph draws from a generator of ",
                              g.device());
  return at::device_generators(g.device().type());
}
static PyObject* graphsafe_get_state(PyObject* self, PyObject*) {
  return guarded([&] {
    const at::Generator& mine = value_of(self);
    return wrap_generator(registry_of(mine, "graphsafe_get_state").share_state(mine));
  });
}
static PyObject* graphsafe_set_state(PyObject* self, PyObject* source) {
  return guarded([&] {
    TORCH_CHECK_TYPE(PyObject_TypeCheck(source, &THPGeneratorType),
                     "graphsafe_set_state(): expected a Generator, but got ",
                     Py_TYPE(source)->tp_name);
    at::Generator& mine = value_of(self);
    const at::DeviceGenerators& registry = registry_of(mine, "graphsafe_set_state");
    TORCH_CHECK(mine.device() == value_of(source).device(),
                "graphsafe_set_state(): a generator of ", mine.device(),
                " cannot take the state of one of ", value_of(source).device());
    std::lock_guard<std::mutex> lock(mine.mutex());
    registry.take_state(mine, value_of(source));
    Py_INCREF(self);
    return self;
  });
}
// torch._C._seed_devices(seed): the default generators of all devices besides the CPU.
static PyObject* seed_devices(PyObject*, PyObject* seed) {
  return guarded([&] {
    at::seed_device_generators(to_seed(seed));
    Py_RETURN_NONE;
  });
}
static PyObject* get_device(PyObject* self, void*) {
  return guarded([&] { return wrap_device(value_of(self).device()); });
}
static PyObject* reduce(PyObject* self, PyObject*) {
  return guarded([&] {
    THPObjectPtr state = own(get_state(self, nullptr));
    THPObjectPtr device = own(wrap_device(value_of(self).device()));
    return Py_BuildValue("(O(O)O)", as_object(THPGeneratorType), device.get(), state.get());
  });
}

static PyMethodDef generator_methods[] = {
    {"manual_seed", manual_seed, METH_O, docs::Generator_manual_seed},
    {"seed", seed, METH_NOARGS, docs::Generator_seed},
    {"initial_seed", initial_seed, METH_NOARGS, docs::Generator_initial_seed},
    {"get_state", get_state, METH_NOARGS, docs::Generator_get_state},
    {"set_state", set_state, METH_O, docs::Generator_set_state},
    {"clone_state", clone_state, METH_NOARGS, docs::Generator_clone_state},
    {"graphsafe_get_state", graphsafe_get_state, METH_NOARGS, docs::Generator_graphsafe_get_state},
    {"graphsafe_set_state", graphsafe_set_state, METH_O, docs::Generator_graphsafe_set_state},
    {"get_offset", get_offset, METH_NOARGS, docs::Generator_get_offset},
    {"set_offset", set_offset, METH_O, docs::Generator_set_offset},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"__setstate__", set_state, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};
static PyGetSetDef generator_properties[] = {
    {"device", get_device, nullptr, docs::Generator_device, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject THPGeneratorType = [] {
  PyTypeObject t =
      type_object<THPGenerator>("torch._C.Generator", docs::Generator, Py_TPFLAGS_BASETYPE);
  t.tp_new = generator_new;
  t.tp_dealloc = generator_dealloc;
  t.tp_methods = generator_methods;
  t.tp_getset = generator_properties;
  return t;
}();

static PyMethodDef functions[] = {{"_seed_devices", seed_devices, METH_O, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};

bool init_generator(PyObject* module) {
  if (!add_type(module, THPGeneratorType) || PyModule_AddFunctions(module, functions) != 0)
    return false;
  THPObjectPtr standard = own(wrap_generator(at::default_cpu_generator()));
  return PyModule_AddObjectRef(module, "default_generator", standard.get()) == 0;
}

}  // namespace torch
