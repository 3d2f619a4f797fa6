#pragma once
// Defines Python types: fills their type objects, makes and frees their objects.
//
//   PyTypeObject DeviceType = type_object<THPDevice>("torch.device", docs::device);
//   bool init_device(PyObject* module) {
//     DeviceType.tp_new = device_new;
//     DeviceType.tp_methods = device_methods;
//     return add_type(module, DeviceType);
//   }

#include <cstring>
#include <vector>

#include <torch/csrc/object_ptr.h>

namespace torch {

// A static type object with what every one of ours has. `name` is the dotted name.
inline PyTypeObject type_object(const char* name, size_t size, const char* doc = nullptr,
                                unsigned long flags = 0) {
  PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = name;
  type.tp_basicsize = static_cast<Py_ssize_t>(size);
  type.tp_flags = Py_TPFLAGS_DEFAULT | flags;
  type.tp_doc = doc;
  return type;
}
template <typename Object>
PyTypeObject type_object(const char* name, const char* doc = nullptr, unsigned long flags = 0) {
  return type_object(name, sizeof(Object), doc, flags);
}

inline PyObject* as_object(PyTypeObject& type) { return reinterpret_cast<PyObject*>(&type); }

// What follows the last dot of a name.
inline const char* last_name(const char* full_name) {
  const char* dot = std::strrchr(full_name, '.');
  return dot ? dot + 1 : full_name;
}

// Finishes a type and adds it to a module under the last part of its name. False with a Python
// error set on failure.
inline bool add_type(PyObject* module, PyTypeObject& type) {
  return PyType_Ready(&type) == 0 &&
         PyModule_AddObjectRef(module, last_name(type.tp_name), as_object(type)) == 0;
}

// The end of a heap type's tp_dealloc: gives back the memory, and the reference that each object
// has to its type. (Of a static type, and of what Python derives from one, Python drops it.)
inline void free_heap_object(PyObject* object) {
  THPPointer<PyTypeObject> type(Py_TYPE(object));
  type->tp_free(object);
}

// A row of the list that heap_type takes.
template <typename T>
PyType_Slot type_slot(int slot, T* value) {
  return {slot, reinterpret_cast<void*>(value)};
}

// A type made at run time; null with a Python error set on failure. `name` has to live as long.
inline THPObjectPtr heap_type(const char* name, size_t size, unsigned long flags,
                              std::vector<PyType_Slot> slots, PyTypeObject* base = nullptr) {
  slots.push_back({0, nullptr});
  PyType_Spec spec = {name, static_cast<int>(size), 0,
                      static_cast<unsigned int>(Py_TPFLAGS_DEFAULT | flags), slots.data()};
  return THPObjectPtr(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(base)));
}

}  // namespace torch
