// Checks that generated code runs before a kernel writes to outputs and after it has made results.

#include <ATen/native/common/ResultChecks.h>

#include <ATen/native/common/MemoryOverlap.h>
#include <ATen/native/common/SameDevice.h>
#include <ATen/ops/clone.h>

namespace at::native {

static bool any_of(Inputs inputs, bool (*f)(const Tensor&, const Tensor&), const Tensor& result) {
  for (const Input& input : inputs) {
    if (input.any([&](const Tensor& t) { return f(t, result); })) return true;
  }
  return false;
}

static bool same_tensor(const Tensor& a, const Tensor& b) { return a.is_same(b); }
static bool same_storage(const Tensor& a, const Tensor& b) {
  return a.unsafeGetTensorImpl()->storage().is_alias_of(b.unsafeGetTensorImpl()->storage());
}

static void drop_base(TensorImpl* impl) {
  impl->drop_view_base();
  impl->set_creation_meta(c10::CreationMeta::Default);
  // Plain tensors carry no autograd key: Note [Grad mode is an exclusion].
  if (!impl->autograd_meta()) impl->set_autograd_key(false);
}

void check_one_device(const char* op, Inputs inputs) {
  const Tensor* first = nullptr;
  for (const Input& input : inputs) {
    input.any([&](const Tensor& t) {
      if (t.device().is_cpu() && t.dim() == 0) return false;
      if (!first) first = &t;
      check_device_of(op, t, *first);
      return false;
    });
  }
}

void settle_result(Tensor& result, bool kernel, Inputs inputs) {
  TensorImpl* impl = result.unsafeGetTensorImpl();
  if (any_of(inputs, same_tensor, result)) return;  // returned as is
  bool of_input = any_of(inputs, same_storage, result);
  if (kernel) {
    if (of_input) result = at::clone(result);
    else drop_base(impl);
    return;
  }
  TensorImpl* base = impl->view_base();
  bool recorded =
      impl->autograd_meta() ? impl->view_version() == impl->version() : !base->autograd_meta();
  if (!of_input && recorded && base->use_count() == 1) drop_base(impl);
}

// Where the last element ends, in bytes of the storage.
static int64_t end_of(const Tensor& t) {
  if (t.numel() == 0) return 0;
  int64_t last = t.storage_offset();
  for (int64_t d = 0; d < t.dim(); ++d) last += (t.sizes()[d] - 1) * t.strides()[d];
  return (last + 1) * static_cast<int64_t>(t.itemsize());
}

bool shares_memory(Inputs outputs, Inputs inputs, bool may_be_resized) {
  for (const Input& output : outputs) {
    bool shared = output.any([&](const Tensor& out) {
      int64_t start = out.storage_offset() * static_cast<int64_t>(out.itemsize());
      for (const Input& input : inputs) {
        if (input.any([&](const Tensor& in) {
          if (in.is_same(out)) return true;
          if (!same_storage(in, out)) return false;
          return may_be_resized
                     ? end_of(in) > start
                     : at::shares_memory(*in.unsafeGetTensorImpl(), *out.unsafeGetTensorImpl());
        }))
          return true;
      }
      return false;
    });
    if (shared) return true;
  }
  return false;
}

void check_outputs_apart(const char* op, Inputs outputs) {
  std::vector<const TensorImpl*> seen;
  for (const Input& output : outputs) {
    output.any([&](const Tensor& out) {
      const TensorImpl* impl = out.unsafeGetTensorImpl();
      for (const TensorImpl* before : seen) {
        TORCH_CHECK(impl != before && !at::shares_memory(*impl, *before), op,
                    ": unsupported operation: two of the output tensors share memory. Please give "
                    "each result a tensor of its own.");
      }
      seen.push_back(impl);
      return false;
    });
  }
}

}  // namespace at::native
