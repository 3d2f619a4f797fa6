#pragma once
// For libraries of operators that include this header for torch::Tensor and TORCH_LIBRARY. There is
// no TorchScript here: torch::jit is absent.

#include <torch/torch.h>
