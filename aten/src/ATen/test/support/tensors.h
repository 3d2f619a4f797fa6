#pragma once
// Makes small tensors from lists, and compares their elements.
//
//   Tensor x = tensor({1, 2, 3, 4}, {2, 2});
//   EXPECT_TRUE(has(at::neg(x), {-1, -2, -3, -4}));

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include <ATen/core/Tensor.h>

namespace torch_test {

// Dense, on the CPU; one dimension unless sizes are given.
at::Tensor tensor(std::initializer_list<double> values, c10::ScalarType dtype = c10::kFloat);
at::Tensor tensor(std::initializer_list<double> values, c10::IntArrayRef sizes,
                  c10::ScalarType dtype = c10::kFloat);

// A 0-dimensional tensor.
at::Tensor number(double value, c10::ScalarType dtype = c10::kFloat);

// The elements in logical order, whatever the strides.
std::vector<double> values(const at::Tensor& t);

// Whether these are exactly the elements; NaN equals NaN. `near` allows a relative error.
::testing::AssertionResult has(const at::Tensor& t, std::initializer_list<double> expected);
::testing::AssertionResult near(const at::Tensor& t, const std::vector<double>& expected,
                                double tolerance = 1e-6);
::testing::AssertionResult near(const at::Tensor& t, const at::Tensor& expected,
                                double tolerance = 1e-6);

::testing::AssertionResult has_sizes(const at::Tensor& t, c10::IntArrayRef sizes);
::testing::AssertionResult has_strides(const at::Tensor& t, c10::IntArrayRef strides);

}  // namespace torch_test
