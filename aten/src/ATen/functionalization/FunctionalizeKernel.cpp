// The kernel at Functionalize: calls operators that change nothing with the values of functional
// tensors. Note [Functionalization].

#include <ATen/functionalization/FunctionalizeKernel.h>

#include <ATen/core/dispatch/BoxedCall.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/functionalization/FunctionalTensorWrapper.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clone.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace at::functionalization {
namespace {

// A call whose arguments are taken off the stack.
struct FunctionalCall {
  const OperatorEntry& op;
  const FunctionSchema& schema;
  IValueStack arguments;

  FunctionalCall(const OperatorEntry& o, IValueStack& stack) : op(o), schema(schema_of(o)) {
    const auto begin = stack.end() - static_cast<ptrdiff_t>(schema.arguments.size());
    arguments.assign(std::make_move_iterator(begin), std::make_move_iterator(stack.end()));
    stack.erase(begin, stack.end());
  }

  bool mutates(size_t i) const { return schema.arguments[i].type.mutates; }
  bool mutates_any() const {
    for (size_t i = 0; i < schema.arguments.size(); ++i) {
      if (mutates(i)) return true;
    }
    return false;
  }
  // The arguments that are written to, as a form without mutation returns them: first those that
  // the operator returns too, then the others in the order of their aliases.
  std::vector<size_t> mutated_places() const {
    std::vector<size_t> places;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (mutates(i)) places.push_back(i);
    }
    std::stable_sort(places.begin(), places.end(),
                     [&](size_t a, size_t b) { return rank_of(a) < rank_of(b); });
    return places;
  }
  std::pair<size_t, std::string> rank_of(size_t place) const {
    const std::string& alias = schema.arguments[place].type.alias;
    size_t position = 0;
    while (position < schema.returns.size() && schema.returns[position].type.alias != alias)
      ++position;
    return {position, alias};
  }
  std::vector<Tensor> mutated() const {
    std::vector<Tensor> found;
    for (size_t i : mutated_places()) {
      for_each_tensor(arguments[i], [&](const Tensor& t) {
        if (t.defined()) found.push_back(t);
      });
    }
    return found;
  }
  // The argument that a result with this alias is.
  const IValue& argument_of(const std::string& alias) const {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (mutates(i) && schema.arguments[i].type.alias == alias) return arguments[i];
    }
    TORCH_INTERNAL_ASSERT(false, op.name, ": no argument has the alias ", alias);
    return arguments[0];
  }
  std::string name() const {
    return std::string(op.name) + (*op.overload ? "." : "") + op.overload;
  }
};

IValue value_of(const IValue& argument) { return with_tensors(argument, from_functional); }

IValueStack values_of(const IValueStack& arguments) {
  IValueStack values;
  for (const IValue& a : arguments) values.push_back(value_of(a));
  return values;
}

// A result that is the value of an argument is that argument.
Tensor wrapped(const Tensor& value, const IValueStack& arguments) {
  if (!value.defined()) return value;
  Tensor found;
  for (const IValue& a : arguments)
    for_each_tensor(a, [&](const Tensor& t) {
      if (auto* impl = maybe_functional(t); impl && impl->value().is_same(value)) found = t;
    });
  return found.defined() ? found : to_functional(value);
}

void push_wrapped(IValueStack& stack, const IValueStack& results, const IValueStack& arguments) {
  for (const IValue& r : results)
    stack.push_back(with_tensors(r, [&](const Tensor& t) { return wrapped(t, arguments); }));
}

// --- views --------------------------------------------------------------------------------------

bool is_plain_view(const FunctionalCall& call) {
  return is_view(call.schema) && !call.mutates_any() && !call.arguments.empty() &&
         call.arguments[0].isTensor() && maybe_functional(call.arguments[0].toTensor());
}

std::vector<IValue> rest_of(const IValueStack& arguments) {
  return std::vector<IValue>(arguments.begin() + 1, arguments.end());
}

void run_view(FunctionalCall& call, IValueStack& stack) {
  Tensor self = call.arguments[0].toTensor();
  auto* base = maybe_functional(self);
  const Tensor value = base->value();
  auto step = [&](size_t index) { return ViewMeta{&call.op, rest_of(call.arguments), index}; };
  auto made = [&](size_t index, const Tensor& v) {
    Tensor t(c10::make_intrusive<FunctionalTensorWrapper>(*base, step(index), v));
    if (!base->is_inference() && std::string_view(call.op.name) != "aten::detach") {
      c10::TensorImpl* root = base->view_base() ? base->view_base() : base;
      t.unsafeGetTensorImpl()->set_view_base(
          c10::intrusive_ptr<c10::TensorImpl>::reclaim_copy(root), c10::CreationMeta::Default);
    }
    return t;
  };
  IValueStack results;
  {
    WithoutFunctionalization calls_values;
    results = values_of(call.arguments);
    resolve_for_view(call.op, results);
    if (reapplies_views()) {
      call_boxed(call.op, results);
    } else {
      const OperatorEntry* copy =
          find_operator(std::string(call.op.name) + "_copy", call.op.overload);
      call_boxed(copy ? *copy : call.op, results);
    }
  }
  size_t number = 0;
  for (const IValue& r : results)
    stack.push_back(with_tensors(r, [&](const Tensor& t) { return made(number++, t); }));
}

// t_(), squeeze_(), ...: whether the operator makes its first argument a view of itself.
const OperatorEntry* view_of_in_place(const FunctionalCall& call) {
  const OperatorEntry* functional = functional_form(call.op);
  return functional && call.mutates(0) && is_view(schema_of(*functional)) ? functional : nullptr;
}

void run_view_in_place(FunctionalCall& call, const OperatorEntry& functional, IValueStack& stack) {
  Tensor self = call.arguments[0].toTensor();
  IValueStack results = values_of(call.arguments);
  {
    WithoutFunctionalization calls_values;
    call_boxed(functional, results);
  }
  maybe_functional(self)->mutate_view(ViewMeta{&functional, rest_of(call.arguments), 0},
                                      results[0].toTensor());
  stack.push_back(self);
}

// --- changes in place ---------------------------------------------------------------------------

// The operator that returns what `op` writes: add.Tensor for add_.Tensor and for add.out.
const OperatorEntry* find_form_without_mutation(const FunctionalCall& call, size_t num_inputs) {
  const bool is_out = num_inputs < call.arguments.size();
  std::string name = call.op.name;
  if (!is_out) {
    if (name.back() != '_') {
      const OperatorEntry* found = find_operator(name + "_functional", call.op.overload);
      return found && same_argument_types(call.schema, schema_of(*found), num_inputs) ? found
                                                                                      : nullptr;
    }
    name.pop_back();
  }
  const OperatorEntry* other =
      nullptr;  // of another overload's name: bernoulli.p for bernoulli_.float
  for (const std::string& candidate : {name, name + "_functional"}) {
    for (const std::string& overload : overload_names(candidate)) {
      const OperatorEntry* found = find_operator(candidate, overload);
      const FunctionSchema& schema = schema_of(*found);
      bool is_pure = !is_view(schema);
      for (const auto& a : schema.arguments) is_pure &= !a.type.mutates;
      if (!is_pure || !same_argument_types(call.schema, schema, num_inputs)) continue;
      if (overload == call.op.overload) return found;
      if (!other) other = found;
    }
  }
  return other;
}

const OperatorEntry* form_without_mutation(const FunctionalCall& call, size_t num_inputs) {
  static thread_local std::unordered_map<const OperatorEntry*, const OperatorEntry*> known;
  const auto found = known.find(&call.op);
  if (found != known.end()) return found->second;
  return known[&call.op] = find_form_without_mutation(call, num_inputs);
}

std::vector<Tensor> tensors_in(const IValueStack& values) {
  std::vector<Tensor> found;
  for (const IValue& v : values) for_each_tensor(v, [&](const Tensor& t) { found.push_back(t); });
  return found;
}

// Resized storages, and outputs that the operator resizes, become new values.
void store(const FunctionalCall& call, const Tensor& self, Tensor value, bool may_resize) {
  auto* impl = maybe_functional(self);
  WithoutFunctionalization calls_values;
  if (value.scalar_type() != self.scalar_type()) {
    TORCH_CHECK(canCast(value.scalar_type(), self.scalar_type()), call.op.name, ": result type ",
                toString(value.scalar_type()), " can't be cast to the desired output type ",
                toString(self.scalar_type()));
    value = at::_to_copy(value, self.scalar_type());
  }
  if (value.sizes() == self.sizes()) return impl->replace(std::move(value));
  TORCH_CHECK(may_resize, call.op.name, ": output with shape ", self.sizes(),
              " doesn't match the broadcast shape ", value.sizes());
  TORCH_CHECK(!impl->is_view(), call.op.name,
              ": functionalization cannot change the shape of a view, from ", self.sizes(), " to ",
              value.sizes());
  impl->reset(std::move(value));
}

// An operator that has no such form changes copies.
IValueStack run_on_copies(const FunctionalCall& call, std::vector<Tensor>& copies) {
  WithoutFunctionalization calls_values;
  IValueStack values = values_of(call.arguments);
  for (size_t i : call.mutated_places()) {
    values[i] = with_tensors(values[i], [&](const Tensor& t) {
      if (!t.defined()) return t;
      Tensor copy = at::clone(t);
      copies.push_back(copy);
      return copy;
    });
  }
  call_boxed(call.op, values);
  return values;
}

void run_mutation(FunctionalCall& call, IValueStack& stack) {
  const std::vector<Tensor> mutated = call.mutated();
  for (const Tensor& t : mutated) {
    TORCH_CHECK(maybe_functional(t), call.name(),
                ": functionalization: a tensor that is not functional would be changed by "
                "functional ones. Create it inside of the function, or pass it as an argument");
  }
  size_t num_inputs = 0;
  while (num_inputs < call.schema.arguments.size() &&
         !(call.schema.arguments[num_inputs].kwarg_only && call.mutates(num_inputs)))
    ++num_inputs;
  const bool is_out = num_inputs < call.arguments.size();
  const std::string_view name = call.op.name;
  const bool resizes =
      is_out || name == "aten::resize_" || name == "aten::resize_as_" || name == "aten::set_";
  const OperatorEntry* functional = form_without_mutation(call, num_inputs);
  IValueStack results;
  std::vector<Tensor> values;
  if (functional) {
    WithoutFunctionalization calls_values;
    results = values_of(call.arguments);
    results.resize(num_inputs);
    call_boxed(*functional, results);
    values = tensors_in(results);
  }
  // What is written comes last, after results of other kinds.
  const size_t returned = functional ? values.size() : 0;
  if (functional && returned >= mutated.size()) {
    values.erase(values.begin(), values.end() - static_cast<ptrdiff_t>(mutated.size()));
  } else {
    values.clear();
    results = run_on_copies(call, values);
  }
  for (size_t i = 0; i < mutated.size(); ++i) store(call, mutated[i], values[i], resizes);
  // The operator returns arguments that it has changed, or new tensors.
  size_t next_result = 0;
  for (const SchemaArgument& r : call.schema.returns) {
    if (r.type.mutates) {
      stack.push_back(call.argument_of(r.type.alias));
    } else {
      const IValue& result = results.at(next_result++);
      stack.push_back(with_tensors(result, to_functional));
    }
  }
}

// --- the kernel ---------------------------------------------------------------------------------

void run_pure(FunctionalCall& call, IValueStack& stack) {
  IValueStack results = values_of(call.arguments);
  {
    WithoutFunctionalization calls_values;
    call_boxed(call.op, results);
  }
  push_wrapped(stack, results, call.arguments);
}

void kernel(void*, const OperatorEntry& op, c10::DispatchKeySet keys, IValueStack& stack) {
  const c10::DispatchKeySet below = keys.below(c10::DispatchKey::Functionalize);
  if (is_decomposed(op)) {
    if (op.boxed_caller) return op.boxed_caller(op, nullptr, below, stack);
    return redispatch_boxed(op, below, stack);
  }
  FunctionalCall call(op, stack);
  if (is_plain_view(call)) return run_view(call, stack);
  const bool changes = call.mutates_any();
  bool changes_functional = false;
  for (const Tensor& t : call.mutated()) changes_functional |= maybe_functional(t) != nullptr;
  bool reads_functional = false;
  for (const IValue& a : call.arguments)
    for_each_tensor(a,
                    [&](const Tensor& t) { reads_functional |= maybe_functional(t) != nullptr; });
  if (changes && (changes_functional || reads_functional)) {
    const OperatorEntry* as_view = view_of_in_place(call);
    return as_view ? run_view_in_place(call, *as_view, stack) : run_mutation(call, stack);
  }
  if (changes) {  // of ordinary tensors only
    WithoutFunctionalization calls_values;
    call_boxed(op, call.arguments);
    for (IValue& r : call.arguments) stack.push_back(std::move(r));
    return;
  }
  run_pure(call, stack);
}

}  // namespace

void install_functionalize_kernel() {
  static const int64_t installed = [] {
    Override functionalize;
    functionalize.boxed = &kernel;
    functionalize.debug = "aten/src/ATen/functionalization/FunctionalizeKernel.cpp";
    return register_fallback(c10::DispatchKey::Functionalize, std::move(functionalize));
  }();
  static_cast<void>(installed);
}

}  // namespace at::functionalization
