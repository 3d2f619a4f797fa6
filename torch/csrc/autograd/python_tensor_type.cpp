// The legacy tensor types: torch.FloatTensor and its kin.

#include <torch/csrc/autograd/python_tensor_type.h>

#include <cstring>
#include <vector>

#include <torch/csrc/binding/python_arg_parser.h>

namespace torch {

bool fill_tensor_type(PyTypeObject* type) {
  static std::vector<PyMethodDef> methods;
  for (PyMethodDef* m = tensor_manual_methods; m->ml_name; ++m) methods.push_back(*m);
  size_t manual = methods.size();
  for (PyMethodDef* m = generated_methods; m->ml_name; ++m) {
    bool shadowed = false;
    for (size_t i = 0; i < manual; ++i)
      shadowed |= std::strcmp(methods[i].ml_name, m->ml_name) == 0;
    if (!shadowed) methods.push_back(*m);
  }
  methods.push_back({nullptr, nullptr, 0, nullptr});
  type->tp_methods = methods.data();
  type->tp_getset = tensor_properties;
  type->tp_as_number = &tensor_number_methods;
  type->tp_as_mapping = &tensor_mapping_methods;
  type->tp_richcompare = tensor_compare;
  type->tp_hash = tensor_hash;
  return true;
}

}  // namespace torch
