#pragma once
// The name under which programs written for PyTorch include it.
#include <ATen/native/common/ExpandUtils.h>
