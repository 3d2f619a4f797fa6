#pragma once
// The kernels that scaled_dot_product_attention may choose from, by their numbers in
// torch.nn.attention.SDPBackend. All are allowed at first; switches and order of preference are
// those of the process.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <ATen/core/Tensor.h>

namespace at {

enum class SDPKernel : uint8_t { Math = 0, Flash = 1, Efficient = 2, Cudnn = 3, Overrideable = 4 };

bool sdp_enabled(SDPKernel kernel);
void set_sdp_enabled(SDPKernel kernel, bool enabled);

// GPUs take the first kernel that fits. In the default order, cuDNN comes first on those that its
// kernels are the fastest for. Nothing is registered under `Overrideable`.
using SDPOrder = std::array<SDPKernel, 5>;
constexpr SDPOrder kDefaultSDPOrder = {SDPKernel::Flash, SDPKernel::Efficient, SDPKernel::Math,
                                       SDPKernel::Cudnn, SDPKernel::Overrideable};
SDPOrder sdp_priority();
void set_sdp_priority(const SDPOrder& order);

// Why a kernel of GPUs does not take a call of scaled_dot_product_attention, as the end of a
// sentence; empty if it does.
std::string sdp_obstacle(SDPKernel kernel, const Tensor& query, const Tensor& key,
                         const Tensor& value, const std::optional<Tensor>& mask, double dropout_p,
                         bool is_causal, std::optional<double> scale, bool enable_gqa);

}  // namespace at
