#pragma once
// Programs written for PyTorch include this path.
#include <ATen/native/common/CPUFallback.h>
