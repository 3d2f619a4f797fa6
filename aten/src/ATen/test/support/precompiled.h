#pragma once
// What every test of ATen includes, compiled once. Operators stay outside: an edit of the yaml is
// to compile the tests of that operator again, not all of them.

#include <gtest/gtest.h>

#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>
