#pragma once
// Sizes as torch.compile traces them are symbols in PyTorch; here they are numbers.

#include <c10/util/ArrayRef.h>

namespace c10 {
using SymInt = int64_t;
using SymIntArrayRef = IntArrayRef;
}  // namespace c10
