// The kernel behind the keys Conjugate and Negative: Note [Lazy conjugates].

#include <ATen/native/complex/lazy_bits.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/core/dispatch/BoxedCall.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/_conj_physical.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/resize__ops.h>

namespace at::native {
namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::Functionality;

bool has_lazy_bits(const Tensor& t) {
  return t.defined() && (t.key_set() & c10::lazy_bits_keyset) != DispatchKeySet();
}

// The memory itself, without history.
Tensor memory_of(const Tensor& t) {
  Tensor memory(t.unsafeGetTensorImpl()->shallow_copy());
  memory.unsafeGetTensorImpl()->set_keys(memory.key_set() - c10::lazy_bits_keyset);
  return memory;
}

// What a tensor of these bits holds for the elements of x.
Tensor stored_as(const Tensor& x, bool conj, bool neg) {
  Tensor result = conj ? at::_conj_physical(x) : x;
  return neg ? at::neg(result) : result;
}

void copy(const Tensor& self, const Tensor& source, bool non_blocking) {
  const bool conj = self.is_complex() && source.is_complex() && self.is_conj() != source.is_conj();
  const bool neg = self.is_neg() != source.is_neg();
  Tensor to = memory_of(self), from = memory_of(source);
  if (neg && !conj && self.scalar_type() == source.scalar_type() && !to.is_alias_of(from)) {
    at::_ops::neg_out::call(at::expand(from, to.sizes()), to);
    return;
  }
  at::_ops::copy_::call(to, stored_as(from, conj, neg), non_blocking);
}

// Operators that pass the bits on, or that never look at elements.
bool reads_no_elements(const OperatorEntry& op, const FunctionSchema& schema) {
  if (is_view(schema)) return true;
  std::string_view name = op.name;
  if (name.substr(0, 6) != "aten::") return false;
  name.remove_prefix(6);
  for (std::string_view other : {"set_", "resize_", "resize_as_", "detach_", "as_strided_"}) {
    if (name == other) return true;
  }
  constexpr std::string_view kLike = "_like";
  if (name.substr(0, 4) == "new_") return true;
  if (name.size() > kLike.size() && name.substr(name.size() - kLike.size()) == kLike) return true;
  const OperatorEntry* functional = functional_form(op);
  return functional && is_view(schema_of(*functional));
}

bool is_plain_clone(const OperatorEntry& op, const IValueStack& stack) {
  return std::string_view(op.name) == "aten::clone" && !*op.overload &&
         (stack.back().isNone() ||
          stack.back().toInt() == static_cast<int64_t>(MemoryFormat::Preserve));
}

void run_without_bits(void*, const OperatorEntry& op, DispatchKeySet keys, IValueStack& stack) {
  keys = keys - c10::lazy_bits_keyset;
  const FunctionSchema& schema = schema_of(op);
  if (is_composite(op) || reads_no_elements(op, schema)) return redispatch_boxed(op, keys, stack);
  const size_t count = schema.arguments.size(), begin = stack.size() - count;
  if (std::string_view(op.name) == "aten::copy_") {
    Tensor self = stack[begin].toTensor();
    copy(self, stack[begin + 1].toTensor(), stack[begin + 2].toBool());
    stack.resize(begin);
    stack.push_back(self);
    return;
  }
  std::vector<std::pair<Tensor, Tensor>> changed;  // an argument, and what the operator changes
  for (size_t i = 0; i < count; ++i) {
    IValue& value = stack[begin + i];
    const bool mutates = schema.arguments[i].type.mutates;
    value = with_tensors(value, [&](const Tensor& t) {
      if (!has_lazy_bits(t)) return t;
      Tensor plain = without_lazy_bits(t);
      if (mutates) changed.emplace_back(t, plain);
      return plain;
    });
  }
  if (is_plain_clone(op, stack)) {  // the copy is made
    stack.pop_back();
    return;
  }
  redispatch_boxed(op, keys, stack);
  for (const auto& [argument, plain] : changed) {
    Tensor to = argument;
    if (to.sizes() != plain.sizes()) at::_ops::resize_::call(to, plain.sizes(), std::nullopt);
    at::_ops::copy_::call(to, plain, false);
  }
  if (changed.empty()) return;
  for (size_t i = begin; i < stack.size(); ++i) {
    stack[i] = with_tensors(stack[i], [&](const Tensor& t) {
      for (const auto& [argument, plain] : changed) {
        if (plain.is_same(t)) return argument;
      }
      return t;
    });
  }
}

void register_kernels() {
  static const std::array<int64_t, 2> handles = [] {
    Override kernel;
    kernel.boxed = &run_without_bits;
    kernel.debug = "aten/src/ATen/native/complex/lazy_bits.cpp";
    return std::array{register_fallback(DispatchKey::Conjugate, kernel),
                      register_fallback(DispatchKey::Negative, kernel)};
  }();
  static_cast<void>(handles);
}

void set_bit(const Tensor& t, Functionality bit, bool on) {
  if (on) register_kernels();
  TensorImpl* impl = t.unsafeGetTensorImpl();
  const DispatchKeySet bits{bit};
  impl->set_keys(on ? impl->key_set() | bits : impl->key_set() - bits);
}

Tensor with_bit(const Tensor& self, Functionality bit, bool on) {
  Tensor view =
      alias_with_sizes_and_strides(self, self.sizes(), self.strides(), self.storage_offset());
  set_bit(view, bit, on);
  return view;
}

}  // namespace

Tensor with_conj_bit(const Tensor& self, bool on) {
  return with_bit(self, Functionality::Conjugate, on);
}
Tensor with_neg_bit(const Tensor& self, bool on) {
  return with_bit(self, Functionality::Negative, on);
}

void set_lazy_bits(const Tensor& self, bool conj, bool neg) {
  set_bit(self, Functionality::Conjugate, conj);
  set_bit(self, Functionality::Negative, neg);
}

Tensor without_lazy_bits(const Tensor& self) {
  return has_lazy_bits(self) ? stored_as(memory_of(self), self.is_conj(), self.is_neg()) : self;
}

}  // namespace at::native
