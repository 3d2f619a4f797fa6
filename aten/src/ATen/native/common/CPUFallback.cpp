// Runs operators that a backend lacks on copies of the arguments on the CPU.

#include <ATen/native/common/CPUFallback.h>

#include <mutex>
#include <unordered_set>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/OperatorName.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/copy__ops.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at::native {
namespace {

Tensor to_cpu(const Tensor& t) {
  return t.defined() && !t.is_cpu() ? at::_to_copy(t, TensorOptions(kCPU)) : t;
}

// The device of the results: that of the first tensor that is not on the CPU.
struct Target {
  std::optional<Device> device;
  void consider(const Tensor& t) {
    if (!device && t.defined() && !t.is_cpu()) device = t.device();
  }
};

// Copies the arguments to the CPU. A device argument requests a tensor there, which is moved
// afterwards.
IValueStack arguments_on_cpu(const IValue* args, size_t count, Target& target) {
  IValueStack moved;
  moved.reserve(count);
  for (size_t k = 0; k < count; ++k) {
    const IValue& v = args[k];
    switch (v.tag()) {
      case IValue::Tag::Tensor:
        target.consider(v.toTensor());
        moved.push_back(to_cpu(v.toTensor()));
        break;
      case IValue::Tag::TensorList: {
        std::vector<Tensor> list;
        for (const Tensor& t : v.toTensorVector()) {
          target.consider(t);
          list.push_back(to_cpu(t));
        }
        moved.push_back(IValue(std::move(list)));
        break;
      }
      case IValue::Tag::OptionalTensorList: {
        std::vector<std::optional<Tensor>> list;
        for (const auto& t : v.toOptionalTensorVector()) {
          if (t) target.consider(*t);
          list.push_back(t ? std::make_optional(to_cpu(*t)) : std::nullopt);
        }
        moved.push_back(IValue(std::move(list)));
        break;
      }
      case IValue::Tag::Device:
        if (!target.device && !v.toDevice().is_cpu()) target.device = v.toDevice();
        moved.push_back(IValue(Device(kCPU)));
        break;
      default:
        moved.push_back(v);
    }
  }
  return moved;
}

// Copies what the kernel changed on the CPU back into the argument.
void write_back(const Tensor& argument, const Tensor& changed) {
  if (!argument.defined() || argument.is_same(changed)) return;
  Tensor to = argument;
  if (to.sizes() != changed.sizes()) {
    // An out= tensor that was resized takes over the new memory.
    Tensor moved = at::_to_copy(changed, TensorOptions(to.device()));
    to.unsafeGetTensorImpl()->set_storage(moved.storage());
    to.unsafeGetTensorImpl()->set_sizes_and_strides(moved.sizes(), moved.strides());
    to.unsafeGetTensorImpl()->set_storage_offset(moved.storage_offset());
  } else {
    at::_ops::copy_::call(to, changed, false);
  }
}

void warn_once(const OperatorEntry& op, Device device) {
  static std::mutex mutex;
  static std::unordered_set<const OperatorEntry*> warned;
  std::lock_guard<std::mutex> lock(mutex);
  if (!warned.insert(&op).second) return;
  TORCH_WARN("The operator '", full_name(op), "' has no kernel for ", DeviceTypeName(device.type()),
             " devices: it runs on the CPU, on copies of its arguments, which is slow");
}

}  // namespace

void cpu_fallback(const c10::OperatorHandle& handle, IValueStack* caller_stack,
                  bool error_on_views) {
  const OperatorEntry& op = handle.entry();
  IValueStack& stack = *caller_stack;
  const FunctionSchema& schema = schema_of(op);
  const size_t count = schema.arguments.size();
  TORCH_CHECK(stack.size() >= count, full_name(op), ": expected ", count, " arguments, got ",
              stack.size());
  const size_t first = stack.size() - count;
  Target target;
  IValueStack moved = arguments_on_cpu(stack.data() + first, count, target);
  TORCH_CHECK(target.device, full_name(op), ": no argument says which device falls back");
  for (const SchemaArgument& r : schema.returns) {
    TORCH_CHECK(!error_on_views || r.type.alias.empty() || r.type.mutates, full_name(op),
                " gives a view, which has no counterpart in a copy on the CPU. The backend needs a "
                "kernel for it");
  }
  warn_once(op, *target.device);
  TORCH_CHECK_NOT_IMPLEMENTED(op.boxed_dispatch, full_name(op), ": cannot be called boxed");
  IValueStack run = moved;
  op.boxed_dispatch(op, op.call, {}, run);

  for (size_t k = 0; k < count; ++k) {
    if (!schema.arguments[k].type.mutates) continue;
    const IValue &original = stack[first + k], &now = moved[k];
    if (original.isTensor()) {
      write_back(original.toTensor(), now.toTensor());
    } else if (original.tag() == IValue::Tag::TensorList) {
      for (size_t i = 0; i < original.toTensorVector().size(); ++i)
        write_back(original.toTensorVector()[i], now.toTensorVector()[i]);
    }
  }
  auto to_device = [&](const Tensor& t) {
    return t.defined() ? at::_to_copy(t, TensorOptions(*target.device)) : t;
  };
  for (size_t k = 0; k < run.size() && k < schema.returns.size(); ++k) {
    const SchemaArgument& r = schema.returns[k];
    if (r.type.mutates) {
      // The result is the argument that was changed.
      for (size_t i = 0; i < count; ++i) {
        const SchemaType& t = schema.arguments[i].type;
        if (t.mutates && t.alias == r.type.alias) run[k] = stack[first + i];
      }
    } else if (run[k].isTensor()) {
      run[k] = IValue(to_device(run[k].toTensor()));
    } else if (run[k].tag() == IValue::Tag::TensorList) {
      std::vector<Tensor> list;
      for (const Tensor& t : run[k].toTensorVector()) list.push_back(to_device(t));
      run[k] = IValue(std::move(list));
    }
  }
  stack.resize(first);
  for (IValue& v : run) stack.push_back(std::move(v));
}

}  // namespace at::native
