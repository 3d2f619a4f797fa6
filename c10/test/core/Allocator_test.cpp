// DataPtr and the table of allocators.

#include <c10/core/Allocator.h>
#include <c10/test/support/throws.h>
#include <c10/util/Exception.h>

using namespace c10;
using torch_test::throws;

namespace {

int g_deleted = 0;
void count_deletion(void* context) {
  ++g_deleted;
  ++*static_cast<int*>(context);
}

TEST(DataPtr, GivesBackOnce) {
  int data = 0, context = 0;
  {
    DataPtr p(&data, &context, &count_deletion, kCPU);
    EXPECT_EQ(p.get(), &data);
    EXPECT_EQ(p.get_context(), &context);
    EXPECT_TRUE(p);
    p.clear();
    EXPECT_EQ(context, 1);
    EXPECT_FALSE(p);
    EXPECT_EQ(p.get(), nullptr);
    p.clear();
  }
  EXPECT_EQ(context, 1);
}

TEST(DataPtr, MovesOwnership) {
  int data = 0, first = 0, second = 0;
  DataPtr a(&data, &first, &count_deletion, kCPU);
  DataPtr b(std::move(a));
  EXPECT_FALSE(a);
  EXPECT_EQ(b.get(), &data);
  EXPECT_EQ(first, 0);
  b = DataPtr(&data, &second, &count_deletion, kMeta);  // what b held is released
  EXPECT_EQ(first, 1);
  EXPECT_EQ(b.device(), Device(kMeta));
  b = DataPtr();
  EXPECT_EQ(second, 1);
}

TEST(DataPtr, SurvivesBeingMovedToItself) {
  int data = 0, context = 0;
  DataPtr a(&data, &context, &count_deletion, kCPU);
  DataPtr& same = a;
  a = std::move(same);
  EXPECT_EQ(a.get(), &data);
  EXPECT_EQ(context, 0);
}

TEST(DataPtr, WithoutDeleterOwnsNothing) {
  int data = 0;
  {
    DataPtr p(&data, kCPU);
  }
  EXPECT_EQ(DataPtr().get(), nullptr);
  EXPECT_EQ(DataPtr().device(), Device(kCPU));
}

struct Counting : Allocator {
  int calls = 0;
  DataPtr allocate(size_t) override {
    ++calls;
    return {nullptr, Device(DeviceType::Vulkan)};
  }
};

TEST(Allocator, IsLookedUpByDeviceType) {
  EXPECT_TRUE(throws<NotImplementedError>([] { GetAllocator(DeviceType::Vulkan); }, "vulkan"));
  Counting counting;
  SetAllocator(DeviceType::Vulkan, &counting);
  GetAllocator(DeviceType::Vulkan)->allocate(3);
  EXPECT_EQ(counting.calls, 1);
  SetAllocator(DeviceType::Vulkan, nullptr);
  EXPECT_THROW(GetAllocator(DeviceType::Vulkan), NotImplementedError);
}

TEST(Allocator, CpuHasOne) {
  DataPtr p = GetAllocator(kCPU)->allocate(100);
  EXPECT_TRUE(p);
  EXPECT_EQ(p.device(), Device(kCPU));
  EXPECT_EQ(GetAllocator(kCPU)->allocate(0).get(), nullptr);
}

}  // namespace
