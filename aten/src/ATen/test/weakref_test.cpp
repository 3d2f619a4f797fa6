// Weak owners of tensors.

#include <ATen/ops/add.h>
#include <ATen/ops/view.h>
#include <ATen/test/support/tensors.h>

using namespace at;
using namespace torch_test;

namespace {

using Weak = c10::weak_intrusive_ptr<TensorImpl>;

TEST(WeakTensor, LocksWhileTheTensorLives) {
  Tensor x = tensor({1, 2});
  const Weak weak(x.getIntrusivePtr());
  EXPECT_EQ(x.use_count(), 1u);
  {
    const Tensor again(weak.lock());
    EXPECT_TRUE(again.is_same(x));
    EXPECT_EQ(x.use_count(), 2u);
    EXPECT_TRUE(has(at::add(again, again), {2, 4}));
  }
  x.reset();
  EXPECT_TRUE(weak.expired());
  EXPECT_FALSE(Tensor(weak.lock()).defined());
}

TEST(WeakTensor, ReleasesTheStorageWithTheTensor) {
  Tensor x = tensor({1, 2});
  const c10::weak_intrusive_ptr<c10::StorageImpl> storage(x.storage().getIntrusivePtr());
  const Weak weak(x.getIntrusivePtr());
  x.reset();
  EXPECT_TRUE(storage.expired());  // though the weak owner keeps the tensor's own memory
}

TEST(WeakTensor, ViewsKeepTheStorageButNotTheirSourceAlone) {
  Tensor x = tensor({1, 2});
  const Weak weak(x.getIntrusivePtr());
  const Tensor y = at::view(x, IntArrayRef{2, 1});
  x.reset();
  EXPECT_TRUE(has(y, {1, 2}));
  const Tensor base(weak.lock());
  EXPECT_TRUE(!base.defined() || base.is_alias_of(y));  // a view may hold its base
}

}  // namespace
