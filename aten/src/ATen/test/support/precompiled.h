#pragma once
// Headers used by every test of ATen, compiled once. Operators are not included: an edit of the
// yaml should recompile only the tests of that operator.

#include <gtest/gtest.h>

#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>
