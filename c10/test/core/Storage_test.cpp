// Tests of Storage.

#include <c10/core/CPUAllocator.h>
#include <c10/core/StorageImpl.h>
#include <c10/test/support/throws.h>
#include <c10/util/Exception.h>

#include <cstring>

using namespace c10;
using torch_test::throws;

namespace {

TEST(Storage, AllocatesAndShares) {
  Storage a = Storage::allocate(64, GetAllocator(kCPU));
  EXPECT_TRUE(a);
  EXPECT_EQ(a.nbytes(), 64u);
  EXPECT_EQ(a.device(), Device(kCPU));
  EXPECT_FALSE(a.guarded());
  Storage b = a, other = Storage::allocate(64, GetAllocator(kCPU));
  EXPECT_TRUE(a.is_alias_of(b));
  EXPECT_FALSE(a.is_alias_of(other));
  EXPECT_EQ(a.use_count(), 2u);
  EXPECT_FALSE(Storage());
}

TEST(Storage, ResizeKeepsWhatBothHave) {
  Storage s = Storage::allocate(8, GetAllocator(kCPU));
  std::memcpy(s.data(), "abcdefg", 8);
  StorageImpl* impl = s.unsafeGetStorageImpl();
  impl->resize(4096);
  EXPECT_EQ(s.nbytes(), 4096u);
  EXPECT_EQ(std::memcmp(s.data(), "abcdefg", 8), 0);
  EXPECT_FALSE(s.guarded());
  impl->resize(3);
  EXPECT_EQ(std::memcmp(s.data(), "abc", 3), 0);
  EXPECT_TRUE(s.guarded());  // tensors may reach beyond the end now
  impl->resize(0);
  EXPECT_EQ(s.nbytes(), 0u);
  impl->resize(5);
  EXPECT_NE(s.data(), nullptr);
}

void set_flag(void* flag) { *static_cast<bool*>(flag) = true; }

TEST(Storage, OfSomebodyElsesBytes) {
  char bytes[16] = {};
  bool released = false;
  {
    Storage s = Storage::from_blob(bytes, sizeof(bytes), &released, &set_flag, kCPU);
    EXPECT_EQ(s.data(), bytes);
    Storage copy = s;
    s = Storage();
    EXPECT_FALSE(released);
    EXPECT_TRUE(throws<Error>([&] { copy.unsafeGetStorageImpl()->resize(32); }, "not resizable"));
    EXPECT_THROW(copy.unsafeGetStorageImpl()->resize(0), Error);
  }
  EXPECT_TRUE(released);
}

TEST(Storage, WeakOwnersDoNotKeepTheBytes) {
  bool released = false;
  char bytes[4];
  Storage s = Storage::from_blob(bytes, 4, &released, &set_flag, kCPU);
  weak_intrusive_ptr<StorageImpl> weak(s.getIntrusivePtr());
  s = Storage();
  EXPECT_TRUE(released);
  EXPECT_TRUE(weak.expired());
  EXPECT_FALSE(weak.lock());
}

TEST(Storage, DataCanBeExchanged) {
  char first[4] = {}, second[4] = {};
  Storage s = Storage::from_blob(first, 4, nullptr, nullptr, kCPU);
  DataPtr old = s.unsafeGetStorageImpl()->set_data_ptr(DataPtr(second, kCPU));
  EXPECT_EQ(old.get(), first);
  EXPECT_EQ(s.data(), second);
  EXPECT_FALSE(s.guarded());
  s.unsafeGetStorageImpl()->set_data_ptr(DataPtr(nullptr, kMeta));
  EXPECT_TRUE(s.guarded());
}

}  // namespace
