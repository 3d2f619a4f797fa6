// Tests of TensorOptions.

#include <c10/core/TensorOptions.h>
#include <c10/test/support/throws.h>
#include <c10/util/Exception.h>

using namespace c10;
using torch_test::throws;

namespace {

TEST(TensorOptions, DefaultsAreSaidAndUnset) {
  const TensorOptions options;
  EXPECT_EQ(options.dtype(), get_default_dtype());
  EXPECT_EQ(options.device(), Device(kCPU));
  EXPECT_EQ(options.layout(), kStrided);
  EXPECT_FALSE(options.requires_grad());
  EXPECT_FALSE(options.pinned_memory());
  EXPECT_FALSE(options.dtype_opt() || options.device_opt() || options.layout_opt() ||
               options.memory_format_opt() || options.pinned_memory_opt());
}

TEST(TensorOptions, EachSetterChangesItsPartAlone) {
  const TensorOptions base = dtype(kDouble);
  const TensorOptions all = base.device(Device(kMeta))
                                .layout(kStrided)
                                .pinned_memory(false)
                                .requires_grad(true)
                                .memory_format(MemoryFormat::ChannelsLast);
  EXPECT_EQ(all.dtype(), kDouble);
  EXPECT_EQ(all.device(), Device(kMeta));
  EXPECT_TRUE(all.requires_grad());
  EXPECT_EQ(all.memory_format_opt(), MemoryFormat::ChannelsLast);
  EXPECT_EQ(all.pinned_memory_opt(), false);
  EXPECT_FALSE(base.requires_grad());  // the setters return a new one
  EXPECT_FALSE(base.device_opt());
  EXPECT_FALSE(all.dtype(std::nullopt).dtype_opt());
}

TEST(TensorOptions, ConvertsFromItsParts) {
  EXPECT_EQ(TensorOptions(kInt).dtype(), kInt);
  EXPECT_EQ(TensorOptions(kMeta).device(), Device(kMeta));
  EXPECT_EQ(TensorOptions(Device(kCUDA, 1)).device(), Device(kCUDA, 1));
  EXPECT_EQ(c10::device(kCPU).dtype(kLong).dtype(), kLong);
  EXPECT_EQ(TensorOptions(Layout::Sparse).layout(), Layout::Sparse);
}

TEST(DefaultDtype, IsAFloatType) {
  EXPECT_EQ(get_default_dtype(), kFloat);
  set_default_dtype(kDouble);
  EXPECT_EQ(TensorOptions().dtype(), kDouble);
  EXPECT_EQ(get_default_complex_dtype(), kComplexDouble);
  set_default_dtype(kBFloat16);
  EXPECT_EQ(get_default_complex_dtype(), kComplexFloat);
  EXPECT_TRUE(throws<TypeError>([] { set_default_dtype(kInt); },
                                "only floating-point types are supported"));
  EXPECT_THROW(set_default_dtype(kComplexFloat), TypeError);
  EXPECT_EQ(get_default_dtype(), kBFloat16);
  set_default_dtype(kFloat);
}

}  // namespace
