#pragma once
// at::_ops::NAME, each operator with its schema, call and redispatch.

#include <ATen/Functions.h>
