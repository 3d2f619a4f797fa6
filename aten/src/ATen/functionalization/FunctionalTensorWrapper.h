#pragma once
// FunctionalTensorWrapper: a tensor whose changes in place become new values.
//
// Note [Functionalization]
// A functional tensor holds a value, an ordinary tensor. The key Functionalize brings every call
// with one to FunctionalizeKernel.cpp, which calls an operator that changes nothing on the values.
//
// Functional tensors that are views of one another share a FunctionalStorage, which holds the value
// of the base. A view keeps how it was made: a chain of ViewMeta. Where a view gets a new value,
// the inverses of its chain put it into the base (select_scatter for select, and so on), and the
// other views take their values from the base again when they are next used.
//
// The key stands below autograd. A functional tensor has a history of its own only where a
// derivative is taken of the functionalized calls; what an outer derivative records are the calls
// with the values.

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/OperatorEntry.h>
#include <ATen/core/ivalue.h>

#include <memory>
#include <vector>

namespace at::functionalization {

// One step from a base to a view: an operator without its first argument, and which of its results
// it is.
struct ViewMeta {
  const OperatorEntry* op;
  std::vector<IValue> arguments;
  size_t index;

  Tensor view_of(const Tensor& base) const;
  // `base` with the elements of the view replaced.
  Tensor inverse(const Tensor& base, const Tensor& view) const;
};

// For a view of values: view_as_real refuses a lazy conjugate, and gets the conjugates themselves.
void resolve_for_view(const OperatorEntry& op, IValueStack& stack);

struct FunctionalStorage {
  Tensor base;
  uint64_t generation = 0;  // how often the base got a new value
  bool was_changed = false;
};

struct FunctionalTensorWrapper final : c10::TensorImpl {
  explicit FunctionalTensorWrapper(Tensor value);
  // A view of `base`'s storage.
  FunctionalTensorWrapper(const FunctionalTensorWrapper& base, ViewMeta step, Tensor value);

  // The current value, brought up to date.
  const Tensor& value();
  // Gives the tensor, and all that share its storage, a new value of the same shape.
  void replace(Tensor value);
  // The tensor becomes a view of what it was: t_(), squeeze_() and their kin.
  void mutate_view(ViewMeta step, Tensor value);
  // The tensor leaves its storage and becomes another value, of another shape.
  void reset(Tensor value);
  bool was_changed() const { return storage_state_->was_changed; }
  bool is_view() const { return !chain_.empty(); }

  c10::intrusive_ptr<c10::TensorImpl> shallow_copy() const override;
  const char* tensorimpl_type_name() const override { return "FunctionalTensorWrapper"; }

 protected:
  void release_resources() override;

 private:
  void refresh_shape();

  Tensor value_;
  uint64_t generation_ = 0;
  std::shared_ptr<FunctionalStorage> storage_state_;
  std::vector<ViewMeta> chain_;
};

// Null for other tensors.
FunctionalTensorWrapper* maybe_functional(const TensorBase& t);
Tensor to_functional(const Tensor& value);
// The value of a functional tensor; other tensors themselves.
Tensor from_functional(const Tensor& t);

// While this is on, new tensors of the thread are functional. Views are called as views, or as
// their copies (view_copy).
void set_functionalization(bool on, bool reapply_views);
bool is_functionalizing();
bool reapplies_views();

// A block in which operators are called with values.
class WithoutFunctionalization {
 public:
  WithoutFunctionalization();
  ~WithoutFunctionalization();
  WithoutFunctionalization(const WithoutFunctionalization&) = delete;

 private:
  uint64_t included_, excluded_;
};

}  // namespace at::functionalization
