#pragma once
// c10::Dispatcher: finds operators by name, for programs that call what other libraries registered.
//
//   static auto op = c10::Dispatcher::singleton()
//                        .findSchemaOrThrow("mylib::scale", "")
//                        .typed<at::Tensor(const at::Tensor&, double)>();
//   at::Tensor y = op.call(x, 2.0);
//
// Include torch/library.h, which has the definitions.

#include <optional>
#include <string>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/dispatch/FunctionSchema.h>

namespace at {
// Throws unless a C++ signature, written as a schema, matches the operator's schema.
void check_signature(const OperatorEntry& op, const std::string& signature,
                     const std::string& place);
}  // namespace at

namespace c10 {

struct OperatorName {
  std::string name, overload_name;
};

template <typename Signature>
class TypedOperatorHandle;
template <typename R, typename... A>
class TypedOperatorHandle<R(A...)> {
 public:
  explicit TypedOperatorHandle(at::OperatorEntry& op) : op_(&op) {}
  // Dispatches by the arguments.
  R call(A... a) const;
  // Calls the kernel for `keys`.
  R redispatch(DispatchKeySet keys, A... a) const;
  static std::string signature();

 private:
  at::OperatorEntry* op_;
};

class OperatorHandle {
 public:
  explicit OperatorHandle(at::OperatorEntry& op) : op_(&op) {}
  const at::FunctionSchema& schema() const { return at::schema_of(*op_); }
  OperatorName operator_name() const { return {op_->name, op_->overload}; }
  // Throws unless the C++ signature matches the schema.
  template <typename Signature>
  TypedOperatorHandle<Signature> typed() const {
    at::check_signature(*op_, TypedOperatorHandle<Signature>::signature(),
                        std::string(op_->name) + ".typed");
    return TypedOperatorHandle<Signature>(*op_);
  }
  // Takes the arguments from the stack, dispatches by them and pushes the results.
  void callBoxed(at::IValueStack* stack) const;
  at::OperatorEntry& entry() const { return *op_; }

 private:
  at::OperatorEntry* op_;
};

class Dispatcher {
 public:
  static Dispatcher& singleton();
  std::optional<OperatorHandle> findSchema(const OperatorName& name);
  // Throws if there is no such operator.
  OperatorHandle findSchemaOrThrow(const char* name, const char* overload_name);
};

}  // namespace c10
