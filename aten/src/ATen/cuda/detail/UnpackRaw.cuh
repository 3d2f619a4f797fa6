#pragma once
// An older place of at::cuda::philox::unpack.

#include <ATen/cuda/PhiloxUtils.cuh>
