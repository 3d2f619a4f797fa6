// One boxed kernel for all operators of a key.

#include <ATen/ops/add.h>
#include <ATen/ops/max.h>
#include <ATen/ops/relu.h>
#include <ATen/test/support/dispatch.h>
#include <ATen/test/support/tensors.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

std::vector<std::string> g_seen;

// Records the operator, and redispatches below its own key.
void note(void*, const OperatorEntry& op, DispatchKeySet keys, IValueStack& stack) {
  g_seen.push_back(c10::str(op.name, ".", op.overload));
  const DispatchKeySet rest = keys.below(DispatchKey::Tracer);
  op.boxed_caller(op, op.table[slot_of(rest)], rest, stack);
}

struct Fallback {
  Fallback(DispatchKey key,
           void (*boxed)(void*, const OperatorEntry&, DispatchKeySet, IValueStack&)) {
    Override kernel;
    kernel.boxed = boxed;
    handle = register_fallback(key, kernel);
  }
  ~Fallback() { unregister_fallback(handle); }
  int64_t handle;
};

TEST(BackendFallback, SeesEveryOperatorOfItsKey) {
  const Tensor x = tensor({-1, 2});
  {
    Fallback fallback(DispatchKey::Tracer, &note);
    g_seen.clear();
    EXPECT_TRUE(has(at::relu(x), {0, 2}));  // the key is not included: nothing is recorded
    EXPECT_TRUE(g_seen.empty());
    c10::impl::IncludeDispatchKeyGuard guard(DispatchKey::Tracer);
    EXPECT_TRUE(has(at::relu(x), {0, 2}));
    EXPECT_TRUE(has(at::add(x, x), {-2, 4}));
    EXPECT_TRUE(has(std::get<1>(at::max(x, 0)), {1}));
    ASSERT_GE(g_seen.size(), 3u);
    EXPECT_EQ(g_seen[0], "aten::relu.");
    EXPECT_EQ(g_seen[1], "aten::add.Tensor");
    EXPECT_EQ(g_seen[2], "aten::max.dim");
  }
  g_seen.clear();
  c10::impl::IncludeDispatchKeyGuard guard(DispatchKey::Tracer);
  EXPECT_TRUE(has(at::relu(x), {0, 2}));  // removed: calls fall through the key
  EXPECT_TRUE(g_seen.empty());
}

TEST(BackendFallback, KernelsOfTheOperatorComeFirst) {
  Fallback fallback(DispatchKey::Tracer, &note);
  Tensor (*own)(const Tensor&) = [](const Tensor& x) { return x; };
  Overridden kernel("aten::relu", "", DispatchKey::Tracer, own);
  c10::impl::IncludeDispatchKeyGuard guard(DispatchKey::Tracer);
  g_seen.clear();
  EXPECT_TRUE(has(at::relu(tensor({-1})), {-1}));
  EXPECT_TRUE(g_seen.empty());
}

TEST(BackendFallback, ServesOperatorsDefinedLater) {
  Fallback fallback(DispatchKey::PrivateUse1,
                    [](void*, const OperatorEntry&, DispatchKeySet, IValueStack& stack) {
    stack.clear();
    stack.push_back(IValue(42));
  });
  Defined f("fallbacks::later(Tensor x) -> int");
  EXPECT_EQ(call_boxed(*f.op, {IValue()}, DispatchKey::PrivateUse1)[0].toInt(), 42);
  EXPECT_FALSE(find_kernel(*f.op, DispatchKey::CPU));
}

TEST(BackendFallback, ByWayOfALibrary) {
  kernels("_", DispatchKey::FuncTorchBatched)
      .fallback([](void*, const OperatorEntry& op, DispatchKeySet, IValueStack&) {
    TORCH_CHECK_NOT_IMPLEMENTED(false, "no batching rule for ", op.name);
  });
  c10::impl::IncludeDispatchKeyGuard guard(DispatchKey::FuncTorchBatched);
  EXPECT_TRUE(throws<NotImplementedError>([] { at::relu(tensor({1})); },
                                          "no batching rule for aten::relu"));
}

}  // namespace
