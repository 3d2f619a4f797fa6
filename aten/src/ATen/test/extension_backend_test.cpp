// An external backend: kernels for PrivateUse1 make tensors of that device and compute with
// them.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/relu.h>
#include <ATen/test/support/dispatch.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

constexpr DeviceType kExtension = DeviceType::PrivateUse1;
int g_made = 0, g_added = 0;

Tensor made(IntArrayRef sizes, ScalarType dtype) {
  auto impl = c10::make_intrusive<TensorImpl>(Storage::allocate(64, GetAllocator(kCPU)),
                                              DispatchKeySet(DispatchKey::PrivateUse1), dtype,
                                              Device(kExtension, 0));
  impl->set_sizes_contiguous(sizes);
  return Tensor(impl);
}

Tensor empty_extension(IntArrayRef sizes, std::optional<ScalarType> dtype, std::optional<Layout>,
                       std::optional<Device>, std::optional<bool>, std::optional<MemoryFormat>) {
  ++g_made;
  return made(sizes, dtype.value_or(kFloat));
}
Tensor add_extension(const Tensor& a, const Tensor& b, const Scalar&) {
  ++g_added;
  return made(a.sizes(), b.scalar_type());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", TORCH_FN(empty_extension));
  m.impl("add.Tensor", TORCH_FN(add_extension));
}

TEST(ExtensionBackend, FactoriesGoByTheDevice) {
  g_made = 0;
  const Tensor x = at::empty({2, 3}, TensorOptions(kExtension).dtype(kInt));
  EXPECT_EQ(g_made, 1);
  EXPECT_EQ(x.device(), Device(kExtension, 0));
  EXPECT_EQ(x.scalar_type(), kInt);
  at::empty({2});
  EXPECT_EQ(g_made, 1);
}

TEST(ExtensionBackend, OperatorsGoByTheirTensors) {
  g_added = 0;
  const Tensor x = at::empty({2}, TensorOptions(kExtension));
  const Tensor sum = at::add(x, x);
  EXPECT_EQ(g_added, 1);
  EXPECT_EQ(sum.device(), x.device());
  EXPECT_TRUE(has(at::add(tensor({1}), tensor({2})), {3}));
  EXPECT_EQ(g_added, 1);
}

TEST(ExtensionBackend, TakesPartInAutograd) {
  const Tensor x = at::empty({2}, TensorOptions(kExtension));
  x.set_requires_grad(true);
  EXPECT_TRUE(x.key_set().has(DispatchKey::AutogradPrivateUse1));
  g_added = 0;
  EXPECT_TRUE(at::add(x, x).requires_grad());
  EXPECT_EQ(g_added, 1);
}

TEST(ExtensionBackend, OperatorsWithoutAKernelSayTheKey) {
  const Tensor x = at::empty({2}, TensorOptions(kExtension));
  EXPECT_TRUE(throws<NotImplementedError>([&] { at::relu(x); }, "PrivateUse1"));
}

}  // namespace
