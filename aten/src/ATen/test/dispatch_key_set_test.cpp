// The keys that tensors carry, and how calls combine them.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/view.h>
#include <ATen/test/support/tensors.h>
#include <c10/core/GradMode.h>

using namespace at;
using namespace torch_test;

namespace {

using at::impl::effective_keys;
using at::impl::keys_of;

TEST(TensorKeys, AreTheBackendsUntilAutogradTakesPart) {
  Tensor x = tensor({1});
  EXPECT_EQ(x.key_set(), DispatchKeySet(DispatchKey::CPU));
  EXPECT_EQ(at::empty({1}, TensorOptions(kMeta)).key_set(), DispatchKeySet(DispatchKey::Meta));
  x.set_requires_grad(true);
  EXPECT_EQ(x.key_set(), (DispatchKeySet{DispatchKey::CPU, DispatchKey::AutogradCPU}));
  EXPECT_FALSE(at::detach(x).requires_grad());
  Tensor m = at::empty({1}, TensorOptions(kMeta));
  m.set_requires_grad(true);
  EXPECT_TRUE(m.key_set().has(DispatchKey::AutogradMeta));
}

TEST(TensorKeys, ViewsCarryAutogradsFromTheStart) {
  const Tensor x = tensor({1, 2}), y = at::view(x, IntArrayRef{2, 1});
  EXPECT_TRUE(y.key_set().has(DispatchKey::AutogradCPU));
  EXPECT_FALSE(y.requires_grad());
}

TEST(TensorKeys, OfArguments) {
  const Tensor cpu = tensor({1}), meta = at::empty({1}, TensorOptions(kMeta)), undefined;
  const uint64_t both = (DispatchKeySet{DispatchKey::CPU, DispatchKey::Meta}).raw_repr();
  EXPECT_EQ(keys_of(cpu), DispatchKeySet(DispatchKey::CPU).raw_repr());
  EXPECT_EQ(keys_of(undefined), 0u);
  EXPECT_EQ(keys_of(std::optional<Tensor>()), 0u);
  EXPECT_EQ(keys_of(std::optional<Tensor>(meta)), keys_of(meta));
  EXPECT_EQ(keys_of(3), 0u);
  const Tensor list[] = {cpu, undefined, meta};
  EXPECT_EQ(keys_of(TensorList(list)), both);
  const std::optional<Tensor> optionals[] = {std::nullopt, cpu};
  EXPECT_EQ(keys_of(OptionalTensorList(optionals)), keys_of(cpu));
}

TEST(TensorKeys, ThreadStateAddsAndTakesAway) {
  Tensor x = tensor({1});
  x.set_requires_grad(true);
  const OperatorEntry& op = _ops::add_Tensor::entry;
  const uint64_t keys = x.key_set().raw_repr();
  EXPECT_EQ(effective_keys(op, keys).highestPriorityTypeId(), DispatchKey::AutogradCPU);
  {
    NoGradGuard without;
    EXPECT_EQ(effective_keys(op, keys).highestPriorityTypeId(), DispatchKey::CPU);
  }
  c10::impl::ExcludeDispatchKeyGuard below(autograd_dispatch_keyset);
  EXPECT_EQ(effective_keys(op, keys), DispatchKeySet(DispatchKey::CPU));
  // A key for which the operator has no kernel falls through.
  c10::impl::IncludeDispatchKeyGuard in(DispatchKey::AutocastCPU);
  EXPECT_EQ(effective_keys(op, keys), DispatchKeySet(DispatchKey::CPU));
}

}  // namespace
