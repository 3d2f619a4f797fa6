// Boxed kernels: they get a stack of IValues, whatever the operator's signature.

#include <ATen/ops/add.h>
#include <ATen/ops/max.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/split.h>
#include <ATen/test/support/dispatch.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

using BoxedKernel = void (*)(void*, const OperatorEntry&, DispatchKeySet, IValueStack&);

struct Boxed {
  Boxed(const char* name, const char* overload, BoxedKernel kernel, void* state = nullptr)
      : op(find_operator(name, overload)) {
    Override boxed;
    boxed.boxed = kernel;
    boxed.state = state;
    handle = register_override(*op, DispatchKey::CPU, boxed);
  }
  ~Boxed() { unregister_override(*op, handle); }
  OperatorEntry* op;
  int64_t handle;
};

TEST(KernelStackBased, TypedCallsAreBoxedForIt) {
  static std::string seen;
  Boxed kernel("aten::add", "Tensor",
               [](void*, const OperatorEntry& op, DispatchKeySet keys, IValueStack& stack) {
    seen = c10::str(op.name, ".", op.overload, " ", stack.size(), " ", stack[2].toScalar(), " ",
                    keys.has(DispatchKey::CPU));
    Tensor first = stack[0].toTensor();
    stack.clear();
    stack.push_back(IValue(first));
  });
  const Tensor x = tensor({1, 2});
  EXPECT_TRUE(at::add(x, tensor({5, 5}), 3).is_same(x));
  EXPECT_EQ(seen, "aten::add.Tensor 3 3 true");
}

TEST(KernelStackBased, HasState) {
  int calls = 0;
  Boxed kernel("aten::relu", "",
               [](void* state, const OperatorEntry&, DispatchKeySet, IValueStack&) {
    ++*static_cast<int*>(state);
  }, &calls);
  const Tensor x = tensor({-1});
  EXPECT_TRUE(has(at::relu(x), {-1}));  // what was on the stack remains as the result
  EXPECT_EQ(calls, 1);
}

TEST(KernelStackBased, SeveralResultsAndLists) {
  {
    Boxed kernel("aten::max", "dim",
                 [](void*, const OperatorEntry&, DispatchKeySet, IValueStack& stack) {
      stack.clear();
      stack.push_back(IValue(tensor({1})));
      stack.push_back(IValue(tensor({2})));
    });
    const auto [values, indices] = at::max(tensor({5}), 0);
    EXPECT_TRUE(has(values, {1}));
    EXPECT_TRUE(has(indices, {2}));
  }
  Boxed kernel("aten::split", "Tensor",
               [](void*, const OperatorEntry&, DispatchKeySet, IValueStack& stack) {
    stack.clear();
    stack.push_back(IValue(std::vector<Tensor>{tensor({7})}));
  });
  EXPECT_EQ(at::split(tensor({1, 2}), 1).size(), 1u);
}

TEST(KernelStackBased, InPlaceFormsGiveTheCallersTensor) {
  Boxed kernel("aten::add_", "Tensor",
               [](void*, const OperatorEntry&, DispatchKeySet, IValueStack& stack) {
    Tensor self = stack[0].toTensor();
    stack.clear();
    stack.push_back(IValue(self));
  });
  Tensor x = tensor({1});
  Tensor& result = at::_ops::add__Tensor::call(x, x, 1);
  EXPECT_EQ(&result, &x);
}

TEST(KernelStackBased, ResultsHaveToBeThereAndOfTheRightType) {
  {
    Boxed kernel(
        "aten::relu", "",
        [](void*, const OperatorEntry&, DispatchKeySet, IValueStack& stack) { stack.clear(); });
    EXPECT_TRUE(throws<Error>([] { at::relu(tensor({1})); }, "gave back no result"));
  }
  {
    Boxed kernel("aten::relu", "",
                 [](void*, const OperatorEntry&, DispatchKeySet, IValueStack& stack) {
      stack[0] = IValue(3);
    });
    EXPECT_THROW(at::relu(tensor({1})), TypeError);
  }
  Boxed kernel(
      "aten::max", "dim",
      [](void*, const OperatorEntry&, DispatchKeySet, IValueStack& stack) { stack.resize(1); });
  EXPECT_TRUE(throws<Error>([] { at::max(tensor({1}), 0); },
                            "a boxed kernel gave back 1 results, expected 2"));
}

}  // namespace
