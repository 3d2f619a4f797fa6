// Tests of DispatchKeySet.

#include <c10/core/DispatchKeySet.h>
#include <c10/test/support/throws.h>
#include <c10/util/Exception.h>

using namespace c10;
using torch_test::throws;

namespace {

std::vector<DispatchKey> all_runtime_keys() {
  std::vector<DispatchKey> keys;
  for (int k = 1; k < static_cast<int>(DispatchKey::EndOfRuntimeKeys); ++k)
    keys.push_back(static_cast<DispatchKey>(k));
  return keys;
}

TEST(DispatchKeySet, Empty) {
  const DispatchKeySet empty;
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.raw_repr(), 0u);
  EXPECT_EQ(empty.highestPriorityTypeId(), DispatchKey::Undefined);
  EXPECT_EQ(empty.highest_index(), 0);
  EXPECT_EQ(DispatchKeySet(DispatchKey::Undefined), empty);
  EXPECT_FALSE(empty.has(DispatchKey::Undefined));
  for (DispatchKey key : all_runtime_keys()) EXPECT_FALSE(empty.has(key)) << toString(key);
}

TEST(DispatchKeySet, SingletonsHoldTheirKey) {
  for (DispatchKey key : all_runtime_keys()) {
    const DispatchKeySet set(key);
    EXPECT_TRUE(set.has(key));
    EXPECT_FALSE(set.empty());
    EXPECT_EQ(set.highestPriorityTypeId(), key);
    EXPECT_EQ(set.highest_index(), static_cast<int>(key));
    EXPECT_FALSE(set.remove(key).has(key));
    EXPECT_EQ(set.remove(key).highestPriorityTypeId(), DispatchKey::Undefined);
    EXPECT_EQ(DispatchKeySet().add(key), set);
    EXPECT_EQ(set.add(key), set);
    EXPECT_EQ(DispatchKeySet(set.raw_repr()), set);
  }
}

// Two per-backend keys of different functionalities and backends represent more keys than these
// two.
bool independent(DispatchKey a, DispatchKey b) {
  Functionality f = functionality_of(a), g = functionality_of(b);
  return f == g || !is_per_backend(f) || !is_per_backend(g) || backend_of(a) == backend_of(b);
}

TEST(DispatchKeySet, PairsHaveTheHigherOnTop) {
  const auto keys = all_runtime_keys();
  for (size_t low = 0; low < keys.size(); ++low) {
    for (size_t high = low + 1; high < keys.size(); ++high) {
      if (!independent(keys[low], keys[high])) continue;
      const DispatchKeySet pair{keys[low], keys[high]};
      const bool different = functionality_of(keys[low]) != functionality_of(keys[high]);
      ASSERT_EQ(pair.highestPriorityTypeId(), keys[high]);
      ASSERT_EQ(pair.below(keys[high]).has(keys[low]), different);
      ASSERT_FALSE(pair.below(keys[high]).has(keys[high]));
      ASSERT_EQ((pair - DispatchKeySet(keys[high])).has(keys[low]), different);
      ASSERT_EQ(pair & DispatchKeySet(keys[high]), DispatchKeySet(keys[high]));
      ASSERT_EQ(DispatchKeySet(keys[low]) | DispatchKeySet(keys[high]), pair);
      ASSERT_TRUE(pair.has_all(DispatchKeySet(keys[low])));
      ASSERT_FALSE(DispatchKeySet(keys[low]).has_all(pair));
      ASSERT_TRUE(DispatchKeySet(keys[low]).has_any(pair));
      ASSERT_FALSE(DispatchKeySet(keys[low]).has_any(DispatchKeySet(keys[high])));
    }
  }
}

// A mixed set: backends are shared by the functionalities.
TEST(DispatchKeySet, BackendsBelongToAllFunctionalities) {
  const DispatchKeySet set = DispatchKeySet(DispatchKey::AutogradCPU) | DispatchKey::CUDA;
  EXPECT_TRUE(set.has(DispatchKey::AutogradCUDA));
  EXPECT_EQ(set.highestPriorityTypeId(), DispatchKey::AutogradCUDA);
  EXPECT_EQ((set - autograd_dispatch_keyset).highestPriorityTypeId(), DispatchKey::CUDA);
  EXPECT_EQ(DispatchKeySet(DispatchKey::CPU).raw_repr(), 65537u);
  EXPECT_EQ(DispatchKeySet(DispatchKey::AutogradCPU).raw_repr(), 68719476737u);
}

TEST(DispatchKeySet, OrderIsBackendsAutogradWrappers) {
  EXPECT_FALSE(backend_keyset.has_any(autograd_dispatch_keyset));
  const DispatchKey lowest_autograd = DispatchKey::AutogradOther;
  EXPECT_EQ(backend_keyset.below(lowest_autograd), backend_keyset);
  EXPECT_TRUE(autograd_dispatch_keyset.below(lowest_autograd).empty());
  EXPECT_TRUE(after_autograd_keyset.has_all(backend_keyset));
  EXPECT_TRUE(after_autograd_keyset.has(DispatchKey::ADInplaceOrView));
  EXPECT_FALSE(after_autograd_keyset.has_any(autograd_dispatch_keyset));
  for (DispatchKey wrapper :
       {DispatchKey::Tracer, DispatchKey::AutocastCPU, DispatchKey::FuncTorchBatched}) {
    EXPECT_EQ((autograd_dispatch_keyset | wrapper).highestPriorityTypeId(), wrapper);
  }
}

TEST(DispatchKey, NamesComeBack) {
  for (DispatchKey key : all_runtime_keys()) EXPECT_EQ(parseDispatchKey(toString(key)), key);
  for (DispatchKey key : {DispatchKey::Autograd, DispatchKey::CompositeImplicitAutograd,
                          DispatchKey::CompositeExplicitAutograd}) {
    EXPECT_EQ(parseDispatchKey(toString(key)), key);
  }
  EXPECT_EQ(parseDispatchKey("cpu"), DispatchKey::Undefined);
  EXPECT_EQ(parseDispatchKey(""), DispatchKey::Undefined);
  EXPECT_STREQ(toString(DispatchKey::EndOfRuntimeKeys), "UNKNOWN_DISPATCH_KEY");
  EXPECT_EQ(to_string(DispatchKeySet{DispatchKey::AutogradCPU, DispatchKey::CPU}),
            "DispatchKeySet(CPU, AutogradCPU)");
  EXPECT_EQ(toString(DispatchKeySet()), "DispatchKeySet()");
}

TEST(DispatchKey, DevicesHaveTheirBackendAndItsAutograd) {
  EXPECT_EQ(computeDispatchKey(kCPU), DispatchKey::CPU);
  EXPECT_EQ(computeDispatchKey(kCUDA), DispatchKey::CUDA);
  EXPECT_EQ(computeDispatchKey(kMeta), DispatchKey::Meta);
  EXPECT_EQ(computeDispatchKey(DeviceType::PrivateUse1), DispatchKey::PrivateUse1);
  EXPECT_TRUE(throws<NotImplementedError>([] { computeDispatchKey(DeviceType::Metal); }, "metal"));
  for (DispatchKey backend :
       {DispatchKey::CPU, DispatchKey::CUDA, DispatchKey::Meta, DispatchKey::PrivateUse1}) {
    EXPECT_EQ(std::string("Autograd") + toString(backend),
              toString(getAutogradKeyFromBackend(backend)));
  }
  EXPECT_EQ(getAutogradKeyFromBackend(DispatchKey::QuantizedCPU), DispatchKey::AutogradOther);
}

}  // namespace
