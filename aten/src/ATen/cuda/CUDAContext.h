#pragma once
// What extensions ask of the current device: its stream, its properties, its handles.

#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDAGuard.h>
