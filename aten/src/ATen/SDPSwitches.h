#pragma once
// The kernels that scaled_dot_product_attention may choose from, by their numbers in
// torch.nn.attention.SDPBackend. All are allowed at first; the switches are those of the process.

#include <cstdint>

namespace at {

enum class SDPKernel : uint8_t { Math = 0, Flash = 1, Efficient = 2, Cudnn = 3 };

bool sdp_enabled(SDPKernel kernel);
void set_sdp_enabled(SDPKernel kernel, bool enabled);

}  // namespace at
