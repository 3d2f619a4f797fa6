#pragma once
// Autocast: inside a region, chosen operators run in a lower precision and others in float32.
//
// Note [Autocast]
// A region adds the key AutocastCPU or AutocastCUDA to every call of its thread. Only the operators
// of autocast_lists.h have a kernel there, so that others are called as always. The kernel casts
// the floating-point tensors of that device among the arguments (float64 stays) and calls the
// operator again without the key. The copy of a parameter is kept until the outermost region ends,
// since a module's weight is used in every step of a loop.

#include <ATen/core/Tensor.h>

#include <string_view>

namespace at::autocast {

bool is_enabled(DeviceType device);
bool is_any_enabled();
void set_enabled(DeviceType device, bool enabled);
ScalarType get_dtype(DeviceType device);
void set_dtype(DeviceType device, ScalarType dtype);

// What a region on the CPU does with an operator ("mm", "cat"): "lower", "float32" or "widest" is
// the type of its arguments; "" leaves them.
const char* policy_of(std::string_view name);

// The kept copies, of all threads.
bool is_cache_enabled();
void set_cache_enabled(bool enabled);
void clear_cache();

// The regions of this thread that are open.
int increment_nesting();
int decrement_nesting();

}  // namespace at::autocast
