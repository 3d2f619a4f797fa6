#pragma once
// Finds operators by the full name that users write, "aten::add.Tensor" or "mylib::f".

#include <string>
#include <string_view>

#include <ATen/core/dispatch/OperatorEntry.h>

namespace at {

// Null if there is no operator of this name.
OperatorEntry* find_operator(std::string_view full_name);
std::string full_name(const OperatorEntry& op);

}  // namespace at
