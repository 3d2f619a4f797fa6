// +, -, *, ==, [...] and the like on tensors: Python's number slots, each a call of an operator's
// binding.

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_tensor_type.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/binding/python_arg_parser.h>
#include <torch/csrc/binding/python_torch_function.h>
#include <torch/csrc/python_types.h>

#include <ATen/ops/item.h>

namespace torch {

#define BINDING(name) extern const Binding binding_##name
BINDING(add);
BINDING(sub);
BINDING(rsub);
BINDING(mul);
BINDING(div);
BINDING(reciprocal);
BINDING(remainder);
BINDING(pow);
BINDING(floor_divide);
BINDING(matmul);
BINDING(bitwise_and);
BINDING(bitwise_or);
BINDING(bitwise_xor);
BINDING(bitwise_left_shift);
BINDING(bitwise_right_shift);
BINDING(neg);
BINDING(abs);
BINDING(bitwise_not);
BINDING(add_);
BINDING(sub_);
BINDING(mul_);
BINDING(div_);
BINDING(remainder_);
BINDING(pow_);
BINDING(floor_divide_);
BINDING(bitwise_and_);
BINDING(bitwise_or_);
BINDING(bitwise_xor_);
BINDING(bitwise_left_shift_);
BINDING(bitwise_right_shift_);
BINDING(eq);
BINDING(ne);
BINDING(lt);
BINDING(le);
BINDING(gt);
BINDING(ge);
#undef BINDING

namespace {

// An operand that the operator does not know lets the other side try.
bool may_be_operand(PyObject* o) {
  return THPVariable_Check(o) || is_number(o) || has_torch_function(o);
}

PyObject* call_two(const Binding& b, PyObject* x, PyObject* y) {
  if (THPVariable_Check(x)) return call_binding(b, x, &y, 1, nullptr);
  PyObject* args[] = {x, y};
  return call_binding(b, nullptr, args, 2, nullptr);
}

template <const Binding& B>
PyObject* binary(PyObject* x, PyObject* y) {
  if (!may_be_operand(x) || !may_be_operand(y)) Py_RETURN_NOTIMPLEMENTED;
  return call_two(B, x, y);
}
// For operators whose left side must be a tensor: a number there becomes one.
template <const Binding& B>
PyObject* binary_left_tensor(PyObject* x, PyObject* y) {
  if (!may_be_operand(x) || !may_be_operand(y)) Py_RETURN_NOTIMPLEMENTED;
  if (THPVariable_Check(x) || has_torch_function(x)) return call_two(B, x, y);
  // A 0-d tensor of the other's kind: a plain number has no place in this operator's schema.
  THPObjectPtr left(guarded([&] { return THPVariable_Wrap(wrapped_number(x)); }));
  return left ? call_two(B, left.get(), y) : nullptr;
}
// Commutative ones are tried the other way round: 2 + x is x + 2.
template <const Binding& B>
PyObject* commutative(PyObject* x, PyObject* y) {
  if (!may_be_operand(x) || !may_be_operand(y)) Py_RETURN_NOTIMPLEMENTED;
  return THPVariable_Check(x) || has_torch_function(x) ? call_two(B, x, y) : call_two(B, y, x);
}
template <const Binding& B>
PyObject* inplace(PyObject* x, PyObject* y) {
  if (!may_be_operand(y)) Py_RETURN_NOTIMPLEMENTED;
  return call_binding(B, x, &y, 1, nullptr);
}
template <const Binding& B>
PyObject* unary(PyObject* x) {
  return call_binding(B, x, nullptr, 0, nullptr);
}

PyObject* subtract(PyObject* x, PyObject* y) {
  if (!may_be_operand(x) || !may_be_operand(y)) Py_RETURN_NOTIMPLEMENTED;
  if (THPVariable_Check(x) || has_torch_function(x)) return call_two(binding_sub, x, y);
  PyObject* args[] = {y, x};  // a function for __torch_function__: there is no method rsub
  return call_binding(binding_rsub, nullptr, args, 2, nullptr);
}

// 2 / x is x.reciprocal() * 2, to the last bit as PyTorch rounds it.
PyObject* divide(PyObject* x, PyObject* y) {
  if (!may_be_operand(x) || !may_be_operand(y)) Py_RETURN_NOTIMPLEMENTED;
  if (THPVariable_Check(x) || has_torch_function(x)) return call_two(binding_div, x, y);
  THPObjectPtr inverse(call_binding(binding_reciprocal, y, nullptr, 0, nullptr));
  return inverse ? call_binding(binding_mul, inverse.get(), &x, 1, nullptr) : nullptr;
}

template <const Binding& B>
PyObject* power(PyObject* x, PyObject* y, PyObject* mod) {
  if (mod != Py_None || !may_be_operand(x) || !may_be_operand(y)) Py_RETURN_NOTIMPLEMENTED;
  return call_two(B, x, y);
}
PyObject* inplace_power(PyObject* x, PyObject* y, PyObject*) { return inplace<binding_pow_>(x, y); }

PyObject* positive(PyObject* x) {
  Py_INCREF(x);
  return x;
}

at::Scalar only_element(PyObject* o) {
  const at::Tensor& t = THPVariable_Unpack(o);
  TORCH_CHECK_VALUE(t.numel() == 1,
                    "only one element tensors can be converted to Python scalars, got shape ",
                    t.sizes());
  return at::item(t);
}
// Whether a mode or a class answers for float(x) and its kin; the functions that they get call the
// slots again.
bool is_overridden(PyObject* o) {
  return t_torch_function_modes || (!THPVariable_CheckExact(o) && has_torch_function(o));
}
PyObject* ask(const char* name, PyObject* o) {
  return handle_torch_function(name, o, nullptr, 0, nullptr);
}

int truth(PyObject* o) {
  return guarded_int([&] {
    if (C10_UNLIKELY(is_overridden(o))) {
      const THPObjectPtr answer = own(ask("__bool__", o));
      const int value = PyObject_IsTrue(answer.get());
      if (value < 0) throw python_error();
      return value;
    }
    const at::Tensor& t = THPVariable_Unpack(o);
    TORCH_CHECK(t.numel() != 0, "Boolean value of Tensor with no values is ambiguous");
    TORCH_CHECK(t.numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
    at::Scalar s = at::item(t);
    return static_cast<int>(s.isComplex() ? !s.equal(0) : s.cast<bool>());
  });
}
PyObject* to_float(PyObject* o) {
  return guarded([&] {
    if (C10_UNLIKELY(is_overridden(o))) return ask("__float__", o);
    return PyFloat_FromDouble(only_element(o).to<double>());
  });
}
PyObject* to_long(PyObject* o) {
  return guarded([&]() -> PyObject* {
    if (C10_UNLIKELY(is_overridden(o))) return ask("__int__", o);
    at::Scalar s = only_element(o);
    if (s.isFloatingPoint()) return check(PyLong_FromDouble(s.cast<double>()));
    if (s.isBoolean()) return PyLong_FromLong(s.cast<bool>());
    if (s.isComplex()) return PyLong_FromLongLong(s.to<int64_t>());
    return wrap_scalar(s);
  });
}
PyObject* to_index(PyObject* o) {
  return guarded([&] {
    if (C10_UNLIKELY(is_overridden(o))) return ask("__index__", o);
    const at::Tensor& t = THPVariable_Unpack(o);
    TORCH_CHECK_TYPE(at::isIntegralType(t.scalar_type(), true) && t.numel() == 1,
                     "only integer tensors of a single element can be converted to an index");
    return to_long(o);
  });
}

}  // namespace

PyNumberMethods tensor_number_methods = [] {
  PyNumberMethods n = {};
  n.nb_add = commutative<binding_add>;
  n.nb_subtract = subtract;
  n.nb_multiply = commutative<binding_mul>;
  n.nb_true_divide = divide;
  n.nb_floor_divide = binary_left_tensor<binding_floor_divide>;
  n.nb_remainder = binary_left_tensor<binding_remainder>;
  n.nb_power = power<binding_pow>;
  n.nb_matrix_multiply = binary<binding_matmul>;
  n.nb_and = commutative<binding_bitwise_and>;
  n.nb_or = commutative<binding_bitwise_or>;
  n.nb_xor = commutative<binding_bitwise_xor>;
  n.nb_lshift = binary_left_tensor<binding_bitwise_left_shift>;
  n.nb_rshift = binary_left_tensor<binding_bitwise_right_shift>;
  n.nb_negative = unary<binding_neg>;
  n.nb_positive = positive;
  n.nb_absolute = unary<binding_abs>;
  n.nb_invert = unary<binding_bitwise_not>;
  n.nb_bool = truth;
  n.nb_float = to_float;
  n.nb_int = to_long;
  n.nb_index = to_index;
  n.nb_inplace_add = inplace<binding_add_>;
  n.nb_inplace_subtract = inplace<binding_sub_>;
  n.nb_inplace_multiply = inplace<binding_mul_>;
  n.nb_inplace_true_divide = inplace<binding_div_>;
  n.nb_inplace_floor_divide = inplace<binding_floor_divide_>;
  n.nb_inplace_remainder = inplace<binding_remainder_>;
  n.nb_inplace_power = inplace_power;
  n.nb_inplace_and = inplace<binding_bitwise_and_>;
  n.nb_inplace_or = inplace<binding_bitwise_or_>;
  n.nb_inplace_xor = inplace<binding_bitwise_xor_>;
  n.nb_inplace_lshift = inplace<binding_bitwise_left_shift_>;
  n.nb_inplace_rshift = inplace<binding_bitwise_right_shift_>;
  return n;
}();

PyObject* tensor_compare(PyObject* a, PyObject* b, int op) {
  if (!may_be_operand(b)) Py_RETURN_NOTIMPLEMENTED;
  switch (op) {
    case Py_LT:
      return call_binding(binding_lt, a, &b, 1, nullptr);
    case Py_LE:
      return call_binding(binding_le, a, &b, 1, nullptr);
    case Py_EQ:
      return call_binding(binding_eq, a, &b, 1, nullptr);
    case Py_NE:
      return call_binding(binding_ne, a, &b, 1, nullptr);
    case Py_GT:
      return call_binding(binding_gt, a, &b, 1, nullptr);
    default:
      return call_binding(binding_ge, a, &b, 1, nullptr);
  }
}

// By identity, as a dictionary of parameters wants it.
Py_hash_t tensor_hash(PyObject* o) { return _Py_HashPointer(o); }

}  // namespace torch
