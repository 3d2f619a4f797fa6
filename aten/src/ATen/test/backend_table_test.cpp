// A backend that joins with a constant table, as libtorch_cuda does.

#include <ATen/core/dispatch/BackendTable.h>
#include <ATen/core/dispatch/KernelRegistrations.h>
#include <ATen/ops/add.h>
#include <ATen/ops/relu.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

constexpr DispatchKey kKey = DispatchKey::XPU;
int g_added = 0;

Tensor foreign(IntArrayRef sizes) {
  auto impl =
      c10::make_intrusive<TensorImpl>(Storage::allocate(64, GetAllocator(kCPU)),
                                      DispatchKeySet(kKey), kFloat, Device(DeviceType::XPU, 0));
  impl->set_sizes_contiguous(sizes);
  return Tensor(impl);
}

Tensor add_foreign(DispatchKeySet, const Tensor& a, const Tensor&, const Scalar&) {
  ++g_added;
  return foreign(a.sizes());
}

void join() {
  static const BackendKernel kernels[] = {
      {&_ops::add_Tensor::entry, reinterpret_cast<void*>(&add_foreign)}};
  static const BackendTable table = {kernels, 1};
  static const BackendTable* const tables[] = {&table};
  join_backend(kKey, tables, 1);
}

TEST(BackendTable, KernelsStandInTheirSlots) {
  EXPECT_TRUE(throws<NotImplementedError>([] { at::add(foreign({2}), foreign({2})); }, "XPU"));
  join();
  EXPECT_EQ(_ops::add_Tensor::entry.table[slot_of(kKey)], reinterpret_cast<void*>(&add_foreign));
  g_added = 0;
  EXPECT_EQ(at::add(foreign({2}), foreign({2})).device().type(), DeviceType::XPU);
  EXPECT_EQ(g_added, 1);
  EXPECT_TRUE(throws<NotImplementedError>([] { at::relu(foreign({2})); }, "XPU"));
}

TEST(BackendTable, CompositeKernelsFillTheOtherSlots) {
  join();
  int composite = 0;
  for (const OperatorEntry* op : all_operators()) {
    void* own = generated_kernel(*op, DispatchKey::Undefined);
    if (!own || !op->boxed_caller) continue;
    EXPECT_EQ(op->table[slot_of(kKey)], own) << op->name;
    ++composite;
  }
  EXPECT_GT(composite, 100);
}

}  // namespace
