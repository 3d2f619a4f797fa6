#pragma once
// Operators by the one name that users say, "aten::add.Tensor" or "mylib::f".

#include <string>
#include <string_view>

#include <ATen/core/dispatch/OperatorEntry.h>

namespace at {

// Null where there is none of this name.
OperatorEntry* find_operator(std::string_view full_name);
std::string full_name(const OperatorEntry& op);

}  // namespace at
