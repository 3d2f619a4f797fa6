#pragma once
// The name that programs use for what a kernel needs to draw numbers.

#include <ATen/cuda/CUDAGeneratorImpl.h>
