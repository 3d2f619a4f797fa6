#pragma once
// Operators by the name that Python code gives.

#include <string>

#include <ATen/core/dispatch/OperatorEntry.h>

namespace torch {

// The operator called "aten::add.Tensor", or "mylib::f"; null where there is none.
at::OperatorEntry* find_qualified_or_null(const std::string& name);
// The same; throws where there is none.
at::OperatorEntry& find_qualified(const std::string& name);

}  // namespace torch
