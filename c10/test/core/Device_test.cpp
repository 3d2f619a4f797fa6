// Tests of Device and of parsing its names.

#include <c10/core/Device.h>
#include <c10/test/support/throws.h>
#include <c10/util/Exception.h>

using namespace c10;
using torch_test::throws;

namespace {

TEST(Device, ParsesEveryTypeWithAndWithoutIndex) {
  for (int k = 0; k < static_cast<int>(DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES); ++k) {
    const auto type = static_cast<DeviceType>(k);
    const std::string name = DeviceTypeName(type);
    EXPECT_EQ(Device(name), Device(type));
    EXPECT_FALSE(Device(name).has_index());
    for (int index : {0, 7, 10, 127}) {
      const Device device(name + ":" + std::to_string(index));
      EXPECT_EQ(device.type(), type);
      EXPECT_EQ(device.index(), index);
      EXPECT_EQ(Device(device.str()), device);
    }
  }
}

TEST(Device, RefusesWhatIsNoDevice) {
  EXPECT_TRUE(throws<Error>([] { Device{""}; }, "must not be empty"));
  for (const char* bad : {"cpu:", "cpu:x", "cpu:1x", "cpu:01", "cpu:-1", "cpu:1:2", "cuda: 1",
                          "cuda:128", "cuda:1000", "cuda:00", "0", "12"}) {
    EXPECT_TRUE(throws<Error>([&] { Device{std::string_view(bad)}; }, "Invalid device string"))
        << bad;
  }
  for (const char* bad : {"CPU", " cpu", "cpu ", "gpu", ":1", "cud", "cudaa"}) {
    EXPECT_TRUE(throws<Error>([&] { Device{std::string_view(bad)}; }, "Expected one of cpu, cuda"))
        << bad;
  }
}

TEST(Device, ComparesTypeAndIndex) {
  EXPECT_EQ(Device(kCUDA, 1), Device(kCUDA, 1));
  EXPECT_NE(Device(kCUDA, 1), Device(kCUDA, 0));
  EXPECT_NE(Device(kCUDA), Device(kCUDA, 0));  // without an index is not index 0
  EXPECT_NE(Device(kCPU), Device(kMeta));
}

TEST(Device, SaysWhatItIs) {
  EXPECT_TRUE(Device(kCPU).is_cpu() && !Device(kCPU).is_cuda() && !Device(kCPU).is_meta());
  EXPECT_TRUE(Device(kCUDA, 3).is_cuda());
  EXPECT_TRUE(Device(kMeta).is_meta());
  EXPECT_EQ(to_string(Device(kCUDA, 3)), "cuda:3");
  EXPECT_EQ(to_string(kMeta), "meta");
  EXPECT_EQ(Device("privateuseone:0").type(), DeviceType::PrivateUse1);
}

// The numbers occur in files and in other programs.
TEST(Device, TypesHavePyTorchsNumbers) {
  EXPECT_EQ(static_cast<int>(DeviceType::CPU), 0);
  EXPECT_EQ(static_cast<int>(DeviceType::CUDA), 1);
  EXPECT_EQ(static_cast<int>(DeviceType::Meta), 14);
  EXPECT_EQ(static_cast<int>(DeviceType::PrivateUse1), 20);
}

}  // namespace
