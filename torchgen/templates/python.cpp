Tables for the Python bindings. See torchgen/template.py.

//// file
// Written by torchgen from native_functions.yaml.

#include <torch/csrc/binding/python_thunk.h>
$includes

namespace torch {
using namespace at;

$bindings
}  // namespace torch

//// arguments
static const ArgSpec args_$name[] = {
$rows
};

//// binding
$tables
static const Overload overloads_$name[] = {
$rows
};
extern const Binding binding_$name;
const Binding binding_$name = {"$name", overloads_$name, $count};

//// tables
// Written by torchgen from native_functions.yaml.

#include <torch/csrc/binding/python_arg_parser.h>

namespace torch {

$declarations
$tables

const OperatorModule operator_modules[] = {
$modules
    {nullptr, nullptr}};

const Binding* const all_bindings[] = {
$bindings
    nullptr};
}  // namespace torch

//// table
$docstrings

PyMethodDef $title[] = {
$rows
    {nullptr, nullptr, 0, nullptr}};

//// method
    {"$name", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&$entry<binding_$name>)), METH_FASTCALL | METH_KEYWORDS, $doc},
