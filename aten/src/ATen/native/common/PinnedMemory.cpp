// Moves new CPU tensors into memory that a device reads and writes directly.
#include <ATen/native/common/PinnedMemory.h>
#include <c10/core/impl/PinnedMemory.h>

namespace at::native {

C10_COLD static void move_to_pinned_memory(const char* op, const Tensor& made) {
  if (made.device().is_meta()) return;
  TORCH_CHECK(made.device().is_cpu(), op, ": pin_memory=True is for tensors on the CPU, got ",
              made.device());
  const auto* pinned = c10::impl::pinned_memory();
  TORCH_CHECK(pinned, op,
              ": pin_memory=True requires a CUDA or other accelerator backend; no pinned memory "
              "allocator is available on this system.");
  made.unsafeGetTensorImpl()->set_storage(
      Storage::allocate(made.storage().nbytes(), pinned->allocator()));
}

Tensor in_pinned_memory(const char* op, Tensor made, std::optional<bool> pin_memory) {
  if (C10_UNLIKELY(pin_memory && *pin_memory)) move_to_pinned_memory(op, made);
  return made;
}

}  // namespace at::native
